// Kills parts of a service with its embedded chain at random moments, repeatedly, while traders
// trade; in the end nothing may be left running and the index must equal the chain.

import assert from 'node:assert/strict';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { buildLeasePath, buildStatePath, findNodeProcesses } from '../devnet/folder-lease.ts';
import { createJsonRpc } from '../devnet/json-rpc.ts';
import { assertVerified, stopService } from './indexed-service.ts';
import type { Engine } from './indexing-scene.ts';
import { createTestDatabase } from './postgres.ts';
import {
  type Cleanup,
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from './start-service-process.ts';

const VICTIMS = ['service', 'devnet', 'node', 'guard', 'everything'] as const;
type Victim = (typeof VICTIMS)[number];

/** The index is compared with the chain after this many kills, and at the end. */
const KILLS_PER_CHECK = 10;
/** A generous limit: a stuck service must fail the drill, not hang it. */
const READY_MAX_MS = 300_000;

export interface DevnetKillsOptions {
  readonly engine: Engine;
  readonly count: number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  readonly onKill: (killed: number, victim: Victim) => void;
  /** Called when the index was equal to the chain after this many kills. */
  readonly onVerified: (killed: number) => void;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function untilReady(service: RunningService): Promise<void> {
  const deadline = Date.now() + READY_MAX_MS;
  for (;;) {
    const ready = await fetch(`${service.origin}/v1/ready`);
    if (ready.status === 200) return;
    if (Date.now() > deadline) {
      const why = await ready.text();
      throw new Error(`the service is not ready: ${why}\n${service.output().slice(-4000)}`);
    }
    await sleep(100);
  }
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined && pid > 0) process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** None while the devnet is between two runs. */
function findOwnerPid(stateFile: string): number | undefined {
  try {
    return JSON.parse(readFileSync(buildLeasePath(stateFile), 'utf8')).ownerPid;
  } catch {
    return undefined;
  }
}

function killVictim(victim: Victim, service: RunningService, stateFile: string): void {
  const nodes = findNodeProcesses(stateFile);
  const isGuard = (one: (typeof nodes)[number]) => one.pid === one.groupId;
  if (victim === 'service' || victim === 'everything') kill(service.child.pid);
  if (victim === 'devnet' || victim === 'everything') kill(findOwnerPid(stateFile));
  for (const one of nodes) {
    const isShell = one.command.startsWith('/bin/sh');
    if (victim === 'everything') kill(one.pid);
    if (victim === 'guard' && isGuard(one)) kill(one.pid);
    if (victim === 'node' && !isShell) kill(one.pid);
  }
}

/** A new index begins with block 0, and block 1 must link to it. */
async function assertGenesisKept(folder: string): Promise<void> {
  const file = join(folder, 'devnet', 'deployment.json');
  const rpc = createJsonRpc(JSON.parse(readFileSync(file, 'utf8')).rpcUrl);
  const read = (tag: string) =>
    rpc.call<{ hash: string; parentHash: string }>('eth_getBlockByNumber', tag, false);
  try {
    assert.equal((await read('0x1')).parentHash, (await read('0x0')).hash);
  } finally {
    rpc.close();
  }
}

async function createEnv(t: Cleanup, engine: Engine): Promise<Record<string, string>> {
  const folder = realpathSync(createTempFolder(t));
  const env = { DEVNET: 'auto', DATA_DIR: folder };
  if (engine === 'sqlite') return env;
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const KEY_PEPPER = `1:${Buffer.alloc(32, 7).toString('base64')}`;
  return { ...env, DATABASE_URL: database.url, KEY_PEPPER };
}

/** Returns the last output of `verify`. */
export async function runDevnetKills(t: Cleanup, options: DevnetKillsOptions): Promise<string> {
  const { random, count } = options;
  const env = await createEnv(t, options.engine);
  const folder = env['DATA_DIR'] ?? '';
  const stateFile = buildStatePath(join(folder, 'devnet'));
  let verified = '';
  let service = await startServiceProcess(t, { env });
  await untilReady(service);
  await stopService(service);
  service = await startServiceProcess(t, { env });
  for (let killed = 1; killed <= count; killed += 1) {
    // Usually a running one, sometimes one that is only starting.
    if (random() < 0.7) await untilReady(service);
    await sleep(random() * 3_000);
    const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] ?? 'service';
    killVictim(victim, service, stateFile);
    if (victim === 'service' || victim === 'everything') {
      await service.exited;
      service = await startServiceProcess(t, { env });
    }
    options.onKill(killed, victim);
    if (killed % KILLS_PER_CHECK !== 0 && killed !== count) continue;
    await untilReady(service);
    await assertGenesisKept(folder);
    verified = await assertVerified(env);
    options.onVerified(killed);
  }
  await stopService(service);
  assert.deepEqual(findNodeProcesses(stateFile), [], 'a node outlived the service');
  return verified;
}
