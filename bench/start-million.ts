// A start on a store of a million tokens: `/health`, ready, memory.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildMarketStore, MARKET_HEAD } from './market-store.ts';
import { median, spread } from './measure.ts';
import type { Row } from './row.ts';
import { watchStart } from './start-health.ts';
import { startStillNode } from './still-node.ts';

const TOKENS = 1_000_000;
const QUICK_TOKENS = 20_000;
const CHAIN_ID = 1337;
const STARTS = 3;
const HEALTH_CPU_MAX_MS = 2000;
const READY_MAX_MS = 10_000;
const MEMORY_MAX_MB = 900;
const READY_PATHS = ['/v1/ready', '/v1/tokens/search?q=warm'];

function buildRow(
  goal: Row['goal'],
  of: {
    readonly values: readonly number[];
    readonly max: number;
    readonly unit: string;
    readonly note: string;
  },
): Row {
  const { values, max, unit, note } = of;
  const ours = `${median(values).toFixed(0)} ${unit}`;
  const ratio = max / median(values);
  return { goal, ours, peer: '', ratio, spread: spread(values), note };
}

export async function benchMillion(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const node = await startStillNode(CHAIN_ID, MARKET_HEAD);
  try {
    const tokens = options.quick ? QUICK_TOKENS : TOKENS;
    const size = { tokens, deepTokens: 20, isLean: true, isSpread: true };
    const env = await buildMarketStore(folder, size, node.url);
    const settles = { settles: true };
    // The first start builds the search index, which the others find.
    const first = await watchStart(env, READY_PATHS, settles);
    const starts = [];
    for (let turn = 0; turn < STARTS; turn += 1) {
      starts.push(await watchStart(env, READY_PATHS, settles));
    }
    const readyCpuMs = median(starts.map(({ ready }) => ready?.cpuMs ?? Number.NaN));
    const note = `${tokens.toLocaleString('en')} tokens, a twelfth of them traded in the last day`;
    return [
      buildRow('millionHealth', {
        ...{ values: starts.map(({ health }) => health.cpuMs), max: HEALTH_CPU_MAX_MS },
        ...{ unit: 'ms of CPU', note },
      }),
      buildRow('millionReady', {
        values: starts.map(({ ready }) => ready?.elapsedMs ?? Number.NaN),
        ...{ max: READY_MAX_MS, unit: 'ms' },
        note: `${note}; ${readyCpuMs.toFixed(0)} ms of CPU; search answers, too; the very first start, which builds its index, ${first.ready?.elapsedMs.toFixed(0)} ms`,
      }),
      buildRow('millionMemory', {
        ...{ values: starts.map(({ settledMb }) => settledMb), max: MEMORY_MAX_MB, unit: 'MB' },
        note: `${note}; once everything is loaded`,
      }),
    ];
  } finally {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
