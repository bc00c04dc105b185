// Webhooks beside an indexer: a thread that follows its commits and sends, as the service's main
// thread does, to a receiver in another process.

import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../src/lib/clock.ts';
import { sleep } from '../src/lib/retry.ts';
import { decodeBatch, type EncodedBatch } from '../src/live/encode-batch.ts';
import { LocalFeed } from '../src/live/local-feed.ts';
import type { Address } from '../src/model/ids.ts';
import { createSqliteStore } from '../src/store/sqlite/create-sqlite-store.ts';
import { FeedReader } from '../src/webhooks/feed-reader.ts';
import { createSendDelivery } from '../src/webhooks/send-delivery.ts';
import { createSecrets } from '../src/webhooks/signing.ts';
import { createTargetLookup } from '../src/webhooks/target.ts';
import { WebhookSender } from '../src/webhooks/webhook-sender.ts';
import { createTestMarket } from '../test/market-scene.ts';
import { createTestPeppers } from '../test/start-access.ts';
import { startTestStreams } from '../test/stream-scene.ts';
import { walletId } from '../test/test-ids.ts';

export interface WebhookLoad {
  readonly url: string;
  /** Of each webhook. */
  readonly tokens: readonly (readonly Address[])[];
}

interface ThreadData extends WebhookLoad {
  readonly file: string;
  /** Set to 1 once the webhooks are there. */
  readonly ready: SharedArrayBuffer;
}

export interface WebhookReport {
  readonly cpuMs: number;
  readonly delivered: number;
}

/** As in the service. */
const TICK_MS = 100;
const TIMEOUT_MS = 20_000;

const { file, url, tokens, ready } = workerData as ThreadData;
const fail = (error: unknown) => {
  console.error(error);
  process.exit(1);
};
const store = await createSqliteStore({ file });
const feed = new LocalFeed({ onError: fail });
const market = createTestMarket({ store, feed });
await market.start();
const { parts } = market;
const streams = startTestStreams(market);
const peppers = createTestPeppers();
const lookup = createTargetLookup(true);
const sender = new WebhookSender({
  ...{ store: store.webhooks, leases: null, signals: null, node: 'bench', leaseMs: 60_000 },
  ...{ parts, peppers, clock: systemClock, sleep, tickMs: TICK_MS, random: Math.random },
  reader: new FeedReader({ ...parts, hub: streams.hub }),
  send: createSendDelivery({
    ...{ allowsPrivate: true, lookup, timeoutMs: TIMEOUT_MS, nowMs: () => Date.now() },
  }),
  onError: fail,
});

async function createAll(): Promise<void> {
  const tip = await sender.readTip('devnet');
  if (tip === null) throw new Error('the index has no commit yet');
  const now = Date.now();
  for (const [index, own] of tokens.entries()) {
    const { secret: _, ...keys } = createSecrets(peppers, null);
    const record = {
      ...{ id: `wh_${index}`, walletId: walletId(`eip155:0x${index}`), ...keys },
      settings: {
        ...{ url, events: ['trade', 'reverted'] as const, chains: [], wallets: [] },
        tokens: own.map((token) => ({ chain: 'devnet' as const, token })),
        ...{ finality: 'head' as const, batch: { maxEvents: 100, maxMs: 0 } },
      },
      ...{ rotatedUntilMs: null, status: 'active' as const, disabledReason: null, revision: 1 },
      ...{ createdAtMs: now, updatedAtMs: now },
      progress: {
        ...{ step: 0, cursor: { tokens: { devnet: tip.tokens }, news: {} }, isPending: false },
        ...{ replay: null, failures: 0, failingSinceMs: null, nextAttemptAtMs: null },
        ...{ lastError: null, lastSuccessAtMs: null },
      },
    };
    await store.webhooks.create(record, 1);
  }
}

let isBegun = false;
let startedCpu = process.threadCpuUsage();
parentPort?.on('message', async (message: EncodedBatch | 'report') => {
  if (message !== 'report') {
    feed.publish(decodeBatch(message));
    if (isBegun) return;
    isBegun = true;
    await createAll();
    sender.start();
    while (sender.count < tokens.length) await sleep(10);
    startedCpu = process.threadCpuUsage();
    Atomics.store(new Int32Array(ready), 0, 1);
    Atomics.notify(new Int32Array(ready), 0);
    return;
  }
  const { user, system } = process.threadCpuUsage(startedCpu);
  const report: WebhookReport = {
    cpuMs: (user + system) / 1000,
    delivered: sender.counts.delivered,
  };
  parentPort?.postMessage(report);
});
