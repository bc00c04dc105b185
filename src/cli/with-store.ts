// Opens the store for an operator's command; a store problem is printed as one line, without a
// stack.

import { loadProcessConfig } from '../config.ts';
import { openStore } from '../engines/open-store.ts';
import type { MigrationProgress } from '../store/migrations/run-migrations.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { describeStartProblem } from './serve.ts';

/** Prints a problem with the settings or the store, and sets the exit code. */
export function reportProblem(error: unknown): void {
  const text = error instanceof StoreError ? error.message : describeStartProblem(error, null);
  console.error(`mintwire: ${text}`);
  process.exitCode = 1;
}

export function reportMigrating(progress: MigrationProgress): void {
  const { id, name, statement, statementCount } = progress;
  console.error(`mintwire: upgrading the store: ${id} ${name}, ${statement} of ${statementCount}`);
}

export async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  let store: Store;
  try {
    store = await openStore(loadProcessConfig().store, {
      onMigrating: reportMigrating,
    });
  } catch (error) {
    reportProblem(error);
    return;
  }
  try {
    await work(store);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    reportProblem(error);
  } finally {
    await store.close();
  }
}
