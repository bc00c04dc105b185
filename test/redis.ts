// A real Redis or Valkey for the tests: the one on the path, or installed where that is allowed.

import { type ChildProcess, execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient } from '@redis/client';
import { findFreePort, spawnGuarded, stopGuarded } from './guarded-server.ts';
import { installPackage } from './install-package.ts';

const execFileAsync = promisify(execFile);

const PROGRAMS = ['redis-server', 'valkey-server'] as const;
const PACKAGES = 'redis-server (Debian, Ubuntu), redis (Homebrew, Fedora, Alpine) or valkey';
const READY_TIMEOUT_MS = 30_000;

interface RedisServer {
  readonly url: string;
  stop(): Promise<void>;
  /** Starts it again at the same port, without data. */
  start(): Promise<void>;
}

export async function startRedis(): Promise<RedisServer> {
  const program = await findProgram();
  const port = await findFreePort();
  const url = `redis://127.0.0.1:${port}`;
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', ''];
  let guard: ChildProcess | null = null;
  const start = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mintwire-redis-'));
    guard = spawnGuarded({ folder, command: [program, ...settings, '--dir', folder] });
    await waitUntilReady(url, guard);
  };
  await start();
  return { url, start, stop: async () => void (guard && (await stopGuarded(guard))) };
}

async function findProgram(): Promise<string> {
  const found = await findOnPath();
  if (found !== null) return found;
  installPackage('redis-server');
  const installed = await findOnPath();
  if (installed !== null) return installed;
  throw new Error(`These tests need ${PROGRAMS.join(' or ')} on the path: install ${PACKAGES}`);
}

async function findOnPath(): Promise<string | null> {
  for (const program of PROGRAMS) if (await answers(program)) return program;
  return null;
}

async function answers(program: string): Promise<boolean> {
  try {
    await execFileAsync(program, ['--version']);
    return true;
  } catch {
    return false;
  }
}

async function waitUntilReady(url: string, server: ChildProcess): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const client = createClient({ url, socket: { reconnectStrategy: false } });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.ping();
      client.destroy();
      return;
    } catch (error) {
      if (server.exitCode !== null || performance.now() > deadline) {
        throw new Error('Redis did not start', { cause: error });
      }
    }
    await sleep(20);
  }
}
