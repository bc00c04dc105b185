// The processes below a process, and how to end them: what a test started must not outlive it.

import { setTimeout as sleep } from 'node:timers/promises';
import { listProcesses, type ProcessEntry } from '../devnet/list-processes.ts';

/** Time for guards, which end with their parent, to clean up. */
const GRACE_MS = 5000;

/** A process and all that it started, directly or not. */
export function findTree(rootPid: number, processes = listProcesses()): ProcessEntry[] {
  const tree = processes.filter(({ pid }) => pid === rootPid);
  for (const parent of tree) {
    tree.push(...processes.filter(({ parentPid }) => parentPid === parent.pid));
  }
  return tree;
}

function signal(pid: number, name: 'SIGKILL' | 'SIGSTOP'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended already.
  }
}

/** Ends a process at once, and after a while whatever it started and left behind. */
export async function killTree(rootPid: number, graceMs = GRACE_MS): Promise<void> {
  // First, so that it starts nothing while we look.
  signal(rootPid, 'SIGSTOP');
  const tree = findTree(rootPid);
  signal(rootPid, 'SIGKILL');
  await sleep(graceMs);
  const alive = new Map(listProcesses().map((one) => [one.pid, one.command]));
  for (const { pid, command } of tree) {
    // A number may belong to another process by now.
    if (alive.get(pid) === command) signal(pid, 'SIGKILL');
  }
}
