// The programs of a PostgreSQL that is installed on this machine: the package that most tests use
// has the server alone, without pg_dump, pg_basebackup and psql.

import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installPackage } from './install-package.ts';

const NEEDED = ['initdb', 'postgres', 'pg_basebackup', 'pg_dump', 'pg_restore', 'psql'];

/** Where packages put them: Debian, Red Hat, Homebrew on both processors. */
const USUAL_PLACES = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql@*/bin',
  '/usr/local/opt/postgresql@*/bin',
];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readMajor(folder: string): number {
  return Number(/(\d+)(?:\.\d+)*\/bin$/.exec(folder)?.[1] ?? 0);
}

/** The folder with `bin/`, the newest first; null if there is none. */
export function findPostgresPrograms(): string | null {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((one) => one !== '');
  const usual = globSync(USUAL_PLACES).sort((a, b) => readMajor(b) - readMajor(a));
  const found = [...usual, ...onPath].find((folder) =>
    NEEDED.every((name) => isExecutable(join(folder, name))),
  );
  return found === undefined ? null : dirname(found);
}

export function requirePostgresPrograms(): string {
  let programs = findPostgresPrograms();
  if (programs === null) {
    installPackage('postgresql');
    programs = findPostgresPrograms();
  }
  if (programs === null) {
    throw new Error(
      `${NEEDED.join(', ')} were not found. Install PostgreSQL: \`apt-get install postgresql\` or \`brew install postgresql@18\`.`,
    );
  }
  return programs;
}
