// Traders and users on a node that is too slow for them, on any machine.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hex } from 'viem';
import { after, before } from '../test/root-hooks.ts';
import { MAKER, TEST_ADDRESSES, TRADERS } from './accounts.ts';
import { startBlockClock } from './block-clock.ts';
import type { JsonRpc } from './json-rpc.ts';
import { createDevnetMarket } from './market.ts';
import { createSeededRandom } from './random.ts';
import { startTestChain, type TestChain } from './test-chain.ts';
import { PENDING_MAX, startTraders } from './traders.ts';

let chain: TestChain;

before(async () => {
  chain = await startTestChain();
});

after(() => chain?.stop());

type PoolSenders = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** How many transactions of traders are pending. */
async function countPending(): Promise<number> {
  const pool = await chain.rpc.call<{ pending: PoolSenders; queued: PoolSenders }>(
    'txpool_content',
  );
  const ours = new Set<string>([MAKER, ...TRADERS]);
  return [pool.pending, pool.queued]
    .flatMap((part) => Object.entries(part))
    .filter(([sender]) => ours.has(sender.toLowerCase()))
    .reduce((sum, [, transactions]) => sum + Object.keys(transactions).length, 0);
}

/** Observes every call that the traders make. */
function watchCalls(rpc: JsonRpc, onCall: (method: string) => void): JsonRpc {
  return {
    ...rpc,
    call(method, ...params) {
      onCall(method);
      return rpc.call(method, ...params);
    },
  };
}

test('traders wait for the chain: no more of their transactions are pending than the limit', async () => {
  let wake: () => void = () => undefined;
  let mined: () => void = () => undefined;
  let sent = 0;
  let allowed = PENDING_MAX;
  // They wait for a block, or have sent more than allowed.
  const untilWaiting = () => new Promise<void>((resolve) => (wake = resolve));
  let waiting = untilWaiting();
  const traders = startTraders({
    rpc: watchCalls(chain.rpc, (method) => {
      if (method !== 'eth_sendTransaction') return;
      sent += 1;
      if (sent > allowed) wake();
    }),
    market: createDevnetMarket(chain.deployment),
    pauseMeanMs: 350,
    random: createSeededRandom('slow'),
    log: () => undefined,
    // The chain has a next block only when this test mines one.
    untilBlock: (signal) =>
      new Promise((resolve) => {
        mined = resolve;
        signal.addEventListener('abort', () => resolve());
        wake();
      }),
  });
  try {
    for (let block = 0; block < 3; block++) {
      await waiting;
      assert.equal(sent, allowed);
      assert.equal(await countPending(), PENDING_MAX);
      waiting = untilWaiting();
      await chain.mine();
      assert.equal(await countPending(), 0);
      allowed += PENDING_MAX;
      mined();
    }
  } finally {
    await traders.stop();
  }
});

test("a user's transaction is in the next block, first, though every block takes too long", async () => {
  let blocks = 0;
  let begun: () => void = () => undefined;
  let release: () => void = () => undefined;
  const untilBegun = () => new Promise<void>((resolve) => (begun = resolve));
  let beginning = untilBegun();
  const clock = startBlockClock({
    rpc: chain.rpc,
    intervalMs: 1,
    // Every block takes as long as the test wants, which is many intervals.
    beforeBlock: () =>
      new Promise((resolve) => {
        blocks += 1;
        release = resolve;
        begun();
      }),
  });
  const traders = startTraders({
    rpc: chain.rpc,
    market: createDevnetMarket(chain.deployment),
    pauseMeanMs: 350,
    random: createSeededRandom('busy'),
    log: () => undefined,
    untilBlock: clock.untilBlock,
  });
  const [from, to] = TEST_ADDRESSES;
  try {
    for (let round = 0; round < 3; round++) {
      await beginning;
      const head = await chain.readHead();
      while ((await countPending()) < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      const hash = await chain.rpc.call<Hex>('eth_sendTransaction', { from, to, value: '0x1' });
      beginning = untilBegun();
      release();
      await beginning;
      const receipt = await chain.rpc.call<{ blockNumber: Hex; transactionIndex: Hex }>(
        'eth_getTransactionReceipt',
        hash,
      );
      assert.equal(Number(receipt.blockNumber), head + 1);
      assert.equal(Number(receipt.transactionIndex), 0);
    }
    assert.ok(blocks >= 4);
  } finally {
    const stopping = Promise.all([traders.stop(), clock.stop()]);
    release();
    await stopping;
  }
});
