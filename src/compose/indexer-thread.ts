// The indexer's thread: follows every chain with its own store connection, so that reads on the
// main thread never wait for it.

import { parentPort, workerData } from 'node:worker_threads';
import { createEndpointMemory } from '../chains/endpoint-memory.ts';
import type { ChainLog } from '../chains/family.ts';
import { encodeBatch, listTransferables } from '../live/encode-batch.ts';
import type { ChainSlug } from '../model/chain.ts';
import { ChainRunner } from './chain-runner.ts';
import type { IndexerCommand, IndexerMessage, IndexerThreadInput } from './indexer-message.ts';
import { openStore } from './open-store.ts';

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

const input = workerData as IndexerThreadInput;
const store = await openStore(input.store, {
  onTiming: (operation, ms) => send({ type: 'timing', operation, ms }),
  onOutage: ({ fault, message }) => send({ type: 'storeFault', fault, message }),
});

let soon: NodeJS.Timeout | null = null;
function report(): void {
  if (soon) clearTimeout(soon);
  soon = null;
  send({ type: 'reports', reports: runners.map((runner) => runner.report()) });
}

const runners = input.sources.map(
  (source, index) =>
    new ChainRunner({
      source,
      memory: input.memories[index] ?? createEndpointMemory(source.endpoints.length),
      store,
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

async function lookUp({ chain, token }: Extract<IndexerCommand, { type: 'lookUp' }>) {
  const runner = runners.find((one) => one.chain === chain);
  const outcome = (await runner?.lookUp(token)) ?? 'notReady';
  send({ type: 'lookedUp', chain, token, outcome });
}

let isStopping = false;
parentPort?.on('message', (command: IndexerCommand) => {
  const findRunner = (slug: ChainSlug) => runners.find(({ chain }) => chain === slug);
  if (command.type === 'adopt') {
    findRunner(command.chain)?.adopt(command.pools);
  } else if (command.type === 'backfill') {
    for (const token of command.tokens) findRunner(command.chain)?.request(token);
  } else if (command.type === 'lookUp') {
    void lookUp(command);
  } else if (!isStopping) {
    isStopping = true;
    void stop();
  }
});
