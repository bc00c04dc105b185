// Runs Ponder over a recorded chain, with an empty cache, until it reports that it is ready.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCpuMs } from '../../measure.ts';
import { installPonder } from './install-ponder.ts';

export interface PonderRun {
  readonly rpcUrls: readonly string[];
  readonly tokens: readonly string[];
  /** PostgreSQL; without it the embedded PGlite. */
  readonly databaseUrl?: string;
  readonly timeoutMs: number;
}

export interface PonderTotals {
  readonly transfers: number;
  readonly balances: number;
  readonly sumRaw: string;
}

export interface PonderResult {
  readonly readyAtMs: number;
  /** The CPU used by the process at certain moments, in order. */
  readonly cpu: readonly { readonly atMs: number; readonly cpuMs: number }[];
  readonly peakRssMiB: number;
  readonly totals: PonderTotals;
}

const POLL_MS = 100;
const OUTPUT_KEPT = 20_000;

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

function readPeakRssMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly output: () => string;
}

async function start(run: PonderRun, folder: string): Promise<Started> {
  const appFolder = await installPonder();
  const port = await findFreePort();
  const child = spawn(
    process.execPath,
    [
      join(appFolder, 'node_modules/ponder/dist/esm/bin/ponder.js'),
      ...['start', '--schema', 'recorded', '--port', String(port), '--hostname', '127.0.0.1'],
      ...['--log-level', 'warn', '--log-format', 'json'],
    ],
    {
      cwd: appFolder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NODE_ENV: 'production',
        PONDER_TELEMETRY_DISABLED: 'true',
        RECORDED_RPC_URLS: run.rpcUrls.join(','),
        RECORDED_TOKENS: run.tokens.join(','),
        RECORDED_DATABASE_FOLDER: join(folder, 'pglite'),
        RECORDED_DATABASE_URL: run.databaseUrl ?? '',
      },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_KEPT);
    });
  }
  return { child, url: `http://127.0.0.1:${port}`, output: () => output };
}

async function waitUntilReady(
  started: Started,
  timeoutMs: number,
): Promise<Pick<PonderResult, 'readyAtMs' | 'cpu'>> {
  const deadlineMs = Date.now() + timeoutMs;
  const cpu: { atMs: number; cpuMs: number }[] = [];
  for (;;) {
    const alive = started.child.exitCode === null;
    if (alive) cpu.push({ atMs: Date.now(), cpuMs: readCpuMs(started.child.pid ?? 0) });
    const response = await fetch(`${started.url}/ready`).catch(() => null);
    await response?.arrayBuffer();
    if (response?.status === 200) return { readyAtMs: Date.now(), cpu };
    if (!alive || Date.now() > deadlineMs) {
      throw new Error(`Ponder did not get ready:\n${started.output()}`);
    }
    await sleep(POLL_MS);
  }
}

/** Ends the child if we end first; returns a function that cancels that. */
function endWithUs(child: ChildProcess): () => void {
  const end = () => child.kill('SIGKILL');
  const leave = () => process.exit(143);
  process.once('exit', end);
  process.once('SIGTERM', leave);
  return () => {
    process.off('exit', end);
    process.off('SIGTERM', leave);
  };
}

export async function runPonder(run: PonderRun): Promise<PonderResult> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-ponder-'));
  const started = await start(run, folder);
  const exited = new Promise((done) => started.child.once('exit', done));
  const callOff = endWithUs(started.child);
  try {
    const readiness = await waitUntilReady(started, run.timeoutMs);
    const peakRssMiB = readPeakRssMiB(started.child.pid ?? 0);
    const response = await fetch(`${started.url}/totals`);
    return { ...readiness, peakRssMiB, totals: (await response.json()) as PonderTotals };
  } finally {
    started.child.kill('SIGKILL');
    await exited;
    callOff();
    rmSync(folder, { recursive: true, force: true });
  }
}
