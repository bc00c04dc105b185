// Makes sure that one node at a time uses a folder, and tells whether the last one saved its state.

import { existsSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeJsonAtomically } from './deployment.ts';

/** The node's guard removes the file once the state is saved, so one that is left means loss. */
export function toLeasePath(stateFile: string): string {
  return `${stateFile}.running`;
}

export function toStatePath(dataDir: string): string {
  return join(dataDir, 'state.json');
}

interface Lease {
  readonly guardPid: number;
}

function isGuardAlive(guardPid: number, stateFile: string): boolean {
  try {
    process.kill(guardPid, 0);
    // After a reboot the number may be anybody's; the guard's command line names the state file.
    const isLinux = existsSync('/proc/self');
    return !isLinux || readFileSync(`/proc/${guardPid}/cmdline`, 'utf8').includes(stateFile);
  } catch {
    return false;
  }
}

async function readLease(stateFile: string): Promise<Lease | null> {
  try {
    return JSON.parse(await readFile(toLeasePath(stateFile), 'utf8')) as Lease;
  } catch {
    return null;
  }
}

/**
 * Waits for a predecessor that is still saving its state. Returns whether the state on disk is the
 * last one: false when the node was killed before it could save.
 */
export async function waitForFolder(stateFile: string, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const lease = await readLease(stateFile);
    if (lease === null) return true;
    if (!isGuardAlive(lease.guardPid, stateFile)) {
      // The guard may have finished between the two looks.
      return (await readLease(stateFile)) === null;
    }
    if (Date.now() > deadline) {
      throw new Error(`another devnet (process ${lease.guardPid}) is using ${stateFile}`);
    }
    await sleep(50);
  }
}

export async function writeLease(stateFile: string, guardPid: number): Promise<void> {
  await writeJsonAtomically(toLeasePath(stateFile), { guardPid } satisfies Lease);
}

export async function clearLease(stateFile: string): Promise<void> {
  await rm(toLeasePath(stateFile), { force: true });
}
