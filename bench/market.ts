// Part `market`: hot answers against bare node:http, cold ones and search as tokens grow, and reads
// beside an indexer at full speed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../devnet/random.ts';
import { runLoad } from './load-client.ts';
import { benchBusy } from './market-busy.ts';
import { buildMarketStore, DEEP_COUNT, makeTexts, toAddress } from './market-store.ts';
import {
  median,
  readCpuMs,
  readOwnMb,
  type StartedServer,
  spread,
  startBare,
  startOurs,
  type Turn,
  takeTurns,
  toCpuNote,
  toRatios,
} from './measure.ts';
import type { Row } from './row.ts';

const CONNECTIONS = 32;
const SIZES = [10_000, 100_000, 1_000_000] as const;
const QUICK_SIZES = [10_000, 100_000] as const;

const TOKEN = `chain=devnet&mint=${toAddress('aa', 3)}`;

export const HOT = [
  { goal: 'hotKlines', path: `/v1/token/klines?${TOKEN}&interval=1m` },
  { goal: 'hotTrades', path: `/v1/token/trades?${TOKEN}` },
  { goal: 'hotHolders', path: `/v1/token/holders?${TOKEN}` },
] as const;

async function copyAnswer(server: StartedServer, path: string) {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
  const omitted = new Set(['connection', 'date', 'keep-alive']);
  const headers = [...response.headers].filter(([name]) => !omitted.has(name));
  return { body: await response.text(), headers: Object.fromEntries(headers) };
}

async function measureHot(
  ours: StartedServer,
  hot: (typeof HOT)[number],
  options: { readonly quick: boolean },
): Promise<Row> {
  const answer = await copyAnswer(ours, hot.path);
  const peer = await startBare(answer);
  try {
    const load = { path: hot.path, connections: CONNECTIONS };
    const turns = { turns: options.quick ? 15 : 60, turnMs: 250, warmMs: 3000 };
    const compared = await takeTurns({ ours, peer }, load, turns);
    const ratios = toRatios(compared);
    const toSpeed = (list: readonly Turn[]) => Math.round(median(list.map((t) => t.perSecond)));
    return {
      goal: hot.goal,
      ours: `${toSpeed(compared.ours)} req/s`,
      peer: `${toSpeed(compared.peer)} req/s (node:http)`,
      ratio: median(ratios),
      spread: spread(ratios),
      note: `${(Buffer.byteLength(answer.body) / 1024).toFixed(0)} KiB an answer; ${toCpuNote(compared)}`,
    };
  } finally {
    await peer.stop();
  }
}

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

export async function untilLoaded(server: StartedServer): Promise<void> {
  const url = `http://127.0.0.1:${server.port}/v1/tokens/search?q=warm`;
  while ((await fetch(url)).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 200));
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

async function measureGrowth(options: { readonly quick: boolean }): Promise<Row[]> {
  const costs: Cost[] = [];
  for (const tokens of options.quick ? QUICK_SIZES : SIZES) costs.push(await measureSize(tokens));
  const [first, last] = [costs[0], costs.at(-1)];
  if (first === undefined || last === undefined) return [];
  const toRow = (goal: Row['goal'], pick: (cost: Cost) => number, note: string): Row => ({
    goal,
    ours: costs
      .map((cost) => `${(pick(cost) * 1000).toFixed(0)} µs at ${cost.tokens.toLocaleString('en')}`)
      .join(', '),
    peer: '',
    ratio: pick(first) / pick(last),
    spread: null,
    note,
  });
  return [
    toRow('coldGrowth', (cost) => cost.coldMs, 'CPU per request; ratio is the first to the last'),
    toRow(
      'searchGrowth',
      (cost) => cost.searchMs,
      `99th percentile ${last.searchP99Ms.toFixed(1)} ms, ${Math.round(last.ownMb)} MB in all at the last`,
    ),
  ];
}

export async function benchMarket(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const rows: Row[] = [];
  try {
    const env = await buildMarketStore(folder, 10_000);
    const ours = await startOurs({ env: { ...env, LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000' } });
    try {
      await untilLoaded(ours);
      for (const hot of HOT) rows.push(await measureHot(ours, hot, options));
    } finally {
      await ours.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return [...rows, ...(await measureGrowth(options)), ...(await benchBusy(options))];
}
