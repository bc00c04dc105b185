// A start on a store of a million tokens: `/health`, ready, memory, and the very first one.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../src/config.ts';
import { TOKEN_SORTS } from '../src/contract/operations/list-tokens.ts';
import { findSegmentFolder } from '../src/runtime/kept-segments.ts';
import { buildMarketAddress, buildMarketStore, MARKET_HEAD } from './market-store.ts';
import { median, NO_LIMITS, spread } from './measure.ts';
import type { Row } from './row.ts';
import { type WatchedStart, watchStart } from './start-health.ts';
import { startStillNode } from './still-node.ts';

const TOKENS = 1_000_000;
const QUICK_TOKENS = 20_000;
const CHAIN_ID = 1337;
const STARTS = 3;
/** Each builds the search index. */
const FIRST_STARTS = 2;
const HEALTH_CPU_MAX_MS = 2000;
const READY_MAX_MS = 10_000;
const MEMORY_MAX_MB = 900;
const READS = 3000;
const SEARCHED = ['doge', 'moon', 'inu', 'ka', 'lemi'];
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

function describeMemory(starts: readonly WatchedStart[]): string {
  const [readyMb, settledMb, readMb] = [
    starts.map((start) => start.readyMb),
    starts.map((start) => start.settledMb),
    starts.map((start) => start.readMb),
  ].map((values) => median(values).toFixed(0));
  return `${readyMb} MB when it is ready, ${settledMb} MB once all is loaded, ${readMb} MB after 3,000 reads`;
}

/** Of every kind, each of another token or another list. */
function buildReads(tokens: number): string[] {
  return Array.from({ length: READS }, (_, index) => {
    const token = buildMarketAddress('aa', (index * 331) % tokens);
    const of = `chain=devnet&mint=${token}`;
    const sort = TOKEN_SORTS[index % TOKEN_SORTS.length];
    return (
      [
        `/v1/token?${of}`,
        `/v1/token/klines?${of}&interval=1d`,
        `/v1/token/trades?${of}`,
        `/v1/tokens/search?q=${SEARCHED[index % SEARCHED.length]}${index % 26}`,
        `/v1/pools?${of}`,
        `/v1/tokens?sort=${sort}&maxAgeSeconds=${900_000_000 + index}`,
      ][index % 6] ?? ''
    );
  });
}

function buildFirstRow(firsts: readonly WatchedStart[]): Row {
  const values = firsts.map(({ ready }) => ready?.elapsedMs ?? Number.NaN);
  const peakMb = Math.max(...firsts.map((first) => first.peakMb));
  return {
    goal: 'millionFirst',
    ours: `${median(values).toFixed(0)} ms`,
    peer: '',
    ratio: null,
    spread: spread(values),
    note: `at most ${peakMb.toFixed(0)} MB while it builds, files that it maps included`,
  };
}

/** Without the search index of an earlier start. */
async function watchFirsts(env: Readonly<Record<string, string>>): Promise<WatchedStart[]> {
  const firsts: WatchedStart[] = [];
  for (let turn = 0; turn < FIRST_STARTS; turn += 1) {
    rmSync(findSegmentFolder(loadConfig(env).store), { recursive: true, force: true });
    firsts.push(await watchStart(env, READY_PATHS, { settles: true }));
  }
  return firsts;
}

export async function benchMillion(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const node = await startStillNode(CHAIN_ID, MARKET_HEAD);
  try {
    const tokens = options.quick ? QUICK_TOKENS : TOKENS;
    const size = { tokens, deepTokens: 20, isLean: true, isSpread: true };
    const env = { ...(await buildMarketStore(folder, size, node.url)), ...NO_LIMITS };
    const reads = buildReads(tokens);
    // The others find the search index of the last one.
    const firsts = await watchFirsts(env);
    const starts: WatchedStart[] = [];
    for (let turn = 0; turn < STARTS; turn += 1) {
      starts.push(await watchStart(env, READY_PATHS, { settles: true, reads }));
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
        note: `${note}; ${readyCpuMs.toFixed(0)} ms of CPU; search answers, too`,
      }),
      buildRow('millionMemory', {
        values: starts.map((start) => Math.max(start.readyMb, start.settledMb, start.readMb)),
        ...{ max: MEMORY_MAX_MB, unit: 'MB', note: `${note}; ${describeMemory(starts)}` },
      }),
      buildFirstRow(firsts),
    ];
  } finally {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
