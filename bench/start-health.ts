// From the command to the first answer of `/health`, and until everything can be answered.

import { spawn } from 'node:child_process';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../test/guarded-server.ts';
import { readCpuMs, readPeakMb, readResidentMb } from './measure.ts';

/** Since the command. */
interface Moment {
  readonly elapsedMs: number;
  /** Of all threads. */
  readonly cpuMs: number;
}

export interface WatchedStart {
  readonly health: Moment;
  /** Null if it was not waited for. */
  readonly ready: Moment | null;
  /** Once it is ready, files that it maps included, like the others. */
  readonly readyMb: number;
  /** Once everything is loaded and it rests; NaN if that was not waited for. */
  readonly settledMb: number;
  /** After the reads that were asked for then; NaN without any. */
  readonly readMb: number;
  /** The most at any moment. */
  readonly peakMb: number;
}

const LOOK_MS = 10;
/** A process rests if it uses less than this in each of some seconds in a row. */
const REST_CPU_MS = 150;
const REST_SECONDS = 3;
const LOOKS_MAX_MS = 300_000;

/** 0 without an answer. */
function readStatus(url: string): Promise<number> {
  return new Promise((resolve) => {
    const sent = get(url, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0));
  });
}

async function untilResting(pid: number): Promise<void> {
  for (let seconds = 0, beforeMs = readCpuMs(pid); seconds < REST_SECONDS; ) {
    await sleep(1000);
    const nowMs = readCpuMs(pid);
    seconds = nowMs - beforeMs < REST_CPU_MS ? seconds + 1 : 0;
    beforeMs = nowMs;
  }
}

async function readAll(port: number, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const status = await readStatus(`http://127.0.0.1:${port}${path}`);
    if (status !== 200) throw new Error(`${path}: ${status}`);
  }
}

interface WatchOptions {
  /** Whether to wait until everything is loaded. */
  readonly settles: boolean;
  /** What to read then. */
  readonly reads?: readonly string[];
}

/** Starts the service on a port that is known before, so that its first answer can be seen. */
export async function watchStart(
  env: Readonly<Record<string, string>>,
  readyPaths: readonly string[] | null,
  { settles, reads = [] }: WatchOptions = { settles: false },
): Promise<WatchedStart> {
  const port = await findFreePort();
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['src/cli/main.ts', 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PORT: String(port), METRICS_PORT: '0', LOG_LEVEL: 'error', ...env },
  });
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const pid = child.pid ?? 0;
  const untilAnswered = async (path: string): Promise<Moment> => {
    const url = `http://127.0.0.1:${port}${path}`;
    while ((await readStatus(url)) !== 200) {
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
      if (performance.now() - startedMs > LOOKS_MAX_MS) throw new Error(`${path}: no answer`);
      await sleep(LOOK_MS);
    }
    return { elapsedMs: performance.now() - startedMs, cpuMs: readCpuMs(pid) };
  };
  try {
    const health = await untilAnswered('/v1/health');
    let ready: Moment | null = null;
    for (const path of readyPaths ?? []) ready = await untilAnswered(path);
    const readyMb = readResidentMb(pid);
    if (settles) await untilResting(pid);
    const settledMb = settles ? readResidentMb(pid) : Number.NaN;
    await readAll(port, reads);
    const readMb = reads.length > 0 ? readResidentMb(pid) : Number.NaN;
    return { health, ready, readyMb, settledMb, readMb, peakMb: readPeakMb(pid) };
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}
