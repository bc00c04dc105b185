// Reads and search as tokens grow from ten thousand to a million.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../devnet/random.ts';
import { runLoad } from './load-client.ts';
import { buildMarketStore, DEEP_COUNT, makeTexts, toAddress, untilLoaded } from './market-store.ts';
import { readCpuMs, readOwnMb, type StartedServer, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const SIZES = [10_000, 100_000, 1_000_000] as const;
const QUICK_SIZES = [2000, 12_000] as const;

/** Every path is asked once, so that none of the answers is there already. */
function toColdPaths(): string[] {
  return Array.from({ length: DEEP_COUNT - 10 }, (_, index) => {
    const token = `chain=devnet&mint=${toAddress('aa', 10 + index)}`;
    return [
      `/v1/token?${token}`,
      `/v1/token/klines?${token}&interval=1m`,
      `/v1/token/trades?${token}`,
      `/v1/token/holders?${token}`,
    ];
  }).flat();
}

/** What people type: whole symbols, beginnings, parts, typing errors, nonsense, addresses. */
export function toSearchPaths(): string[] {
  const random = createRandom('search');
  const texts = Array.from({ length: 300 }, (_, index) => {
    const { symbol, name } = makeTexts(random);
    const kinds = [
      symbol,
      name,
      symbol.slice(0, 2),
      name.slice(0, 4),
      name.slice(1, 5),
      name.slice(0, 3) + name.slice(4),
      `${name.slice(0, 4)}q${name.slice(5)}`,
      'zzqqxxjj',
      symbol.slice(0, 1),
      toAddress('aa', index),
    ];
    return kinds[index % kinds.length] ?? symbol;
  });
  return texts.map((text) => `/v1/tokens/search?q=${encodeURIComponent(text)}`);
}

interface Cost {
  readonly tokens: number;
  readonly coldMs: number;
  readonly searchMs: number;
  readonly searchP99Ms: number;
  readonly ownMb: number;
}

/** CPU per request of one connection's requests: what others do on the machine matters less. */
async function measureCost(server: StartedServer, paths: readonly string[], rounds: number) {
  const before = readCpuMs(server.pid);
  let requests = 0;
  let p99Ms = 0;
  for (let round = 0; round < rounds; round += 1) {
    const load = await runLoad({
      port: server.port,
      path: paths,
      connections: 1,
      durationMs: Number.POSITIVE_INFINITY,
      requestsMax: paths.length,
    });
    requests += load.requests;
    p99Ms = Math.max(p99Ms, load.p99Ms);
  }
  return { cpuMs: (readCpuMs(server.pid) - before) / requests, p99Ms };
}

async function measureSize(tokens: number): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  try {
    const env = await buildMarketStore(folder, tokens);
    const server = await startOurs({
      env: { ...env, LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000' },
    });
    try {
      await untilLoaded(server);
      await measureCost(server, toColdPaths().slice(0, 40), 1);
      const cold = await measureCost(server, toColdPaths().slice(40), 1);
      const paths = toSearchPaths();
      await measureCost(server, paths, 2);
      const search = await measureCost(server, paths, 5);
      const ownMb = readOwnMb(server.pid);
      return {
        tokens,
        coldMs: cold.cpuMs,
        searchMs: search.cpuMs,
        searchP99Ms: search.p99Ms,
        ownMb,
      };
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function benchTokenGrowth(options: { readonly quick: boolean }): Promise<Row[]> {
  const costs: Cost[] = [];
  for (const tokens of options.quick ? QUICK_SIZES : SIZES) costs.push(await measureSize(tokens));
  const [first, last] = [costs[0], costs.at(-1)];
  if (first === undefined || last === undefined) return [];
  const toRow = (goal: Row['goal'], pick: (cost: Cost) => number, note: string): Row => ({
    goal,
    ours: costs
      .map((cost) => `${(pick(cost) * 1000).toFixed(0)} µs at ${cost.tokens.toLocaleString('en')}`)
      .join(', '),
    peer: 'ourselves at the first size',
    ratio: pick(first) / pick(last),
    spread: null,
    note,
    growth: {
      of: 'tokens',
      unit: 'µs',
      points: costs.map((cost) => ({ size: cost.tokens, cost: pick(cost) * 1000 })),
    },
  });
  return [
    toRow('coldGrowth', (cost) => cost.coldMs, 'CPU per request'),
    toRow(
      'searchGrowth',
      (cost) => cost.searchMs,
      `99th percentile ${last.searchP99Ms.toFixed(1)} ms, ${Math.round(last.ownMb)} MB in all at the last`,
    ),
  ];
}
