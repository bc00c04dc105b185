// Part `start`: from the command to the first response, on an empty folder and on a used one.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, spread, startOurs } from './measure.ts';
import type { Row } from './row.ts';

async function measureStart(folder: string): Promise<number> {
  const startedMs = performance.now();
  const service = await startOurs({ env: { DATA_DIR: folder } });
  await (await fetch(`http://127.0.0.1:${service.port}/v1/entitlements`)).text();
  const elapsedMs = performance.now() - startedMs;
  await service.stop();
  return elapsedMs;
}

export async function benchStart(options: { readonly quick: boolean }): Promise<Row[]> {
  const cold: number[] = [];
  const warm: number[] = [];
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
      ours: `${median(cold).toFixed(0)} ms`,
      peer: '',
      ratio: null,
      spread: spread(cold),
      note: `on a used folder ${median(warm).toFixed(0)} ms`,
    },
  ];
}
