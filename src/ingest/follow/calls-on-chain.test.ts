// How many calls the indexer makes for a block of a real node, with trades in it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startTestChain, type TestChain } from '../../../devnet/test-chain.ts';
import { startIndexing } from '../../../test/indexed-devnet.ts';
import { after, before } from '../../../test/root-hooks.ts';
import { type RpcRecorder, startRpcRecorder } from '../../../test/rpc-recorder.ts';
import type { Sleep } from '../../lib/retry.ts';

const BLOCK_COUNT = 10;
const CALLS_MAX = 3;
const ROUNDS_MAX = 300;

let chain: TestChain;
let recorder: RpcRecorder;

before(async () => {
  chain = await startTestChain();
  recorder = await startRpcRecorder(chain.rpcUrl);
});

after(async () => {
  await recorder.stop();
  await chain.stop();
});

function countCalls(): number {
  return [...recorder.methods().values()].reduce((sum, count) => sum + count, 0);
}

/** A block with a trade that mints and burns wrapped coins, so that a supply changes. */
async function addBlock(): Promise<void> {
  await chain.buy({ token: 'wire', venue: 'uniswap-v3', amountInRaw: 10n ** 15n });
}

/** The indexer waits for the next block until it is released. */
function createGate() {
  let release: (() => void) | null = null;
  const sleep: Sleep = (_, signal) =>
    new Promise((resolve, reject) => {
      release = resolve;
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  return {
    sleep,
    async open() {
      for (let round = 0; release === null; round += 1) {
        assert.ok(round < ROUNDS_MAX, 'the indexer does not wait');
        await delay(20);
      }
      const wake: () => void = release;
      release = null;
      wake();
    },
  };
}

test('one poll a block: at most three calls, with supplies', async () => {
  const gate = createGate();
  const reading = { sleep: gate.sleep };
  const indexing = await startIndexing(chain, { rpcUrl: recorder.url, reading });
  try {
    const step = async () => {
      await addBlock();
      await gate.open();
      await indexing.settle();
    };
    await step();
    await step();
    const beginning = countCalls();
    for (let n = 0; n < BLOCK_COUNT; n += 1) await step();
    const each = (countCalls() - beginning) / BLOCK_COUNT;
    assert.ok(each <= CALLS_MAX, `${each} calls a block`);
    assert.ok(each >= 2, `${each} calls a block`);
  } finally {
    await indexing.stop();
  }
});

test('announced by the node: at most two calls a block, without polls', async () => {
  const sockets = [chain.rpcUrl.replace(/^http/, 'ws')];
  const indexing = await startIndexing(chain, { rpcUrl: recorder.url, reading: { sockets } });
  try {
    const countPolls = () => recorder.methods().get('eth_getBlockByNumber') ?? 0;
    // Until the node announces blocks, they are polled for.
    for (let round = 0; ; round += 1) {
      assert.ok(round < ROUNDS_MAX, 'blocks are not announced');
      const polls = countPolls();
      await addBlock();
      await indexing.settle();
      await delay(50);
      if (countPolls() === polls) break;
    }
    const beginning = countCalls();
    for (let n = 0; n < BLOCK_COUNT; n += 1) {
      await addBlock();
      await indexing.settle();
    }
    // The final block may have come due once, as may a confirmation of the head.
    const calls = countCalls() - beginning;
    assert.ok(calls <= BLOCK_COUNT * 2 + 4, `${calls} calls for ${BLOCK_COUNT} blocks`);
  } finally {
    await indexing.stop();
  }
});
