// Kills parts of a service with its embedded chain at random moments, repeatedly, while traders
// trade; in the end nothing may be left running and the index must equal the chain.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildLeasePath, buildStatePath, findNodeProcesses } from '../devnet/folder-lease.ts';
import { createJsonRpc } from '../devnet/json-rpc.ts';
import { createKillEnv, killProcess, untilServiceReady } from './drill/kill-scene.ts';
import { assertVerified, stopService } from './indexed-service.ts';
import type { Engine } from './indexing-scene.ts';
import { type Cleanup, type RunningService, startServiceProcess } from './start-service-process.ts';

const VICTIMS = ['service', 'devnet', 'node', 'guard', 'everything'] as const;
type Victim = (typeof VICTIMS)[number];

/** The index is compared with the chain after this many kills, and at the end. */
const KILLS_PER_CHECK = 10;

export interface DevnetKillsOptions {
  readonly engine: Engine;
  readonly count: number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  readonly onKill: (killed: number, victim: Victim) => void;
  /** Called when the index was equal to the chain after this many kills. */
  readonly onVerified: (killed: number) => void;
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
  if (victim === 'service' || victim === 'everything') killProcess(service.child.pid);
  if (victim === 'devnet' || victim === 'everything') killProcess(findOwnerPid(stateFile));
  for (const one of nodes) {
    const isShell = one.command.startsWith('/bin/sh');
    if (victim === 'everything') killProcess(one.pid);
    if (victim === 'guard' && isGuard(one)) killProcess(one.pid);
    if (victim === 'node' && !isShell) killProcess(one.pid);
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

/** Returns the last output of `verify`. */
export async function runDevnetKills(t: Cleanup, options: DevnetKillsOptions): Promise<string> {
  const { random, count } = options;
  const env = await createKillEnv(t, options.engine, { DEVNET: 'auto' });
  const folder = env['DATA_DIR'] ?? '';
  const stateFile = buildStatePath(join(folder, 'devnet'));
  let verified = '';
  let service = await startServiceProcess(t, { env });
  await untilServiceReady(service);
  await stopService(service);
  service = await startServiceProcess(t, { env });
  for (let killed = 1; killed <= count; killed += 1) {
    // Usually a running one, sometimes one that is only starting.
    if (random() < 0.7) await untilServiceReady(service);
    await sleep(random() * 3_000);
    const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] ?? 'service';
    killVictim(victim, service, stateFile);
    if (victim === 'service' || victim === 'everything') {
      await service.exited;
      service = await startServiceProcess(t, { env });
    }
    options.onKill(killed, victim);
    if (killed % KILLS_PER_CHECK !== 0 && killed !== count) continue;
    await untilServiceReady(service);
    await assertGenesisKept(folder);
    verified = await assertVerified(env);
    options.onVerified(killed);
  }
  await stopService(service);
  assert.deepEqual(findNodeProcesses(stateFile), [], 'a node outlived the service');
  return verified;
}
