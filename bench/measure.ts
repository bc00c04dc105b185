// Repetitions, medians and processes for the benchmarks.

import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { runLoad } from './load-client.ts';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Half the interquartile range, as a share of the median: on a shared machine the extremes of many
 * short turns are caused by others. For fewer than five values it is half the range.
 */
export function spread(values: readonly number[]): number {
  assert.ok(values.length >= 2, 'a spread needs what was measured at least twice');
  const sorted = [...values].sort((a, b) => a - b);
  // Rounded outwards, so that a few values do not look closer than they are.
  const low = sorted[Math.floor((sorted.length - 1) * 0.25)] ?? Number.NaN;
  const high = sorted[Math.ceil((sorted.length - 1) * 0.75)] ?? Number.NaN;
  return (high - low) / 2 / median(values);
}

export function formatMedian(values: readonly number[]): string {
  return Math.round(median(values)).toLocaleString('en');
}

/** Milliseconds of CPU used by the threads of a process; Linux only. */
export function readCpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  // The first field is nanoseconds of CPU; the ticks in `stat` are too coarse for short turns.
  const texts = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8'));
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
}

/**
 * How much time all cores had since the system began, and how much of it the host of a virtual
 * machine gave to others, in ticks; Linux only.
 */
export function readCoreTicks(): { readonly all: number; readonly stolen: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  // user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of the first two.
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  return { all: ticks.reduce((sum, one) => sum + one, 0), stolen: ticks[7] ?? 0 };
}

/** Milliseconds of CPU used by our own threads, by their names; Linux only. */
export function readThreadMs(): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const id of readdirSync('/proc/self/task')) {
    const name = readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim();
    const text = readFileSync(`/proc/self/task/${id}/schedstat`, 'utf8');
    sums.set(name, (sums.get(name) ?? 0) + Number(text.split(' ')[0]) / 1e6);
  }
  return sums;
}

/** A process and its children, which our service's workers are; Linux only. */
export function listTreePids(pid: number): readonly number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const texts = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/children`, 'utf8'));
  return [pid, ...texts.flatMap((text) => text.split(' ').filter(Boolean).map(Number))];
}

/** The same for its main thread only. */
export function readMainCpuMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

export interface Turn {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

export interface Comparison {
  readonly ours: readonly Turn[];
  readonly peer: readonly Turn[];
}

/** Alternates between two servers in many short turns, so that other load affects both alike. */
export async function takeTurns(
  servers: { readonly ours: StartedServer; readonly peer: StartedServer },
  load: { readonly path: string; readonly connections: number },
  options: { readonly turns: number; readonly turnMs: number; readonly warmMs: number },
): Promise<Comparison> {
  const take = async (server: StartedServer, durationMs: number): Promise<Turn> => {
    const beforeMs = readCpuMs(server.pid);
    const done = await runLoad({ ...load, port: server.port, durationMs });
    const cpuMicros = ((readCpuMs(server.pid) - beforeMs) * 1000) / done.requests;
    return { perSecond: done.requestsPerSecond, cpuMicros };
  };
  await take(servers.ours, options.warmMs);
  await take(servers.peer, options.warmMs);
  const turns: { ours: Turn; peer: Turn }[] = [];
  for (let turn = 0; turn < options.turns; turn += 1) {
    const peer = await take(servers.peer, options.turnMs);
    turns.push({ peer, ours: await take(servers.ours, options.turnMs) });
  }
  return { ours: turns.map(({ ours }) => ours), peer: turns.map(({ peer }) => peer) };
}

/** Our speed relative to the peer's, turn by turn. */
export function computeRatios({ ours, peer }: Comparison): number[] {
  return ours.map((turn, index) => turn.perSecond / (peer[index]?.perSecond ?? Number.NaN));
}

/** The ratio of CPU per request, as text. */
export function formatCpuNote({ ours, peer }: Comparison): string {
  const [own, other] = [ours, peer].map((turns) => median(turns.map((one) => one.cpuMicros)));
  if (own === undefined || other === undefined) return '';
  return `by CPU per request ${(other / own).toFixed(2)}: ${own.toFixed(0)} µs against ${other.toFixed(0)} µs`;
}

/** Megabytes of private memory of a process, without mapped files; Linux only. */
export function readOwnMb(pid: number): number {
  const kilobytes = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** Megabytes of a process as `ps` shows them, files that it maps included; Linux only. */
export function readResidentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** The most that it has had, files that it maps included; Linux only. */
export function readPeakMb(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

export interface StartedServer {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}

export interface ServeOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Arguments of the runtime: a profile, a limit. */
  readonly nodeArgs?: readonly string[];
}

/** Budgets of callers without credentials must not refuse what is measured. */
export const NO_LIMITS = {
  LIMIT_ANONYMOUS_PER_MINUTE: '1000000000',
  LIMIT_ANONYMOUS_BURST: '1000000000',
  LIMIT_IP_PER_MINUTE: '1000000000',
  LIMIT_ADDRESS_CONNECTIONS: '1000000000',
  LIMIT_IP_BURST: '1000000000',
};

/** Our service as a process, without effective limits; resolves when it serves. */
export function startOurs(options: ServeOptions): Promise<StartedServer> {
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), 'src/cli/main.ts', 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      METRICS_PORT: '0',
      DEVNET: 'off',
      ...NO_LIMITS,
      ...options.env,
    },
  });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < 10_000) output += text;
      const port = /serves on http:\/\/\S+:(\d+)\n/.exec(output)?.[1];
      if (port === undefined) return;
      resolve({
        child,
        pid: child.pid ?? 0,
        port: Number(port),
        stop: () => stopChild(child, 'SIGTERM'),
      });
    });
    child.once('exit', () => reject(new Error(`the service ended:\n${output}`)));
  });
}

/** Bare node:http that sends the given bytes with the given headers. */
export function startBare(answer: {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}): Promise<StartedServer> {
  const child = fork(new URL('./peers/bare-http.ts', import.meta.url));
  return new Promise((resolve) => {
    child.once('message', ({ port }: { port: number }) => {
      resolve({ child, pid: child.pid ?? 0, port, stop: () => stopChild(child, 'SIGKILL') });
    });
    child.send(answer);
  });
}
