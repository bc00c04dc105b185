// Lists the processes of this machine, without needing `ps` on Linux, where slim images lack it.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface ProcessEntry {
  readonly pid: number;
  readonly groupId: number;
  /** The command line, its arguments separated by spaces; empty for a zombie. */
  readonly command: string;
}

/** Null when the process ended in the meantime. */
function readEntry(pid: number): ProcessEntry | null {
  try {
    // "pid (name) state parent group …": the name may contain spaces and brackets itself.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const groupId = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, groupId, command };
  } catch {
    return null;
  }
}

/** Of `ps -o pid=,pgid=,command=`. */
export function parseProcessLine(line: string): ProcessEntry | null {
  const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
  if (match === null) return null;
  return { pid: Number(match[1]), groupId: Number(match[2]), command: (match[3] ?? '').trim() };
}

export function listProcesses(): ProcessEntry[] {
  if (existsSync('/proc/self/stat')) {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => readEntry(Number(name)))
      .filter((entry) => entry !== null);
  }
  const args = ['-axww', '-o', 'pid=,pgid=,command='];
  const output = execFileSync('ps', args, { encoding: 'utf8', maxBuffer: 64_000_000 });
  return output
    .split('\n')
    .map(parseProcessLine)
    .filter((entry) => entry !== null);
}
