// A chain with five blocks a second is followed closely, in few calls: on simulated time, at a node
// that takes 100 ms for a request and answers 50 calls a second.

import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { createSqlitePlace } from '../../../test/conformance/store-place.ts';
import {
  buildSwapLogs,
  createSceneAdapter,
  endScene,
  PAIR,
  PAIR_CREATED,
  startNode,
  TOKEN,
  TRADER,
  topic,
  transfer,
} from '../../../test/fakes/chain-scene.ts';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { MemoryChain, type MemoryTransaction } from '../../../test/fakes/memory-chain.ts';
import type { MisbehavingRpc } from '../../../test/fakes/misbehaving-rpc.ts';
import { uintWord } from '../../chains/evm/hex-data.ts';
import { TRANSFER_TOPIC } from '../../chains/evm/tokens/decode-transfer.ts';
import type { Sleep } from '../../lib/retry.ts';
import { Indexer } from './indexer.ts';
import { DEFAULT_INDEXER_OPTIONS } from './indexer-options.ts';

afterEach(endScene);

const LATENCY_MS = 100;
const CALLS_PER_SECOND = 50;
const WARM_UP_MS = 10_000;
const MEASURED_MS = 120_000;
const DAY_MS = 86_400_000;
const ZERO_TOPIC = `0x${'0'.repeat(64)}`;

/** As a compute-unit plan prices them. */
const CREDITS: Readonly<Record<string, number>> = { eth_chainId: 0, eth_call: 26, eth_getLogs: 60 };
const creditsOf = (method: string) => CREDITS[method] ?? 20;

/** What every block of an OP stack begins with, a swap, and tokens that are minted. */
function fillBlock(n: number): MemoryTransaction[] {
  const minted = {
    address: TOKEN,
    topics: [TRANSFER_TOPIC, ZERO_TOPIC, topic(TRADER)],
    data: `0x${uintWord(n + 1)}`,
  };
  return [
    { from: `0x${'de'.repeat(20)}`, logs: [] },
    { from: `0x${'de'.repeat(20)}`, logs: [] },
    { from: TRADER, logs: [minted, transfer(1), ...buildSwapLogs(PAIR, n + 1)] },
  ];
}

/** A node whose chain grows with the clock; a request takes its time, one after the other. */
async function startTimedNode(chain: MemoryChain, blockMs: number, clock: ManualClock) {
  const startMs = clock.nowMs() - chain.head * blockMs;
  let requests = 0;
  let secondMs = 0;
  let calls = 0;
  const node: MisbehavingRpc = await startNode((method, params) => chain.answer(method, params));
  node.misbehave(({ batch }) => {
    if (node.requests > requests) {
      requests = node.requests;
      clock.advance(LATENCY_MS);
      const headNow = Math.floor((clock.nowMs() - startMs) / blockMs);
      while (chain.head < headNow) chain.add(fillBlock(chain.head + 1));
      if (clock.nowMs() - secondMs >= 1000) [secondMs, calls] = [clock.nowMs(), 0];
      calls += batch;
    }
    if (calls <= CALLS_PER_SECOND) return null;
    return { do: 'reply', status: 429, text: '', headers: { 'retry-after': '1' } };
  });
  return { node, madeAtMs: (block: number) => startMs + block * blockMs };
}

interface Followed {
  /** How old the oldest block that was not stored yet was, at each commit. */
  readonly lagMaxMs: number;
  readonly callsPerDay: number;
  readonly creditsPerDay: number;
  readonly byMethod: ReadonlyMap<string, number>;
  readonly requestsPerSecond: number;
}

async function followFor(blockMs: number): Promise<Followed> {
  const clock = new ManualClock();
  const sleep: Sleep = async (ms, signal) => {
    signal?.throwIfAborted();
    clock.advance(ms);
  };
  const call = () => `0x${uintWord(1000)}`;
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true, blockMs, call });
  chain.add([{ from: TRADER, logs: [PAIR_CREATED] }]);
  while (chain.head < 20) chain.add(fillBlock(chain.head + 1));
  const { node, madeAtMs } = await startTimedNode(chain, blockMs, clock);
  const limits = { timeoutMs: 60_000 };
  const adapter = createSceneAdapter([node], { clock, sleep, limits, isPollTimed: true });
  const place = await createSqlitePlace();
  const store = await place.open();
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const beginMs = clock.nowMs() + WARM_UP_MS;
  let from: { calls: number; requests: number; atMs: number } | null = null;
  let lagMaxMs = 0;
  const indexer = new Indexer({
    ...DEFAULT_INDEXER_OPTIONS,
    ...{ adapter, store: store.market, startBlock: 0, clock, sleep, random: () => 0.5 },
    log: { info: () => undefined, warn: () => undefined },
    onCommitted: ({ fromBlock, toBlock }) => {
      const nowMs = clock.nowMs();
      if (nowMs < beginMs) return;
      from ??= { calls: node.calls.length, requests: node.requests, atMs: nowMs };
      if (toBlock >= fromBlock) lagMaxMs = Math.max(lagMaxMs, nowMs - madeAtMs(fromBlock));
      if (nowMs >= from.atMs + MEASURED_MS) resolve();
    },
  });
  try {
    indexer.start();
    await over;
    assert.ok(from !== null);
    const {
      calls: first,
      requests,
      atMs,
    } = from as { calls: number; requests: number; atMs: number };
    const calls = node.calls.slice(first);
    const days = (clock.nowMs() - atMs) / DAY_MS;
    const byMethod = new Map<string, number>();
    for (const { method } of calls) byMethod.set(method, (byMethod.get(method) ?? 0) + 1 / days);
    const credits = calls.reduce((sum, { method }) => sum + creditsOf(method), 0);
    return {
      ...{ lagMaxMs, byMethod, callsPerDay: calls.length / days, creditsPerDay: credits / days },
      requestsPerSecond: (node.requests - requests) / (days * 86_400),
    };
  } finally {
    await indexer.stop();
    await store.close();
    await place.remove();
  }
}

describe('a chain with a block every 200 ms, at 100 ms a request and 50 calls a second', () => {
  test('is followed within a second and a half, for what it cost before and its data', async () => {
    const before = await followFor(2000);
    const now = await followFor(200);
    const shown = JSON.stringify({ before, now }, (_, value) =>
      value instanceof Map ? Object.fromEntries(value) : value,
    );
    assert.ok(now.lagMaxMs <= 1500, shown);
    // Of each block that there was not before: its header and its receipts.
    const blocks = DAY_MS / 200 - DAY_MS / 2000;
    assert.ok(now.callsPerDay <= before.callsPerDay + blocks * 2, shown);
    const each = creditsOf('eth_getBlockByNumber') + creditsOf('eth_getBlockReceipts');
    assert.ok(now.creditsPerDay <= before.creditsPerDay + blocks * each, shown);
    assert.ok(now.requestsPerSecond <= 4, shown);
  });
});
