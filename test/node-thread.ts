// A thread that asks a chain's nodes on command, as the indexer's thread does.

import { parentPort, workerData } from 'node:worker_threads';
import type { SharedEndpoints } from '../src/chains/endpoint-memory.ts';
import type { ChainSource } from '../src/chains/family.ts';
import { requireMarkets } from '../src/engines/chain-families.ts';
import { systemClock } from '../src/lib/clock.ts';

export interface NodeThreadInput {
  readonly source: ChainSource;
  readonly shared: SharedEndpoints;
}

const { source, shared } = workerData as NodeThreadInput;
const log = { info: () => undefined, warn: () => undefined };
const nodes = requireMarkets(source.chain).open(source, { clock: systemClock, log, shared });

/** Answers with what became of so many requests at once. */
parentPort?.on('message', async (count: number) => {
  const asked = Array.from({ length: count }, () =>
    nodes.transactions.readHead().then(String, (error: Error) => error.message),
  );
  parentPort?.postMessage(await Promise.all(asked));
});
parentPort?.postMessage('ready');
