// The adapter on nodes at the network's edge: they skip, fork, lag, prune, limit, cut and lie.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { MemorySolana } from '../../../test/fakes/memory-solana.ts';
import type { Mischief } from '../../../test/fakes/misbehaving-rpc.ts';
import {
  buildSolanaChain,
  endSolanaScene,
  openSolanaAdapter,
  startSolanaNode,
  WHOLE_RANGE,
} from '../../../test/fakes/solana-endpoints.ts';
import {
  buildCpmmSwap,
  POOL,
  QUOTE,
  TOKEN,
  TRADER,
  toSwapSignature,
  VAULT_OWNER,
} from '../../../test/fakes/solana-scene.ts';
import type { MarketEvent } from '../../model/block-events.ts';
import { SYSTEM_PROGRAM } from './data/solana-ids.ts';

afterEach(endSolanaScene);

function describeEvent(event: MarketEvent): unknown[] {
  if (event.kind === 'swap') return ['swap', event.txHash, event.amount0, event.amount1];
  if (event.kind === 'transfer') return ['transfer', event.token, event.from, event.amountRaw];
  return [event.kind];
}

/** What the two swaps that succeeded say. */
const EVENTS = [
  ['transfer', TOKEN, TRADER, 5000n],
  ['transfer', QUOTE, VAULT_OWNER, 4000n],
  ['poolCreated'],
  ['swap', toSwapSignature(1), 5000n, -4000n],
  ['transfer', TOKEN, TRADER, 300n],
  ['transfer', QUOTE, VAULT_OWNER, 200n],
  ['swap', toSwapSignature(3), 300n, -200n],
];

type Adapter = ReturnType<typeof openSolanaAdapter>;

async function readEvents(adapter: Adapter, range = WHOLE_RANGE): Promise<unknown[][]> {
  const { blocks } = await adapter.readBlocks(range);
  return blocks.flatMap(({ events }) => events.map(describeEvent));
}

describe('blocks', () => {
  it('give trades and changes of holders, and headers that link over a skipped slot', async () => {
    const adapter = openSolanaAdapter([await startSolanaNode(buildSolanaChain())]);
    const reading = await adapter.readBlocks(WHOLE_RANGE);
    assert.deepEqual(
      reading.headers.map(({ position, parentPosition }) => [position, parentPosition]),
      [
        [101, 100],
        [102, 101],
        [104, 102],
        [105, 104],
      ],
    );
    assert.deepEqual([reading.toBlock, reading.blockCount], [105, 4]);
    assert.deepEqual(
      reading.blocks.flatMap(({ events }) => events.map(describeEvent)),
      EVENTS,
    );
  });

  it('describe a pool once in a range, as its accounts do', async () => {
    const adapter = openSolanaAdapter([await startSolanaNode(buildSolanaChain())]);
    const { blocks } = await adapter.readBlocks(WHOLE_RANGE);
    const created = blocks.flatMap(({ events }) =>
      events.flatMap((event) => (event.kind === 'poolCreated' ? [event] : [])),
    );
    assert.equal(created.length, 1);
    const [{ description, complete }] = created as [(typeof created)[number]];
    assert.equal(complete, false);
    const { pool, kind, venue, token0, token1, feePips, vault } = description;
    assert.deepEqual(
      { pool, kind, venue, token0, token1, feePips, vault },
      {
        ...{ pool: POOL, kind: 'ceiledProduct', venue: 'raydium-cpmm', token0: TOKEN },
        ...{ token1: QUOTE, feePips: 2500, vault: VAULT_OWNER },
      },
    );
  });

  it('of an account that no venue owns give no trade', async () => {
    const chain = buildSolanaChain();
    chain.accounts.set(POOL, { owner: SYSTEM_PROGRAM, data: new Uint8Array(637) });
    const adapter = openSolanaAdapter([await startSolanaNode(chain)]);
    const events = await readEvents(adapter);
    assert.deepEqual(
      events.filter(([kind]) => kind !== 'transfer'),
      [],
    );
    assert.equal(adapter.status().poolsIgnored, 1);
  });

  it('give the trades of a pool that one endpoint hides', async () => {
    const hiding = buildSolanaChain();
    hiding.accounts.clear();
    const nodes = [await startSolanaNode(hiding), await startSolanaNode(buildSolanaChain())];
    assert.deepEqual(await readEvents(openSolanaAdapter(nodes)), EVENTS);
  });

  it('end early after so many blocks or events', async () => {
    const adapter = openSolanaAdapter([await startSolanaNode(buildSolanaChain())]);
    const few = await adapter.readBlocks({ ...WHOLE_RANGE, blockCountMax: 3 });
    assert.deepEqual([few.toBlock, few.blockCount], [104, 3]);
  });

  for (const [name, mischief] of [
    ['hangs', () => ({ do: 'hang' })],
    ['cuts the connection', () => ({ do: 'cut', after: 20 })],
    ['limits', () => ({ do: 'reply', status: 429, text: '' })],
    ['forbids', () => ({ do: 'reply', status: 403, text: '' })],
    ['is behind', () => ({ do: 'error', code: -32005, message: 'Node is behind by 150 slots' })],
    ['pruned', () => ({ do: 'error', code: -32001, message: 'Block 101 cleaned up' })],
    ['has no statuses yet', () => ({ do: 'error', code: -32014, message: 'not yet available' })],
    ['calls a block skipped', () => ({ do: 'error', code: -32007, message: 'Slot skipped' })],
    ['sends another block', () => ({ do: 'change', change: () => ({ blockhash: 'other' }) })],
  ] as const) {
    it(`come from the second endpoint if the first one ${name}`, async () => {
      const [bad, good] = [
        await startSolanaNode(buildSolanaChain()),
        await startSolanaNode(buildSolanaChain()),
      ];
      bad.misbehave(({ method }) => (method === 'getBlock' ? mischief() : null) as never);
      const adapter = openSolanaAdapter([bad, good]);
      assert.deepEqual(await readEvents(adapter), EVENTS);
    });
  }

  it('that the node leaves out of its list are read nevertheless', async () => {
    const node = await startSolanaNode(buildSolanaChain());
    const leaveOut: Mischief = ({ method }) =>
      method === 'getBlocks'
        ? { do: 'change', change: (slots) => (slots as number[]).filter((slot) => slot !== 102) }
        : null;
    node.misbehave(leaveOut);
    const adapter = openSolanaAdapter([node]);
    assert.deepEqual(await readEvents(adapter), EVENTS);
  });

  it('are not read from an endpoint of another chain', async () => {
    const wrong = new MemorySolana('AnotherGenesis');
    wrong.add(105);
    const adapter = openSolanaAdapter([
      await startSolanaNode(wrong),
      await startSolanaNode(buildSolanaChain()),
    ]);
    assert.deepEqual(await readEvents(adapter), EVENTS);
    assert.equal(adapter.status().endpoints[0]?.state, 'refused');
    const alone = openSolanaAdapter([await startSolanaNode(wrong)]);
    await assert.rejects(alone.readHead(), { kind: 'wrongChain' });
  });

  it('count what could not be decoded', async () => {
    const chain = buildSolanaChain();
    const swap = buildCpmmSwap({ id: 9, amountIn: 1n, amountOut: 1n });
    const withData = (data: string) => {
      const { message, signatures } = swap.transaction;
      const instructions = message.instructions.map((call) => ({ ...call, data }));
      return { ...swap, transaction: { signatures, message: { ...message, instructions } } };
    };
    chain.add(106, { transactions: [withData('11111111'), withData('not base58')] });
    const adapter = openSolanaAdapter([await startSolanaNode(chain)]);
    const { blocks } = await adapter.readBlocks({ ...WHOLE_RANGE, toBlock: 106 });
    const kinds = blocks.at(-1)?.events.map(({ kind }) => kind);
    const moves = ['transfer', 'transfer'];
    assert.deepEqual(kinds, [...moves, 'poolChanged', ...moves], 'balances changed');
    assert.deepEqual(adapter.status().undecoded, [
      { venue: 'raydium-cpmm', discriminator: '0000000000000000', count: 1 },
      { venue: 'malformed', discriminator: '', count: 1 },
    ]);
  });

  it('come from the second endpoint if the first one sends a broken transaction', async () => {
    const [broken, good] = [buildSolanaChain(), await startSolanaNode(buildSolanaChain())];
    const swap = buildCpmmSwap({ id: 1, amountIn: 5000n, amountOut: 4000n });
    const meta = { ...swap.meta, err: null, postTokenBalances: [{}] as never };
    broken.blocks.set(102, { ...broken.blocks.get(102)!, transactions: [{ ...swap, meta }] });
    const adapter = openSolanaAdapter([await startSolanaNode(broken), good]);
    assert.deepEqual(await readEvents(adapter), EVENTS);
    assert.equal(adapter.status().repliesRefused, 1);
  });
});

describe('the head', () => {
  it('is the newest confirmed block, with what the node calls final', async () => {
    const adapter = openSolanaAdapter([await startSolanaNode(buildSolanaChain())]);
    const head = await adapter.readHead();
    assert.deepEqual([head.latest.position, head.latest.hash], [105, 'hash105']);
    assert.equal(head.finalizedBlock, 101);
  });

  it('is an earlier block while the node does not serve the newest one', async () => {
    const node = await startSolanaNode(buildSolanaChain());
    node.misbehave(({ method, params }) =>
      method === 'getBlock' && params[0] === 105
        ? { do: 'error', code: -32004, message: 'Block not available for slot 105' }
        : null,
    );
    assert.equal((await openSolanaAdapter([node]).readHead()).latest.position, 104);
  });

  it('does not go back because the preferred endpoint lags', async () => {
    const [chain, other] = [buildSolanaChain(), buildSolanaChain()];
    const adapter = openSolanaAdapter([await startSolanaNode(chain), await startSolanaNode(other)]);
    await adapter.readHead();
    chain.cut(104);
    assert.equal((await adapter.readHead()).latest.position, 105);
  });

  it('is refused if more is final than confirmed', async () => {
    const chain = buildSolanaChain();
    chain.finalized = 200;
    const adapter = openSolanaAdapter([await startSolanaNode(chain)]);
    await assert.rejects(adapter.readHead(), { kind: 'unavailable' });
  });

  it('is not final beyond what another endpoint has', async () => {
    const [liar, honest] = [buildSolanaChain(), buildSolanaChain()];
    for (let slot = 106; slot < 120; slot += 1) liar.add(slot, { branch: 'x' });
    liar.finalized = 119;
    const adapter = openSolanaAdapter([await startSolanaNode(liar), await startSolanaNode(honest)]);
    await adapter.readHead();
    assert.ok((await adapter.readHead()).finalizedBlock <= 105);
  });
});

describe('headers', () => {
  it('of a fork are those that most endpoints have', async () => {
    const [forked, second, third] = [buildSolanaChain(), buildSolanaChain(), buildSolanaChain()];
    forked.cut(104);
    forked.add(104, { branch: 'x' });
    forked.add(105, { branch: 'x' });
    const nodes = [
      await startSolanaNode(forked),
      await startSolanaNode(second),
      await startSolanaNode(third),
    ];
    const adapter = openSolanaAdapter(nodes);
    assert.equal((await adapter.readAgreedHeader?.(105))?.hash, 'hash105');
    assert.equal(adapter.status().endpoints[0]?.state, 'waiting');
  });

  it('that only an archive has come from it', async () => {
    const [pruned, archive] = [
      await startSolanaNode(buildSolanaChain()),
      await startSolanaNode(buildSolanaChain()),
    ];
    pruned.misbehave(({ method }) =>
      method === 'getBlock' ? { do: 'error', code: -32001, message: 'cleaned up' } : null,
    );
    const adapter = openSolanaAdapter([pruned, archive]);
    assert.equal((await adapter.readHeader(103))?.position, 102);
    const none = openSolanaAdapter([pruned]);
    assert.equal(await none.readHeader(103), null);
  });
});

describe('state', () => {
  it('of mints has supply and decimals', async () => {
    const adapter = openSolanaAdapter([await startSolanaNode(buildSolanaChain())]);
    const [metadata] = await adapter.readTokenMetadata([TOKEN]);
    assert.deepEqual(metadata, { token: TOKEN, name: null, symbol: null, decimals: 6 });
    const head = await adapter.readHead();
    assert.deepEqual(await adapter.readSupplies([TOKEN, TRADER], head.latest), [
      { token: TOKEN, supplyRaw: 1_000_000_000n },
      { token: TRADER, supplyRaw: null },
    ]);
  });
});
