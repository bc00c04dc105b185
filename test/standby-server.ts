// A hot standby of a PostgreSQL server, made by the scripts that operators use (deploy/postgres).

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import {
  createServerFolder,
  findServerAccount,
  type PostgresServer,
  startInFolder,
} from './postgres.ts';

function readScript(name: string): string {
  return readFileSync(new URL(`../deploy/postgres/${name}`, import.meta.url), 'utf8');
}

interface Standby extends PostgresServer {
  /** What the first script added to the primary's rules of access. */
  readonly rules: string;
}

/** `programs` is the folder with `bin/`, `primaryUrl` has the rights of a superuser. */
export async function startStandby(options: {
  readonly programs: string;
  readonly primaryUrl: string;
}): Promise<Standby> {
  const primary = new URL(options.primaryUrl);
  const account = await findServerAccount();
  const folder = await createServerFolder(account);
  const path = `${join(options.programs, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  // With a character that has to be quoted.
  const secret = { REPLICATION_PASSWORD: `${randomBytes(12).toString('hex')}'` };
  await promisify(execFile)('/bin/sh', ['-c', readScript('allow-standby.sh')], {
    ...(account ?? {}),
    cwd: '/',
    env: {
      ...{ ...secret, PATH: path, PGDATA: folder },
      ...{ PGHOST: primary.hostname, PGPORT: primary.port, PGPASSWORD: primary.password },
      ...{ POSTGRES_USER: primary.username, POSTGRES_DB: primary.pathname.slice(1) },
    },
  });
  // A server of ours allows replication from this machine already.
  const rules = await readFile(join(folder, 'pg_hba.conf'), 'utf8');
  const server = await startInFolder({
    ...{ folder, binaries: options.programs, password: primary.password },
    command: ['/bin/sh', '-c', readScript('start-standby.sh'), 'start-standby', 'postgres'],
    account,
    env: {
      ...{ ...secret, PATH: path, PGDATA: join(folder, 'data') },
      ...{ PRIMARY_HOST: primary.hostname, PRIMARY_PORT: primary.port },
    },
  });
  const url = new URL(primary);
  url.port = new URL(server.url).port;
  return { ...server, url: url.href, rules };
}
