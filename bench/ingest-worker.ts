// Our indexer in its own process, over a recorded chain, until it has reached the head.

import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { createEvmAdapter } from '../src/chains/evm/create-evm-adapter.ts';
import { Indexer } from '../src/ingest/follow/indexer.ts';
import { DEFAULT_INDEXER_OPTIONS } from '../src/ingest/follow/indexer-options.ts';
import { systemClock } from '../src/lib/clock.ts';
import { lowerThreadPriority } from '../src/lib/lower-thread-priority.ts';
import { sleep } from '../src/lib/retry.ts';
import { encodeBatch } from '../src/live/encode-batch.ts';
import type { AlertRecord } from '../src/model/alert.ts';
import type { Address } from '../src/model/ids.ts';
import { watchHeapGrowth } from '../src/runtime/indexer-heap.ts';
import type { Store } from '../src/store/store.ts';
import {
  addAlerts,
  openBenchStore,
  readServerMs,
  readStoredBytes,
  type StoreAddress,
} from './ingest-store.ts';
import {
  countTransferRows,
  createTransferTable,
  keepTransferRows,
} from './ingest-transfer-rows.ts';
import { readThreadMs } from './measure.ts';
import { DEPLOYMENT } from './recorded-chain-contracts.ts';
import type { WebhookLoad, WebhookReport } from './webhook-thread.ts';

export interface IngestRun {
  readonly rpcUrl: string;
  readonly head: number;
  readonly store: StoreAddress;
  /** Whether to store a row for every transfer, in addition. */
  readonly transferRows: boolean;
  /** Alerts that are in the store before indexing begins. */
  readonly alerts?: AlertRecord[];
  /** Webhooks that another thread sends from the first commit on. */
  readonly webhooks?: WebhookLoad;
}

export interface IngestResult {
  readonly endedAtMs: number;
  /** From the start of indexing to its end, over all threads. */
  readonly cpuMs: number;
  /** The same from the first commit on. */
  readonly steadyCpuMs: number;
  /** The same by thread. */
  readonly threads: ThreadTimes;
  readonly peakRssMiB: number;
  /** When each commit was done, and how many trades were stored by then. */
  readonly commits: readonly { readonly atMs: number; readonly trades: number }[];
  /** Counted afterwards, to check that the work was done. */
  readonly transfers: number;
  readonly trades: number;
  readonly candles: number;
  readonly balances: number;
  readonly sumRaw: string;
  readonly prices: readonly (readonly [token: Address, priceUsd: string])[];
  readonly firings: number;
  readonly webhooks: WebhookReport | null;
  readonly storedBytes: number;
}

interface ThreadTimes {
  readonly indexerMs: number;
  /** SQLite's writer, or PostgreSQL's processes. */
  readonly storeMs: number;
  /** V8's threads, which compile code and collect garbage, and the rest. */
  readonly runtimeMs: number;
}

const CHAIN = 'devnet';

async function countRows(scan: AsyncIterable<readonly unknown[]>): Promise<number> {
  let count = 0;
  for await (const rows of scan) count += rows.length;
  return count;
}

async function readTotals(run: IngestRun, { market }: Store) {
  let balances = 0;
  let sumRaw = 0n;
  for await (const rows of market.scanBalances(CHAIN)) {
    balances += rows.length;
    for (const { amountRaw } of rows) sumRaw += amountRaw;
  }
  const prices: [Address, string][] = [];
  for await (const rows of market.scanTokens(CHAIN)) {
    for (const { token, priceUsd } of rows) if (priceUsd !== null) prices.push([token, priceUsd]);
  }
  let firings = 0;
  for await (const states of market.scanAlertStates(CHAIN)) {
    for (const state of states) firings += state.block === state.fromBlock ? 0 : state.firings;
  }
  return {
    ...{ prices, firings },
    transfers: run.transferRows ? await countTransferRows(run.store) : 0,
    trades: await countRows(market.scanTrades(CHAIN)),
    candles: await countRows(market.scanCandles(CHAIN)),
    balances,
    sumRaw: sumRaw.toString(),
  };
}

async function measureThreads(run: IngestRun): Promise<() => Promise<ThreadTimes>> {
  const before = readThreadMs();
  const serverMs = await readServerMs(run.store);
  return async () => {
    const after = readThreadMs();
    const spent = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    const [indexerMs, writerMs] = [spent('MainThread'), spent('WorkerThread')];
    const allMs = [...after.keys()].reduce((sum, name) => sum + spent(name), 0);
    const storeMs = writerMs + (await readServerMs(run.store)) - serverMs;
    return { indexerMs, storeMs, runtimeMs: allMs - indexerMs - writerMs };
  };
}

/** Far more than creating them takes. */
const WEBHOOKS_READY_MS = 120_000;

/** Told of each commit; the first one waits until the webhooks are there. */
function startWebhooks({ store, webhooks }: IngestRun) {
  if (webhooks === undefined) return null;
  const ready = new SharedArrayBuffer(4);
  const worker = new Worker(new URL('./webhook-thread.ts', import.meta.url), {
    // By this name its CPU is told from that of the store's thread.
    name: 'webhooks',
    workerData: { ...webhooks, file: store.target, ready },
  });
  return {
    tell: (event: Parameters<typeof encodeBatch>[0]) => {
      worker.postMessage(encodeBatch(event));
      // A thread that failed has only said so on the console.
      const state = Atomics.wait(new Int32Array(ready), 0, 0, WEBHOOKS_READY_MS);
      if (state === 'timed-out') throw new Error('the webhooks were not ready in time');
    },
    report: async () => {
      worker.postMessage('report');
      const [report] = await once(worker, 'message');
      return report as WebhookReport;
    },
  };
}

/** The alerts are dropped once they are stored: no indexer has them twice. */
async function index({ alerts, ...run }: IngestRun): Promise<IngestResult> {
  // As in the service, where it is no other than that of the store's thread.
  lowerThreadPriority();
  // The size of the young heap was that of this thread; the store's has limits of its own.
  setFlagsFromString('--max-semi-space-size=0');
  watchHeapGrowth();
  const store = await openBenchStore(run.store);
  if (alerts !== undefined) addAlerts(run.store, alerts.splice(0));
  const webhooks = startWebhooks(run);
  const arrived = Promise.withResolvers<number>();
  const log = {
    info: () => undefined,
    warn: (fields: object, message: string) => {
      const cause = 'err' in fields && fields.err instanceof Error ? fields.err.message : '';
      // A run with retries measures nothing.
      arrived.reject(new Error(`indexing was troubled: ${message} ${cause}`.trim()));
    },
  };
  const adapter = createEvmAdapter({
    chain: CHAIN,
    endpoints: [run.rpcUrl],
    deployment: DEPLOYMENT,
    clock: systemClock,
    random: Math.random,
    knownPools: (pools) => store.market.readPools(CHAIN, pools),
  });
  if (run.transferRows) {
    await createTransferTable(run.store);
    keepTransferRows(adapter, store);
  }
  const commits: { atMs: number; trades: number }[] = [];
  const indexer = new Indexer({
    ...DEFAULT_INDEXER_OPTIONS,
    adapter,
    store: store.market,
    startBlock: 0,
    clock: systemClock,
    sleep,
    random: Math.random,
    log,
    onCommitted: (event) => {
      const trades = (commits.at(-1)?.trades ?? 0) + event.trades.length;
      commits.push({ atMs: Date.now(), trades });
      webhooks?.tell(event);
      if (commits.length === 1) steadyFrom = process.cpuUsage();
      if (event.checkpoint.block === run.head) arrived.resolve(Date.now());
    },
  });
  const readThreads = await measureThreads(run);
  const cpuBefore = process.cpuUsage();
  let steadyFrom = cpuBefore;
  indexer.start();
  const endedAtMs = await arrived.promise;
  // Reading back the stored data must not count as indexing.
  const { user, system } = process.cpuUsage(cpuBefore);
  const steady = process.cpuUsage(steadyFrom);
  const report = (await webhooks?.report()) ?? null;
  const threads = await readThreads();
  const peakRssMiB = process.resourceUsage().maxRSS / 1024;
  await indexer.stop();
  const totals = await readTotals(run, store);
  await adapter.close();
  await store.close();
  const storedBytes = await readStoredBytes(run.store);
  const cpuMs = (user + system) / 1000;
  const steadyCpuMs = (steady.user + steady.system) / 1000;
  return {
    ...{ endedAtMs, cpuMs, steadyCpuMs, threads, peakRssMiB, commits, ...totals, storedBytes },
    webhooks: report,
  };
}

process.once('message', async (run: IngestRun) => {
  const result = await index(run);
  process.send?.(result, () => process.disconnect());
});
process.on('disconnect', () => process.exit(0));
