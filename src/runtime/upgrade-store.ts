// Upgrades an SQLite store in a thread of its own, so that this one answers `/health` meanwhile.

import { Worker } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { blocksToUpgrade } from '../engines/open-store.ts';
import { YOUNG_HEAP } from '../lib/thread-heap.ts';
import type { MigrationProgress } from '../store/migrations/run-migrations.ts';

/**
 * Does nothing if the store is up to date. An upgrade that fails is left to the opening of the
 * store, which then fails in the same way, and says why.
 */
export async function upgradeStore(
  config: Config['store'],
  on: {
    readonly onBegin: () => void;
    readonly onMigrating: (progress: MigrationProgress) => void;
    readonly onEnd: () => void;
  },
): Promise<void> {
  if (!blocksToUpgrade(config)) return;
  on.onBegin();
  const worker = new Worker(new URL('./upgrade-thread.ts', import.meta.url), {
    workerData: config,
    resourceLimits: YOUNG_HEAP,
  });
  worker.on('message', on.onMigrating);
  await new Promise<void>((resolve) => {
    worker.once('error', () => resolve());
    worker.once('exit', () => resolve());
  });
  on.onEnd();
}
