// Opens the store for an operator's command; a store problem is printed as one line, without a
// stack.

import { type Config, loadProcessConfig } from '../config.ts';
import { openStore } from '../engines/open-store.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { MigrationProgress } from '../store/migrations/run-migrations.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { refuseCommand } from './read-command.ts';
import { describeStartProblem } from './serve.ts';

// The chain that a command names, built in or from the operator's file.

/** The settings; null if an error was printed. */
export function readSettings(): Config | null {
  try {
    return loadProcessConfig();
  } catch (error) {
    console.error(`mintwire: ${describeStartProblem(error, null)}`);
    process.exitCode = 1;
    return null;
  }
}

/** Null if an error was printed. */
export function readChain(
  form: Parameters<typeof refuseCommand>[0],
  text: string | undefined,
): ChainSlug | null {
  if (text === undefined) return refuseCommand(form, '--chain is missing');
  const chains = readSettings()?.knownChains;
  if (chains === undefined) return null;
  const known = chains.slugs.join(', ');
  return chains.find(text)?.slug ?? refuseCommand(form, `no chain "${text}"; known: ${known}`);
}

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
