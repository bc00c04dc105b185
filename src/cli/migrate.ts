// `mintwire migrate`: brings the store to this version, without serving.

import { openStore } from '../compose/open-store.ts';
import { loadProcessConfig } from '../config.ts';
import { readCommand } from './read-command.ts';
import { reportMigrating, reportProblem } from './with-store.ts';

const FORM = {
  name: 'npx mintwire migrate',
  help: `usage: npx mintwire migrate

Brings the store to this version, as the first start of a service does otherwise, however long it
takes. With MIGRATE=off services leave that to this command.
`,
  flags: {},
};

export async function migrate(typed: readonly string[]): Promise<void> {
  if (readCommand(typed, FORM) === null) return;
  let count = 0;
  try {
    const store = await openStore(loadProcessConfig().store, {
      onMigrating: reportMigrating,
      onMigrated: (name) => {
        count += 1;
        console.log(`migrated: ${name}`);
      },
    });
    await store.close();
  } catch (error) {
    reportProblem(error);
    return;
  }
  console.log(count === 0 ? 'The store is up to date.' : `${count} migrations were run.`);
}
