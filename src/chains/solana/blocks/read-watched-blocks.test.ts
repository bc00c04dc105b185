// Watched tokens and pools are read by their signatures.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import {
  buildSolanaChain,
  endSolanaScene,
  openSolanaAdapter,
  startSolanaNode,
  WHOLE_RANGE,
} from '../../../../test/fakes/solana-endpoints.ts';
import {
  buildCpmmSwap,
  POOL,
  QUOTE,
  TOKEN,
  toSwapSignature,
} from '../../../../test/fakes/solana-scene.ts';
import type { PoolId } from '../../../model/ids.ts';

afterEach(endSolanaScene);

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
    assert.equal((last?.params[1] as { until?: string } | undefined)?.until, undefined);
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
});
