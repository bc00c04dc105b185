// Real faults below a store: full disks, damaged pages, servers that disappear.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, cpSync, fstatSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type ClientAnswer, createAccessClient } from './access-client.ts';
import {
  type Cleanup,
  createTempFolder,
  type RunningService,
  spawnService,
} from './start-service-process.ts';
import { createEvmWallet } from './wallets.ts';

/** A generous limit: a service that never reports the fault must fail the test. */
const UNTIL_MAX_MS = 120_000;

export interface SmallDisk {
  readonly folder: string;
  /** `tmpfs` is a separate disk; `limit` makes every write of the process fail instead. */
  readonly kind: 'tmpfs' | 'limit';
  fill(service: RunningService): void;
  free(service: RunningService): void;
}

const DISK_BYTES = 48 * 1024 ** 2;
const CHUNK = Buffer.alloc(256 * 1024);

function isMounted(folder: string): boolean {
  try {
    const size = `size=${DISK_BYTES}`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Writes ever smaller pieces until not one byte fits. */
function fillDisk(ballast: string): void {
  const file = openSync(ballast, 'a');
  try {
    for (let size = CHUNK.length; size >= 1; ) {
      try {
        writeSync(file, CHUNK, 0, size);
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}

function limitFiles(service: RunningService, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(service.child.pid), `--fsize=${bytes}:unlimited`]);
}

/** A small file system if mounting is allowed; otherwise a limit on what the process may write. */
export function createSmallDisk(t: Cleanup): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-disk-'));
  const isTmpfs = isMounted(folder);
  t.after(() => {
    // The service may still have files open.
    if (isTmpfs) execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  if (!isTmpfs) {
    return {
      folder,
      kind: 'limit',
      fill: (service) => limitFiles(service, '0'),
      free: (service) => limitFiles(service, 'unlimited'),
    };
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    kind: 'tmpfs',
    fill: () => fillDisk(ballast),
    free: () => rmSync(ballast),
  };
}

const SQLITE_PAGE_BYTES = 8192;

/** Overwrites every page but the first, which names the format; the database may be in use. */
function damagePages(path: string): void {
  // What is still in the log would be read from there.
  const database = new DatabaseSync(path, { timeout: 5000 });
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const file = openSync(path, 'r+');
  try {
    const { size } = fstatSync(file);
    const noise = Buffer.alloc(SQLITE_PAGE_BYTES, 0xa5);
    for (let at = SQLITE_PAGE_BYTES; at < size; at += SQLITE_PAGE_BYTES) {
      writeSync(file, noise, 0, noise.length, at);
    }
  } finally {
    closeSync(file);
  }
}

export interface CutProxy {
  /** The same URL, through the proxy. */
  readonly url: string;
  /** Closes every connection and accepts no more. */
  cut(): void;
  /** Keeps connections open and forwards nothing. */
  hang(): void;
  restore(): void;
}

/** A proxy between the service and its database, at the network's edge. */
export async function startCutProxy(t: Cleanup, target: string): Promise<CutProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'open' | 'cut' | 'hanging' = 'open';
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
      from.on('data', (bytes) => void to.write(bytes));
      if (state === 'hanging') from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    state = 'cut';
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  t.after(() => {
    cut();
    server.close();
  });
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut,
    hang: () => {
      state = 'hanging';
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    restore: () => {
      state = 'open';
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
  };
}

/** Polls `/ready` until it has the wanted status; returns its text. */
export async function untilReady(service: RunningService, wanted: 200 | 503): Promise<string> {
  const deadlineMs = Date.now() + UNTIL_MAX_MS;
  for (;;) {
    const response = await fetch(`${service.origin}/v1/ready`);
    const text = await response.text();
    if (response.status === wanted) return text;
    if (Date.now() > deadlineMs) {
      throw new Error(`/ready never was ${wanted}: ${text}\n${service.output().slice(-4000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Checks a response for the expected form of a store failure. */
export function assertUnavailable(answer: {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly code?: string };
}): void {
  assert.equal(answer.status, 503, JSON.stringify(answer.body));
  assert.equal(answer.body.code, 'UPSTREAM_UNAVAILABLE');
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
}

/** A request that writes to the store: the challenge before it needs no row. */
export async function askSignIn({ origin }: RunningService): Promise<ClientAnswer> {
  const wallet = createEvmWallet();
  const client = createAccessClient(origin);
  const { challengeId, message } = await client.challenge(wallet);
  const signature = await wallet.sign(message);
  const body = { challengeId, signature, transport: 'token' };
  return client.send('POST', '/auth/verify', { body });
}

/** A key to be issued while all is well. */
export async function issueFreshKey({ origin }: RunningService): Promise<string> {
  const client = createAccessClient(origin);
  const { token } = await client.signIn(createEvmWallet());
  return (await client.issueKey(token)).key;
}

export async function assertKeyWorks({ origin }: RunningService, key: string): Promise<void> {
  const answer = await createAccessClient(origin).send('GET', '/entitlements', { bearer: key });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.body['level'], 'key');
}

interface Damage {
  /** Of a service that is started here and stopped again. */
  readonly folder: string;
  /** The database in it whose pages are damaged while the service runs. */
  readonly file: 'access.sqlite' | 'market.sqlite';
  /** Starts a service on the folder and waits until it serves. */
  readonly start: () => Promise<RunningService>;
  /** Inspects the service once its pages are damaged. */
  readonly look: (service: RunningService, key: string) => Promise<void>;
}

/**
 * Damages a store under a running service: it is red, does not start again, and is healed by a
 * backup. Returns what `/ready` said, and the service that runs on the backup.
 */
export async function damageAndRestore(
  t: Cleanup,
  { folder, file, start, look }: Damage,
): Promise<{ readonly readyText: string; readonly service: RunningService }> {
  const first = await start();
  const key = await issueFreshKey(first);
  await assertStops(first);
  const backup = join(createTempFolder(t), 'backup');
  cpSync(folder, backup, { recursive: true });
  const second = await start();
  damagePages(join(folder, file));
  await look(second, key);
  const readyText = await untilReady(second, 503);
  assert.match(readyText, /store is damaged.*integrity_check.*backup/);
  await assertStops(second);
  const third = spawnService(t, { env: { DATA_DIR: folder } });
  assert.equal(await third.exited, 1, third.output());
  assert.match(third.output(), /mintwire: The start failed: The store is damaged/);
  rmSync(folder, { recursive: true });
  cpSync(backup, folder, { recursive: true });
  const service = await start();
  await assertKeyWorks(service, key);
  return { readyText, service };
}

/**
 * Fills the disk under a running service until it is red, and frees it again: what needs no write
 * works throughout, and the service recovers by itself. Returns what `/ready` said, and how soon.
 */
export async function fillAndFree(
  disk: SmallDisk,
  service: RunningService & { readonly key: string },
  steps: {
    /** Looks at the service while nothing can be written. */
    readonly look: () => Promise<void>;
    /** Waits until it works again. */
    readonly untilBack: () => Promise<unknown>;
  },
): Promise<{ readonly readyText: string; readonly redMs: number }> {
  disk.fill(service);
  const filledAtMs = performance.now();
  const readyText = await untilReady(service, 503);
  const redMs = Math.round(performance.now() - filledAtMs);
  assert.match(readyText, /disk is (full|failing)/);
  await steps.look();
  await assertKeyWorks(service, service.key);
  disk.free(service);
  await steps.untilBack();
  assert.equal((await askSignIn(service)).status, 200);
  await assertKeyWorks(service, service.key);
  await assertStops(service);
  return { readyText, redMs };
}

/** Stops the service as an operator does; whatever its store did, it ends in order. */
export async function assertStops(service: RunningService): Promise<void> {
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output().slice(-4000));
}
