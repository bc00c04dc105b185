// The indexer's thread: follows every chain with its own store connection, so that reads on the
// main thread never wait for it.

import { parentPort, workerData } from 'node:worker_threads';
import { createEndpointMemory } from '../chains/endpoint-memory.ts';
import type { ChainLog, ChainSource } from '../chains/family.ts';
import { openStore } from '../engines/open-store.ts';
import { systemClock } from '../lib/clock.ts';
import { keepTickShape } from '../lib/keep-tick-shape.ts';
import { lowerThreadPriority } from '../lib/lower-thread-priority.ts';
import { sleep } from '../lib/retry.ts';
import { encodeBatch, listTransferables } from '../live/encode-batch.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { MarketStore } from '../store/store.ts';
import { ChainRunner } from './chain-runner.ts';
import type { IndexerCommand, IndexerMessage, IndexerThreadInput } from './indexer-message.ts';
import { LeasedRunner } from './leased-runner.ts';

const REPORT_MS = 500;
/** There are hundreds of commits during backfill; a few reports a second are enough. */
const REPORT_THROTTLE_MS = 50;

function send(message: IndexerMessage, transferred: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transferred);
}

/** Errors lose their text when they are sent to another thread inside an object; this keeps it. */
function toPlainFields(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? { message: value.message, stack: value.stack } : value,
    ]),
  );
}

const log: ChainLog = {
  info: (fields, message) =>
    send({ type: 'log', level: 'info', fields: toPlainFields(fields), message }),
  warn: (fields, message) =>
    send({ type: 'log', level: 'warn', fields: toPlainFields(fields), message }),
};

lowerThreadPriority();
keepTickShape();
const input = workerData as IndexerThreadInput;
const store = await openStore(input.store, {
  isIndexing: true,
  onTiming: (operation, ms) => send({ type: 'timing', operation, ms }),
  onOutage: ({ fault, message }) => send({ type: 'storeFault', fault, message }),
});

let soon: NodeJS.Timeout | null = null;
function report(): void {
  if (soon) clearTimeout(soon);
  soon = null;
  send({ type: 'reports', reports: runners.flatMap(({ current }) => current?.report() ?? []) });
}

function createRunner(index: number, source: ChainSource, market: MarketStore): ChainRunner {
  return new ChainRunner({
    source,
    memory: input.memories[index] ?? createEndpointMemory(source.endpoints.length),
    store: { ...store, market },
    indexing: input.indexing,
    scope: input.scopes[source.chain] ?? null,
    rollbacksKeptMs: input.rollbacksKeptMs,
    log,
    onProgress: () => {
      soon ??= setTimeout(report, REPORT_THROTTLE_MS);
    },
    onCommitted: (event) => {
      const batch = encodeBatch(event);
      send({ type: 'committed', batch }, listTransferables(batch));
    },
  });
}

const runners = input.sources.map(
  (source, index) =>
    new LeasedRunner({
      ...{ chain: source.chain, node: input.node, lifeMs: input.leaseMs },
      ...{ store, clock: systemClock, sleep, log },
      createRunner: (market) => createRunner(index, source, market),
    }),
);
const timer = setInterval(report, REPORT_MS);
for (const runner of runners) runner.start();

async function stop(): Promise<void> {
  clearInterval(timer);
  await Promise.all(runners.map((runner) => runner.stop()));
  if (soon) clearTimeout(soon);
  await store.close();
  parentPort?.close();
}

/** Null if another process indexes the chain. */
function findRunner(slug: ChainSlug): ChainRunner | null {
  return runners.find(({ chain }) => chain === slug)?.current ?? null;
}

async function lookUp({ chain, token }: Extract<IndexerCommand, { type: 'lookUp' }>) {
  const outcome = (await findRunner(chain)?.lookUp(token)) ?? 'notReady';
  send({ type: 'lookedUp', chain, token, outcome });
}

let isStopping = false;
parentPort?.on('message', (command: IndexerCommand) => {
  if (command.type === 'adopt') {
    // Another process may be of a version that names no demand, or others.
    const demand = command.demand === 'awaited' ? 'awaited' : 'shown';
    findRunner(command.chain)?.adopt(command.pools, demand);
  } else if (command.type === 'backfill') {
    findRunner(command.chain)?.request(command.token, command.caller);
  } else if (command.type === 'lookUp') {
    void lookUp(command);
  } else if (command.type === 'stop' && !isStopping) {
    isStopping = true;
    void stop();
  }
});
