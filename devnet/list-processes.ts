// Lists the processes of this machine, on Linux without `ps`, which slim images lack.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** The command line, its arguments separated by spaces; empty for a zombie. */
  readonly command: string;
}

/** Null if the process ended in the meantime. */
function readEntry(pid: number): ProcessEntry | null {
  try {
    // "pid (name) state parent group …": the name may contain spaces and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parentPid, groupId] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parentPid: Number(parentPid), groupId: Number(groupId), command };
  } catch {
    return null;
  }
}

/** Of `ps -o pid=,ppid=,pgid=,command=`. */
export function parseProcessLine(line: string): ProcessEntry | null {
  const [, pid, parentPid, groupId, command = ''] =
    /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
  if (pid === undefined) return null;
  return {
    pid: Number(pid),
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    command: command.trim(),
  };
}

export function listProcesses(): ProcessEntry[] {
  if (existsSync('/proc/self/stat')) {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => readEntry(Number(name)))
      .filter((entry) => entry !== null);
  }
  const args = ['-axww', '-o', 'pid=,ppid=,pgid=,command='];
  const output = execFileSync('ps', args, { encoding: 'utf8', maxBuffer: 64_000_000 });
  return output
    .split('\n')
    .map(parseProcessLine)
    .filter((entry) => entry !== null);
}
