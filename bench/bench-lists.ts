// Part `lists`: lists of tokens and pools over ten thousand and a million tokens, a twelfth of them
// traded within the last day.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POOL_SORTS } from '../src/contract/operations/list-pools.ts';
import { TOKEN_SORTS } from '../src/contract/operations/list-tokens.ts';
import { measureCost } from './grow-tokens.ts';
import { buildGrowthRow } from './growth-row.ts';
import { buildMarketStore, untilSettled } from './market-store.ts';
import { median, type StartedServer, spread, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const SIZES = [10_000, 1_000_000] as const;
const QUICK_SIZES = [2000, 20_000] as const;
const REPETITIONS = 5;
const HOT_REQUESTS = 600;
const COLD_REQUESTS = 5;
const HOT_GOAL_MICROS = 3000;
const COLD_GOAL_MICROS = 20_000;

/** By the name of the list. */
const LISTS: Readonly<Record<string, string>> = Object.fromEntries([
  ...TOKEN_SORTS.map((sort) => [`tokens by ${sort}`, `/v1/tokens?sort=${sort}`]),
  ...POOL_SORTS.map((sort) => [`pools by ${sort}`, `/v1/pools?sort=${sort}`]),
]);

let asked = 0;

/** Queries that were not made before, so that no answer is cached; the rows are the same. */
function buildColdPaths(path: string): string[] {
  return Array.from({ length: COLD_REQUESTS }, () => {
    asked += 1;
    return path.startsWith('/v1/tokens')
      ? `${path}&maxAgeSeconds=${900_000_000 + asked}`
      : `${path}&limit=${1 + (asked % 100)}`;
  });
}

interface Cost {
  readonly hotMicros: number;
  /** Of each list. */
  readonly coldMicros: Readonly<Record<string, number>>;
}

interface Sized {
  readonly size: number;
  readonly server: StartedServer;
  readonly costs: Cost[];
}

async function measure(server: StartedServer): Promise<Cost> {
  const paths = Object.values(LISTS);
  const repeated = Array.from({ length: HOT_REQUESTS }, (_, index) => {
    return paths[index % paths.length] ?? '';
  });
  await measureCost(server, paths);
  const hot = await measureCost(server, repeated);
  const coldMicros: Record<string, number> = {};
  for (const [name, path] of Object.entries(LISTS)) {
    coldMicros[name] = (await measureCost(server, buildColdPaths(path))).micros;
  }
  return { hotMicros: hot.micros, coldMicros };
}

function formatMs(micros: number): string {
  return `${(micros / 1000).toFixed(2)} ms`;
}

function buildRows(all: readonly Sized[]): Row[] {
  const last = all.at(-1);
  if (last === undefined) return [];
  const hot = last.costs.map((cost) => cost.hotMicros);
  const cold = Object.keys(LISTS)
    .map((name) => ({ name, micros: last.costs.map((cost) => cost.coldMicros[name] ?? 0) }))
    .sort((a, b) => median(b.micros) - median(a.micros));
  const [dearest] = cold;
  if (dearest === undefined) return [];
  const toRatios = (goal: number, micros: readonly number[]) => micros.map((one) => goal / one);
  const others = cold.map(({ name, micros }) => `${name} ${formatMs(median(micros))}`).join(', ');
  return [
    {
      goal: 'listsHot',
      ours: `${formatMs(median(hot))} at ${last.size.toLocaleString('en')} tokens`,
      peer: '3 ms',
      ratio: median(toRatios(HOT_GOAL_MICROS, hot)),
      spread: spread(toRatios(HOT_GOAL_MICROS, hot)),
      note: `CPU per request, ${cold.length} lists in turn`,
    },
    {
      goal: 'listsCold',
      ours: `${formatMs(median(dearest.micros))} for ${dearest.name}`,
      peer: '20 ms',
      ratio: median(toRatios(COLD_GOAL_MICROS, dearest.micros)),
      spread: spread(toRatios(COLD_GOAL_MICROS, dearest.micros)),
      note: `CPU per request, rows read from the store included: ${others}`,
    },
    buildGrowthRow(
      'listsGrowth',
      all.map(({ size, costs }) => ({ size, micros: costs.map((cost) => cost.hotMicros) })),
      {
        of: 'tokens',
        formatSize: (size) => size.toLocaleString('en'),
        note: 'CPU per request',
      },
    ),
  ];
}

export async function benchLists(options: { readonly quick: boolean }): Promise<Row[]> {
  const sizes = options.quick ? QUICK_SIZES : SIZES;
  const root = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const all: Sized[] = [];
  try {
    for (const size of sizes) {
      const folder = join(root, String(size));
      mkdirSync(folder);
      const env = await buildMarketStore(folder, { tokens: size, isLean: true, isSpread: true });
      const server = await startOurs({
        env: { ...env, LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000' },
      });
      all.push({ size, server, costs: [] });
      await untilSettled(server);
      await measure(server);
    }
    for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
      for (const { server, costs } of all) costs.push(await measure(server));
    }
    return buildRows(all);
  } finally {
    for (const { server } of all) await server.stop();
    rmSync(root, { recursive: true, force: true });
  }
}
