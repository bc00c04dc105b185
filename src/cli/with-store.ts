// Opens the store for an operator's command; a store problem is printed as one line, without a
// stack.

import { openStore } from '../compose/open-store.ts';
import { loadProcessConfig } from '../config.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { describeStartProblem } from './serve.ts';

function report(error: unknown): void {
  const text = error instanceof StoreError ? error.message : describeStartProblem(error, null);
  console.error(`mintwire: ${text}`);
  process.exitCode = 1;
}

export async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  let store: Store;
  try {
    store = await openStore(loadProcessConfig().store);
  } catch (error) {
    report(error);
    return;
  }
  try {
    await work(store);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    report(error);
  } finally {
    await store.close();
  }
}
