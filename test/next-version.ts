// A copy of this version with one more migration, which only adds: the version after it.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Cleanup, createTempFolder } from './start-service-process.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COPIED = ['src', 'test', 'devnet', 'docs', 'package.json', 'tsconfig.json'];
const LISTS = ['sqlite/sqlite-migrations.ts', 'postgres/postgres-migrations.ts'];

const MIGRATION = `  {
    id: NEWEST,
    name: 'next-version',
    isAdditive: true,
    sql:
      'CREATE TABLE next_version (n BIGINT PRIMARY KEY);' +
      'CREATE INDEX next_trades ON trades (chain, block);',
  },
];`;

/** Returns the folder of the next version. */
export function createNextVersion(t: Cleanup): string {
  const folder = createTempFolder(t);
  for (const one of COPIED) cpSync(join(ROOT, one), join(folder, one), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const list of LISTS) {
    const file = join(folder, 'src/store', list);
    const text = readFileSync(file, 'utf8');
    // The market's list comes first.
    const end = text.indexOf('\n];') + 1;
    const newest = (text.slice(0, end).match(/\bid: \d/g) ?? assert.fail()).length + 1;
    const added = MIGRATION.replace('NEWEST', String(newest));
    writeFileSync(file, text.slice(0, end) + added + text.slice(end + '];'.length));
  }
  return folder;
}
