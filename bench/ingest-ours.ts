// One run of our indexer over a recorded chain, timed and checked.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { ALLOCATOR, NO_LOOP_FLAG } from '../src/cli/set-memory-limits.ts';
import type { AlertRecord } from '../src/model/alert.ts';
import { INDEXER_HEAP } from '../src/runtime/indexer-heap.ts';
import type { Store } from '../src/store/store.ts';
import { createStorePlace } from './ingest-store.ts';
import type { IngestResult, IngestRun } from './ingest-worker.ts';
import type { RecordedChain } from './recorded-chain-process.ts';
import type { Row } from './row.ts';
import type { WebhookLoad } from './webhook-thread.ts';

export interface Timing {
  /** From the first request for logs to the last commit. */
  readonly elapsedMs: number;
  readonly cpuMs: number;
  readonly peakRssMiB: number;
}

export interface OursTiming extends Timing {
  readonly result: IngestResult;
  readonly serverCpuMs: number;
}

export interface IngestPart {
  readonly rows: readonly Row[];
  /** Runs without extra transfer rows. */
  readonly timings: readonly OursTiming[];
}

async function runWorker(run: IngestRun, nodeArgs: readonly string[]): Promise<IngestResult> {
  // Those of the service's indexing thread.
  const { maxYoungGenerationSizeMb: youngMb, maxOldGenerationSizeMb: oldMb } = INDEXER_HEAP;
  const limits = [
    NO_LOOP_FLAG,
    `--max-semi-space-size=${youngMb / 3}`,
    `--max-old-space-size=${oldMb}`,
  ];
  const execArgv = [...limits, ...nodeArgs];
  const env = { ...process.env, ...ALLOCATOR };
  const child = fork(new URL('./ingest-worker.ts', import.meta.url), { execArgv, env });
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the indexer's process ended with ${code}`);
  });
  exited.catch(() => undefined);
  child.send(run);
  const left = once(child, 'exit');
  const [result] = await Promise.race([once(child, 'message'), exited]);
  // A profile is complete only when the process has ended.
  if (nodeArgs.length > 0) await left;
  return result as IngestResult;
}

export async function timeOurs(
  chain: RecordedChain,
  options: {
    readonly engine: Store['engine'];
    readonly transferRows: boolean;
    readonly nodeArgs?: readonly string[];
    readonly alerts?: AlertRecord[];
    readonly webhooks?: WebhookLoad;
  },
): Promise<OursTiming> {
  const place = await createStorePlace(options.engine);
  try {
    await chain.report();
    const result = await runWorker(
      {
        rpcUrl: chain.url,
        head: chain.head,
        store: place.address,
        transferRows: options.transferRows,
        ...(options.alerts === undefined ? {} : { alerts: options.alerts }),
        ...(options.webhooks === undefined ? {} : { webhooks: options.webhooks }),
      },
      options.nodeArgs ?? [],
    );
    const { firstLogsAtMs, cpuMs: serverCpuMs } = await chain.report();
    const { balances, sumRaw, cpuMs, peakRssMiB } = result;
    if (balances !== chain.totals.balances || sumRaw !== chain.totals.sumRaw) {
      throw new Error(`our balances are not the chain's: ${balances} with a sum of ${sumRaw}`);
    }
    if (options.transferRows && result.transfers !== chain.logs) {
      throw new Error(`${result.transfers} transfers were kept of ${chain.logs}`);
    }
    const elapsedMs = result.endedAtMs - (firstLogsAtMs ?? 0);
    return { elapsedMs, cpuMs, peakRssMiB, result, serverCpuMs };
  } finally {
    await place.remove();
  }
}

export function perSecond(count: number, timing: Pick<Timing, 'elapsedMs'>): number {
  return (count * 1000) / timing.elapsedMs;
}
