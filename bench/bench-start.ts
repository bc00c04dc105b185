// Part `start`: from the command to the first response, on an empty folder and on a used one, and
// at a million tokens.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, readCpuMs, spread, startOurs } from './measure.ts';
import type { Row } from './row.ts';
import { watchStart } from './start-health.ts';
import { benchMillion } from './start-million.ts';

interface Start {
  readonly elapsedMs: number;
  /** Of all threads: it depends less on what else the machine does. */
  readonly cpuMs: number;
}

async function measureStart(folder: string): Promise<Start> {
  const startedMs = performance.now();
  const service = await startOurs({ env: { DATA_DIR: folder } });
  await (await fetch(`http://127.0.0.1:${service.port}/v1/entitlements`)).text();
  const start = { elapsedMs: performance.now() - startedMs, cpuMs: readCpuMs(service.pid) };
  await service.stop();
  return start;
}

function describe(starts: readonly Start[]): string {
  const [elapsedMs, cpuMs] = [
    median(starts.map((one) => one.elapsedMs)),
    median(starts.map((one) => one.cpuMs)),
  ];
  return `${elapsedMs.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of CPU`;
}

const HEALTH_MAX_MS = 800;

async function benchEmptyHealth(options: { readonly quick: boolean }): Promise<Row> {
  const elapsedMs: number[] = [];
  const cpuMs: number[] = [];
  for (let turn = 0; turn < (options.quick ? 3 : 7); turn += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
    try {
      const { health } = await watchStart({ DATA_DIR: folder, DEVNET: 'off' }, null);
      elapsedMs.push(health.elapsedMs);
      cpuMs.push(health.cpuMs);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return {
    goal: 'emptyHealth',
    ours: `${median(elapsedMs).toFixed(0)} ms, ${median(cpuMs).toFixed(0)} ms of CPU`,
    peer: '',
    ratio: HEALTH_MAX_MS / median(elapsedMs),
    spread: spread(elapsedMs),
    note: `the slowest ${Math.max(...elapsedMs).toFixed(0)} ms`,
  };
}

export async function benchStart(options: { readonly quick: boolean }): Promise<Row[]> {
  const cold: Start[] = [];
  const warm: Start[] = [];
  for (let i = 0; i < (options.quick ? 3 : 5); i += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
    try {
      cold.push(await measureStart(folder));
      warm.push(await measureStart(folder));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return [
    {
      goal: 'coldStart',
      ours: describe(cold),
      peer: '',
      ratio: null,
      spread: spread(cold.map((one) => one.cpuMs)),
      note: `on a used folder ${describe(warm)}`,
    },
    await benchEmptyHealth(options),
    ...(await benchMillion(options)),
  ];
}
