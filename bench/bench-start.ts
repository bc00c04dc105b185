// Part `start`: from the command to the first response, on an empty folder and on a used one.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, readCpuMs, spread, startOurs } from './measure.ts';
import type { Row } from './row.ts';

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
  ];
}
