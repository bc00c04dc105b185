// A store problem is reported to an operator in one line, with exit code 1 and no stack.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { BARE_ENV } from '../../test/bare-env.ts';

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  keys: ['keys', 'list', '--wallet', 'x'],
  pause: ['pause', 'list'],
};

function run(dataDir: string, typed: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['src/cli/main.ts', ...typed], {
    env: { ...BARE_ENV, DATA_DIR: dataDir },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-store-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a store, then drops its tables, so that statements fail. */
function createEmptied(folder: string): void {
  execFileSync(process.execPath, ['src/cli/main.ts', 'pause', 'list'], {
    env: { ...BARE_ENV, DATA_DIR: folder },
  });
  for (const [file, table] of [
    ['access.sqlite', 'access_wallets'],
    ['market.sqlite', 'token_pauses'],
  ] as const) {
    const database = new DatabaseSync(join(folder, file));
    database.exec(`PRAGMA foreign_keys = OFF; DROP TABLE ${table}`);
    database.close();
  }
}

const FAULTS: Readonly<Record<string, { make(folder: string): string; says: RegExp }>> = {
  'files that are no database': {
    make: (folder) => {
      writeFileSync(join(folder, 'market.sqlite'), 'no database '.repeat(500));
      return folder;
    },
    says: /^mintwire: The store is damaged\. .*docs\/store\.md\. \(file is not a database\)\n$/,
  },
  'a file where its folder should be': {
    make: (folder) => {
      writeFileSync(join(folder, 'file'), '');
      return join(folder, 'file');
    },
    says: /^mintwire: No permission for .*See DATA_DIR and PORT\.\n$/,
  },
  'a statement that fails': {
    make: (folder) => {
      createEmptied(folder);
      return folder;
    },
    says: /^mintwire: The store rejected a statement, which is a bug\. \(no such table: \w+\)\n$/,
  },
};

for (const [name, typed] of Object.entries(COMMANDS)) {
  describe(`${name} on a store with a fault`, () => {
    for (const [fault, { make, says }] of Object.entries(FAULTS)) {
      test(`${fault}: one line and exit code 1`, (t) => {
        const { status, stdout, stderr } = run(make(createFolder(t)), typed);
        assert.match(stderr, says);
        assert.deepEqual([status, stdout], [1, '']);
      });
    }
  });
}
