// Repetition, medians and processes for the measurements.

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Half the distance between the extremes, as a share of the median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / 2 / median(values);
}

/** Milliseconds of CPU, user and system, that a process has used; Linux only. */
export function readCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // The kernel counts in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Megabytes of memory that a process has of its own, mapped files aside; Linux only. */
export function readOwnMb(pid: number): number {
  const kilobytes = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

export interface StartedServer {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

function toStopped(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}

export interface ServeOptions {
  readonly env: Readonly<Record<string, string>>;
  /** For the runtime itself: a profile, a bound. */
  readonly nodeArgs?: readonly string[];
}

/** Our service as a process, with limits out of the way; resolves when it says it serves. */
export function startOurs(options: ServeOptions): Promise<StartedServer> {
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), 'src/cli/main.ts', 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      METRICS_PORT: '0',
      DEVNET: 'off',
      LIMIT_ANONYMOUS_PER_MINUTE: '1000000000',
      LIMIT_ANONYMOUS_BURST: '1000000000',
      LIMIT_IP_PER_MINUTE: '1000000000',
      LIMIT_IP_BURST: '1000000000',
      ...options.env,
    },
  });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < 10_000) output += text;
      const port = /serves on http:\/\/\S+:(\d+)\/v1/.exec(output)?.[1];
      if (port === undefined) return;
      resolve({
        child,
        pid: child.pid ?? 0,
        port: Number(port),
        stop: () => toStopped(child, 'SIGTERM'),
      });
    });
    child.once('exit', () => reject(new Error(`the service ended:\n${output}`)));
  });
}

/** Bare node:http that answers the given bytes with the given headers. */
export function startBare(answer: {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}): Promise<StartedServer> {
  const child = fork(new URL('./peers/bare-http.ts', import.meta.url));
  return new Promise((resolve) => {
    child.once('message', ({ port }: { port: number }) => {
      resolve({ child, pid: child.pid ?? 0, port, stop: () => toStopped(child, 'SIGKILL') });
    });
    child.send(answer);
  });
}
