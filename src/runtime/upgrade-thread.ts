// The entry of a thread that upgrades a store, reports its progress, and ends.

import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { openStore } from '../engines/open-store.ts';

const store = await openStore(workerData as Config['store'], {
  onMigrating: (progress) => parentPort?.postMessage(progress),
});
await store.close();
