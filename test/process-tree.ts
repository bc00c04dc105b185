// The processes below a process, and their end: what a test started must not outlive it.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly command: string;
}

/** Time for guards, which end when their parent does, to clean up by themselves. */
const GRACE_MS = 5000;

function readLinux(): ProcessEntry[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // The name in parentheses may hold spaces; the fields after it are plain.
      const [, parent = ''] = /\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return [{ pid: Number(name), parentPid: Number(parent), command }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

/** Of every process that we may see. */
export function readProcesses(): ProcessEntry[] {
  if (process.platform === 'linux') return readLinux();
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return lines.split('\n').flatMap((line) => {
    const [, pid, parentPid, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parentPid: Number(parentPid), command }];
  });
}

/** A process and all that it started, directly or not. */
export function findTree(rootPid: number, processes = readProcesses()): ProcessEntry[] {
  const tree = processes.filter(({ pid }) => pid === rootPid);
  for (const parent of tree) {
    tree.push(...processes.filter(({ parentPid }) => parentPid === parent.pid));
  }
  return tree;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Ends a process, and after a while whatever it started and left behind. */
export async function killTree(rootPid: number, graceMs = GRACE_MS): Promise<void> {
  const tree = findTree(rootPid);
  kill(rootPid);
  await sleep(graceMs);
  const alive = new Map(readProcesses().map((one) => [one.pid, one.command]));
  for (const { pid, command } of tree) {
    // A number may belong to another process by now.
    if (alive.get(pid) === command) kill(pid);
  }
}
