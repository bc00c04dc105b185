// Reads and search as the number of tokens grows from ten thousand to a million.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeededRandom } from '../devnet/random.ts';
import { issueKey, PLENTY } from './bench-access.ts';
import { buildGrowthRow } from './growth-row.ts';
import { runLoad } from './load-client.ts';
import {
  buildMarketAddress,
  buildMarketStore,
  DEEP_COUNT,
  makeTexts,
  untilSettled,
} from './market-store.ts';
import { median, readCpuMs, readOwnMb, type StartedServer, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const SIZES = [10_000, 100_000, 1_000_000] as const;
const QUICK_SIZES = [2000, 12_000] as const;
const QUICK_DEEP_COUNT = 90;
const REPETITIONS = 5;
const WARM_TOKENS = 10;
const PRICE_LISTS = 16;
const PRICES_EACH = 100;
const PRICE_REQUESTS = 800;

/** Of tokens that were not requested before, so that no answer is cached. */
function buildColdPaths(tokens: { readonly from: number; readonly count: number }): string[] {
  return Array.from({ length: tokens.count }, (_, index) => {
    const token = `chain=devnet&mint=${buildMarketAddress('aa', tokens.from + index)}`;
    return [
      `/v1/token?${token}`,
      `/v1/token/klines?${token}&interval=1m`,
      `/v1/token/trades?${token}`,
      `/v1/token/holders?${token}`,
    ];
  }).flat();
}

/** What people type: whole symbols, prefixes, parts, typos, nonsense, addresses. */
export function buildSearchPaths(): string[] {
  const random = createSeededRandom('search');
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
      buildMarketAddress('aa', index),
    ];
    return kinds[index % kinds.length] ?? symbol;
  });
  return texts.map((text) => `/v1/tokens/search?q=${encodeURIComponent(text)}`);
}

/** A hundred tokens each, every one of them with a price. */
function buildPriceBodies(deepTokens: number): string[] {
  return Array.from({ length: PRICE_LISTS }, (_, list) => {
    const tokens = Array.from({ length: PRICES_EACH }, (_each, index) => ({
      chain: 'devnet',
      mint: buildMarketAddress('aa', (index * 7 + list * 13) % deepTokens),
    }));
    return JSON.stringify({ tokens });
  });
}

/** CPU for a hundred prices at once. */
async function measurePrices({ server, headers }: Sized, bodies: readonly string[]) {
  const beforeMs = readCpuMs(server.pid);
  const load = await runLoad({
    ...{ port: server.port, path: '/v1/prices', body: bodies, headers, connections: 1 },
    durationMs: Number.POSITIVE_INFINITY,
    requestsMax: PRICE_REQUESTS,
  });
  return ((readCpuMs(server.pid) - beforeMs) * 1000) / load.requests;
}

/** CPU per request over one connection, which depends less on other load on the machine. */
export async function measureCost(server: StartedServer, paths: readonly string[]) {
  const beforeMs = readCpuMs(server.pid);
  const load = await runLoad({
    port: server.port,
    path: paths,
    connections: 1,
    durationMs: Number.POSITIVE_INFINITY,
    requestsMax: paths.length,
  });
  const micros = ((readCpuMs(server.pid) - beforeMs) * 1000) / load.requests;
  return { micros, p99Ms: load.p99Ms };
}

interface Cost {
  readonly coldMicros: number;
  readonly pricesMicros: number;
  readonly searchMicros: number;
  readonly searchP99Ms: number;
}

interface Sized {
  readonly size: number;
  readonly server: StartedServer;
  /** Of a key: without one a request has fewer tokens. */
  readonly headers: Readonly<Record<string, string>>;
  readonly costs: Cost[];
}

async function warmUp(server: StartedServer): Promise<void> {
  await untilSettled(server);
  await measureCost(server, buildColdPaths({ from: 0, count: WARM_TOKENS }));
  for (let i = 0; i < 2; i += 1) await measureCost(server, buildSearchPaths());
}

/** All sizes are served at once and measured in turn, so that other load affects all alike. */
async function measureInTurn(all: readonly Sized[], deepTokens: number): Promise<void> {
  const count = Math.floor((deepTokens - WARM_TOKENS) / REPETITIONS);
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    const coldPaths = buildColdPaths({ from: WARM_TOKENS + repetition * count, count });
    for (const sized of all) {
      const { server, costs } = sized;
      const cold = await measureCost(server, coldPaths);
      const search = await measureCost(server, buildSearchPaths());
      costs.push({
        coldMicros: cold.micros,
        pricesMicros: await measurePrices(sized, buildPriceBodies(deepTokens)),
        searchMicros: search.micros,
        searchP99Ms: search.p99Ms,
      });
    }
  }
}

function buildRows(all: readonly Sized[]): Row[] {
  const last = all.at(-1);
  if (last === undefined) return [];
  const pick = (read: (cost: Cost) => number) =>
    all.map(({ size, costs }) => ({ size, micros: costs.map(read) }));
  const p99Ms = median(last.costs.map((cost) => cost.searchP99Ms));
  const ownMb = Math.round(readOwnMb(last.server.pid));
  const words = { of: 'tokens', formatSize: (size: number) => size.toLocaleString('en') };
  return [
    buildGrowthRow(
      'coldGrowth',
      pick((cost) => cost.coldMicros),
      { ...words, note: 'CPU per request' },
    ),
    buildGrowthRow(
      'pricesGrowth',
      pick((cost) => cost.pricesMicros),
      { ...words, note: 'CPU for the prices of a hundred tokens' },
    ),
    buildGrowthRow(
      'searchGrowth',
      pick((cost) => cost.searchMicros),
      { ...words, note: `99th percentile ${p99Ms.toFixed(1)} ms, ${ownMb} MB in all at the last` },
    ),
  ];
}

export async function benchTokenGrowth(options: { readonly quick: boolean }): Promise<Row[]> {
  const [sizes, deepTokens] = options.quick ? [QUICK_SIZES, QUICK_DEEP_COUNT] : [SIZES, DEEP_COUNT];
  const root = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const all: Sized[] = [];
  const servers: StartedServer[] = [];
  try {
    const built: { size: number; env: Readonly<Record<string, string>> }[] = [];
    for (const size of sizes) {
      const folder = join(root, String(size));
      mkdirSync(folder);
      built.push({ size, env: await buildMarketStore(folder, { tokens: size, deepTokens }) });
    }
    for (const { size, env } of built) {
      const server = await startOurs({
        env: { ...env, ...PLENTY, LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000' },
      });
      servers.push(server);
      await warmUp(server);
      const headers = { authorization: `Bearer ${await issueKey(server.port)}` };
      const sized: Sized = { size, server, headers, costs: [] };
      all.push(sized);
      for (let i = 0; i < 2; i += 1) await measurePrices(sized, buildPriceBodies(deepTokens));
    }
    await measureInTurn(all, deepTokens);
    return buildRows(all);
  } finally {
    for (const server of servers) await server.stop();
    rmSync(root, { recursive: true, force: true });
  }
}
