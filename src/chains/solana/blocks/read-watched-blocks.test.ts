// Watched tokens and pools are read by their signatures.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { MemorySolana } from '../../../../test/fakes/memory-solana.ts';
import {
  buildSolanaChain,
  endSolanaScene,
  openSolanaAdapter,
  startSolanaNode,
  WHOLE_RANGE,
} from '../../../../test/fakes/solana-endpoints.ts';
import {
  buildCpmmSwap,
  buildMakerSwap,
  POOL,
  QUOTE,
  setMaker,
  setPool,
  TOKEN,
  toSwapSignature,
} from '../../../../test/fakes/solana-scene.ts';
import { encodeBase58 } from '../../../lib/base58.ts';
import type { PoolId } from '../../../model/ids.ts';
import type { PoolRecord } from '../../../model/pool.ts';
import { toSolanaAddress } from '../data/solana-ids.ts';

afterEach(endSolanaScene);

function toKey(number: number): string {
  return encodeBase58(Buffer.alloc(32, number));
}

describe('watched tokens and pools', () => {
  const only = { tokens: new Set([TOKEN]), pools: new Set([POOL]) };

  it('give the same trades as whole blocks, without reading any', async () => {
    const node = await startSolanaNode(buildSolanaChain());
    const adapter = openSolanaAdapter([node]);
    const { blocks: all } = await adapter.readBlocks(WHOLE_RANGE);
    const before = node.calls.length;
    const watched = await openSolanaAdapter([node]).readBlocks({ ...WHOLE_RANGE, only });
    const pick = (blocks: typeof all) =>
      blocks.flatMap(({ header, events }) =>
        events.flatMap((event) => (event.kind === 'swap' ? [{ header, event }] : [])),
      );
    assert.deepEqual(pick(watched.blocks), pick(all));
    assert.equal(watched.headers.length, 4);
    const details = node.calls
      .slice(before)
      .filter(({ method }) => method === 'getBlock')
      .map(({ params }) => (params[1] as { transactionDetails: string }).transactionDetails);
    assert.ok(details.length > 0 && !details.includes('full'));
  });

  it('are traded in pools without an account, which are found by who signs for them', async () => {
    const chain = buildSolanaChain();
    setMaker(chain);
    const swap = (id: number, isSale: boolean) =>
      buildMakerSwap({ id, amountIn: 30n, amountOut: 20n, isSale, namesMint: id === 20 });
    chain.add(106, { transactions: [swap(20, true)] });
    const adapter = openSolanaAdapter([await startSolanaNode(chain)]);
    const read = async (fromBlock: number, toBlock: number, pools: ReadonlySet<PoolId>) => {
      const range = { fromBlock, toBlock, linked: false, only: { ...only, pools } };
      const { blocks } = await adapter.readBlocks(range);
      return blocks.flatMap(({ events }) =>
        events.flatMap((event) => (event.kind === 'swap' ? [event] : [])),
      );
    };
    const [first = assert.fail()] = await read(106, 106, new Set());
    chain.add(107, { transactions: [swap(21, true)] });
    chain.add(108, { transactions: [swap(22, false)] });
    const known = new Set([first.pool]);
    const found = await read(107, 108, known);
    assert.deepEqual(
      found.map(({ txHash, pool }) => [txHash, pool]),
      [21, 22].map((id) => [toSwapSignature(id), first.pool]),
    );
    assert.deepEqual(await read(107, 108, new Set()), [], 'they do not name the token');
    // After a restart the store tells which pools these are.
    const { token0, token1 } = { token0: TOKEN, token1: QUOTE };
    const row = {
      ...{ pool: first.pool, kind: 'tradesOnly', venue: 'aquifer', token0, token1 },
      ...{ feePips: 0, vault: toSolanaAddress(toKey(20)), terms: null },
    } as unknown as PoolRecord;
    const again = openSolanaAdapter([await startSolanaNode(chain)], {
      knownPools: async (pools) => (pools.includes(row.pool) ? [row] : []),
    });
    const range = { fromBlock: 107, toBlock: 108, linked: false, only: { ...only, pools: known } };
    const { blocks } = await again.readBlocks(range);
    const swaps = blocks.flatMap(({ events }) => events.filter(({ kind }) => kind === 'swap'));
    assert.equal(swaps.length, 2);
  });

  it('have no transfers of other tokens', async () => {
    const adapter = openSolanaAdapter([await startSolanaNode(buildSolanaChain())]);
    const { blocks } = await adapter.readBlocks({ ...WHOLE_RANGE, linked: false, only });
    const tokens = blocks.flatMap(({ events }) =>
      events.flatMap((event) => (event.kind === 'transfer' ? [event.token] : [])),
    );
    assert.deepEqual(tokens, [TOKEN, TOKEN]);
  });

  it('that are a quote asset bring its transfers, and no pools', async () => {
    const quote = { tokens: new Set([QUOTE]), pools: new Set<PoolId>() };
    const adapter = openSolanaAdapter([await startSolanaNode(buildSolanaChain())]);
    const { blocks } = await adapter.readBlocks({ ...WHOLE_RANGE, only: quote });
    const events = blocks.flatMap((block) => block.events);
    assert.deepEqual(
      events.map((event) => (event.kind === 'transfer' ? event.token : event.kind)),
      [QUOTE, QUOTE],
    );
  });

  it('are listed from the last one on, and again after a rollback', async () => {
    const chain = buildSolanaChain();
    const node = await startSolanaNode(chain);
    const adapter = openSolanaAdapter([node]);
    const readSwaps = async (fromBlock: number, toBlock: number) => {
      const { blocks } = await adapter.readBlocks({ ...WHOLE_RANGE, fromBlock, toBlock, only });
      return blocks.flatMap(({ events }) =>
        events.flatMap((event) => (event.kind === 'swap' ? [event.txHash] : [])),
      );
    };
    assert.deepEqual(await readSwaps(101, 102), [toSwapSignature(1)]);
    assert.deepEqual(await readSwaps(103, 105), [toSwapSignature(3)]);
    const last = node.calls.filter(({ method }) => method === 'getSignaturesForAddress').at(-1);
    assert.deepEqual(
      (last?.params[1] as { until?: string } | undefined)?.until,
      toSwapSignature(1),
    );
    assert.deepEqual(await readSwaps(103, 105), [toSwapSignature(3)], 'read again');
    chain.cut(104);
    const again = buildCpmmSwap({ id: 8, amountIn: 9n, amountOut: 8n });
    chain.add(104, { transactions: [again], branch: 'x' });
    assert.deepEqual(await readSwaps(103, 104), [toSwapSignature(8)]);
    chain.add(106, { transactions: [buildCpmmSwap({ id: 10, amountIn: 9n, amountOut: 8n })] });
    assert.deepEqual(await readSwaps(105, 106), [toSwapSignature(10)]);
  });

  it('do not end at one that a fork took away', async () => {
    const chain = buildSolanaChain();
    const node = await startSolanaNode(chain);
    const adapter = openSolanaAdapter([node]);
    const read = (fromBlock: number, toBlock: number) =>
      adapter.readBlocks({ ...WHOLE_RANGE, fromBlock, toBlock, only });
    await read(103, 105);
    chain.cut(104);
    chain.add(104, { branch: 'x' });
    await read(103, 104);
    chain.add(106);
    await read(105, 106);
    const last = node.calls.filter(({ method }) => method === 'getSignaturesForAddress').at(-1);
    const config = last?.params[1] as { until?: string } | undefined;
    assert.equal(config?.until, toSwapSignature(1));
  });

  it('of a node that has not reached the range are not taken for none', async () => {
    const late = buildSolanaChain();
    late.cut(104);
    const adapter = openSolanaAdapter([
      await startSolanaNode(late),
      await startSolanaNode(buildSolanaChain()),
    ]);
    const { blocks } = await adapter.readBlocks({ ...WHOLE_RANGE, only });
    assert.equal(blocks.length, 2);
  });

  it('are listed together, so that many take no longer than one', async () => {
    const node = await startSolanaNode(buildSolanaChain());
    const many = Array.from({ length: 60 }, (_, index) => toSolanaAddress(toKey(100 + index)));
    const watched = { tokens: new Set([TOKEN, ...many]), pools: new Set([POOL]) };
    const adapter = openSolanaAdapter([node]);
    await adapter.readBlocks({ ...WHOLE_RANGE, only: watched });
    const lists = node.calls.filter(({ method }) => method === 'getSignaturesForAddress');
    assert.equal(lists.length, 62);
    assert.ok(Math.min(...lists.map(({ batch }) => batch)) > 1, 'one was asked alone');
  });

  /** In each block the pool has one swap, and some thousand that failed. */
  function buildBusyChain(slots: number): { chain: MemorySolana; swaps: string[] } {
    const chain = new MemorySolana();
    setPool(chain, 50_000_000n, 50_000_000n);
    chain.add(100);
    const swaps: string[] = [];
    for (let slot = 101; slot <= 100 + slots; slot += 1) {
      const failed = Array.from({ length: 1100 }, (_, index) => ({
        transaction: {
          signatures: [`failed ${slot} ${index}`],
          message: { accountKeys: [POOL], instructions: [] },
        },
        meta: { err: 'failed' },
      }));
      const swap = buildCpmmSwap({ id: slot, amountIn: 70n, amountOut: 60n });
      swaps.push(toSwapSignature(slot));
      chain.add(slot, { transactions: [...failed, swap] });
    }
    return { chain, swaps };
  }

  async function readAll(
    adapter: ReturnType<typeof openSolanaAdapter>,
    range: { readonly fromBlock: number; readonly toBlock: number; readonly linked: boolean },
  ): Promise<{ found: string[]; most: number }> {
    const found: string[] = [];
    let most = 0;
    for (let fromBlock = range.fromBlock; fromBlock <= range.toBlock; ) {
      const part = { ...range, fromBlock, only, blockCountMax: 100, eventCountMax: 1 };
      const { blocks, toBlock } = await adapter.readBlocks(part);
      const swaps = blocks.flatMap(({ events }) =>
        events.flatMap((event) => (event.kind === 'swap' ? [event.txHash] : [])),
      );
      most = Math.max(most, swaps.length);
      found.push(...swaps);
      fromBlock = toBlock + 1;
    }
    return { found, most };
  }

  for (const linked of [false, true]) {
    it(`are read however many there are since the last look, ${linked ? '' : 'not '}linked`, async () => {
      const { chain, swaps } = buildBusyChain(10);
      const node = await startSolanaNode(chain);
      const range = { fromBlock: 101, toBlock: 110, linked };
      const { found, most } = await readAll(openSolanaAdapter([node]), range);
      assert.deepEqual(found, swaps);
      assert.ok(most < swaps.length, 'all of them are in memory at once');
      // The way down from the newest one is gone once, not again for each part.
      assert.ok(node.count('getSignaturesForAddress') < 60);
    });
  }

  it('go on where a list was broken off', async () => {
    const { chain, swaps } = buildBusyChain(10);
    const node = await startSolanaNode(chain);
    const adapter = openSolanaAdapter([node]);
    const range = { fromBlock: 101, toBlock: 110, linked: false };
    const begun: unknown[] = [];
    node.misbehave(({ method, params, seen }) => {
      if (method !== 'getSignaturesForAddress' || params[0] !== POOL) return null;
      begun.push((params[1] as { before?: string }).before);
      return seen === 8 ? { do: 'reply', status: 502, text: '' } : null;
    });
    const { found } = await readAll(adapter, range);
    assert.deepEqual(found, swaps);
    // The first and the last part of the range: what was broken off is not begun again.
    const fromHead = begun.filter((before) => before === undefined).length;
    assert.equal(fromHead, 2, `${fromHead} lists began at the newest one`);
  });

  it('are listed anew if a fork took away where a list went on', async () => {
    const { chain } = buildBusyChain(10);
    const node = await startSolanaNode(chain);
    const adapter = openSolanaAdapter([node]);
    const before = await readAll(adapter, { fromBlock: 101, toBlock: 104, linked: false });
    assert.equal(before.found.length, 4);
    chain.cut(106);
    chain.add(106, { transactions: [buildCpmmSwap({ id: 5, amountIn: 9n, amountOut: 8n })] });
    const after = await readAll(adapter, { fromBlock: 105, toBlock: 106, linked: true });
    assert.deepEqual(after.found, [toSwapSignature(105), toSwapSignature(5)]);
  });
});
