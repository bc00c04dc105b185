// Reads and commits as history grows: a store at one size, and the same at ten times that.

import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeededRandom } from '../devnet/random.ts';
import { foldTrades } from '../src/candles/derive-klines.ts';
import { loadConfig } from '../src/config.ts';
import { openStore } from '../src/engines/open-store.ts';
import { STORED_INTERVALS, type TradeRecord } from '../src/model/market-record.ts';
import type { Store } from '../src/store/store.ts';
import { buildGrowthRow } from './growth-row.ts';
import { runLoad } from './load-client.ts';
import {
  buildMarketAddress,
  makePool,
  makeToken,
  makeTrade,
  writeDeployment,
} from './market-store.ts';
import { median, readCpuMs, type StartedServer, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const CHAIN = 'devnet';
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);
const TOKENS = 200;
/** One token has half of all trades, the others share the rest, as in real markets. */
const BUSY_STEP_MS = 5000;
const STEPS_A_DAY = DAY_MS / BUSY_STEP_MS;
const TRADES_A_STEP = 2;
const TRADES_A_DAY = STEPS_A_DAY * TRADES_A_STEP;
const REPETITIONS = 5;
const WARM_READS = 200;

interface Steps {
  readonly from: number;
  readonly count: number;
}

function makeTrades({ from, count }: Steps): TradeRecord[] {
  const trades: TradeRecord[] = [];
  for (let step = from; step < from + count; step += 1) {
    const place = { index: step, block: 1 + step, timestampMs: START_MS + step * BUSY_STEP_MS };
    for (const [logIndex, number] of [0, 1 + (step % (TOKENS - 1))].entries()) {
      trades.push(makeTrade(number, { ...place, logIndex }));
    }
  }
  return trades;
}

/** One commit, with the candles of the trades. */
async function writeTrades(store: Store, steps: Steps): Promise<void> {
  const trades = makeTrades(steps);
  const byToken = Map.groupBy(trades, ({ token }) => token);
  const last = trades.at(-1);
  const stored = await store.market.readCheckpoint(CHAIN);
  await store.market.transaction(CHAIN, async (transaction) => {
    await transaction.setCheckpoint({
      startBlock: 0,
      block: last?.block ?? 0,
      blockHash: `0x${steps.from.toString(16).padStart(64, '0')}`,
      timestampMs: last?.timestampMs ?? 0,
      finalizedBlock: last?.block ?? 0,
      startAtMs: START_MS,
      version: (stored?.version ?? 0) + 1,
    });
    await transaction.insertTrades(trades);
    for (const interval of STORED_INTERVALS) {
      const candles = Array.from(byToken, ([token, list]) =>
        foldTrades({ token, pool: null, interval }, list),
      );
      await transaction.putCandles(candles.flat());
    }
  });
}

async function writeTokens(store: Store): Promise<void> {
  const random = createSeededRandom('trades');
  const numbers = Array.from({ length: TOKENS }, (_, number) => number);
  const rows = numbers.map((number) => makeToken(number, { random, trades: 1, holders: 0 }));
  await store.market.transaction(CHAIN, async (transaction) => {
    await transaction.setCheckpoint({
      startBlock: 0,
      block: 0,
      blockHash: `0x${'0'.repeat(64)}`,
      timestampMs: START_MS,
      finalizedBlock: 0,
      startAtMs: START_MS,
      version: 1,
    });
    await transaction.putTokens(rows);
    await transaction.putPools(rows.map((row, number) => makePool(row, number)));
  });
}

/** Random windows of the history, so that no answer is cached and every page is cold. */
function buildPaths(
  days: number,
  asked: { readonly seed: string; readonly count: number },
): string[] {
  const random = createSeededRandom(asked.seed);
  return Array.from({ length: asked.count }, (_, index) => {
    const number = index % 2 === 0 ? 0 : 1 + random.below(TOKENS - 1);
    const endTime = START_MS + DAY_MS + Math.floor(random.next() * (days - 1) * DAY_MS);
    const token = `chain=${CHAIN}&mint=${buildMarketAddress('aa', number)}&endTime=${endTime}`;
    return [
      `/v1/token/klines?${token}&interval=1m&limit=200`,
      `/v1/token/klines?${token}&interval=4h&limit=100`,
      `/v1/token/trades?${token}&limit=50`,
      `/v1/token/trades?${token}&limit=20&side=buy`,
    ][index % 4] as string;
  });
}

/** A store of one size, and its measurements. */
interface Sized {
  readonly trades: number;
  readonly days: number;
  readonly folder: string;
  /** The server's CPU per read, and the 99th percentile. */
  readonly readMicros: number[];
  readonly readP99Ms: number[];
  /** CPU per committed trade, candles included. */
  readonly commitMicros: number[];
}

/** Grows one store and copies it at each size but the last, so that all can be measured in turn. */
async function buildSizes(root: string, sizes: readonly number[]): Promise<Sized[]> {
  const growing = join(root, 'growing');
  mkdirSync(growing);
  const built: Sized[] = [];
  let day = 0;
  for (const trades of sizes) {
    const store = await openStore(loadConfig({ DATA_DIR: growing }).store);
    if (day === 0) await writeTokens(store);
    const days = Math.ceil(trades / TRADES_A_DAY);
    for (; day < days; day += 1) {
      await writeTrades(store, { from: day * STEPS_A_DAY, count: STEPS_A_DAY });
      if (day % 30 === 29)
        console.error(`grow: ${((day + 1) * TRADES_A_DAY) / 1e6} million trades`);
    }
    await store.close();
    const folder = trades === sizes.at(-1) ? growing : join(root, String(trades));
    if (folder !== growing) cpSync(growing, folder, { recursive: true });
    built.push({ trades, days, folder, readMicros: [], readP99Ms: [], commitMicros: [] });
  }
  return built;
}

function ask(server: StartedServer, paths: readonly string[]) {
  return runLoad({
    port: server.port,
    path: paths,
    connections: 1,
    durationMs: Number.POSITIVE_INFINITY,
    requestsMax: paths.length,
  });
}

/** All sizes are served at once and measured in turn, so that other load affects all alike. */
async function measureReads(all: readonly Sized[], count: number): Promise<void> {
  const served: { sized: Sized; server: StartedServer }[] = [];
  try {
    for (const sized of all) {
      const { folder, days } = sized;
      const DEVNET_DEPLOYMENT = writeDeployment(folder, { rpcUrl: 'http://127.0.0.1:9' });
      const env = { DATA_DIR: folder, DEVNET: 'on', DEVNET_DEPLOYMENT };
      const server = await startOurs({
        env: { ...env, LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000' },
      });
      served.push({ sized, server });
      await ask(server, buildPaths(days, { seed: 'warm', count: WARM_READS }));
    }
    for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
      for (const { sized, server } of served) {
        const paths = buildPaths(sized.days, { seed: `asked ${repetition}`, count });
        const beforeMs = readCpuMs(server.pid);
        const load = await ask(server, paths);
        sized.readMicros.push(((readCpuMs(server.pid) - beforeMs) * 1000) / load.requests);
        sized.readP99Ms.push(load.p99Ms);
      }
    }
  } finally {
    for (const { server } of served) await server.stop();
  }
}

/** Commits trades after the history of each size, in turn. */
async function measureCommits(all: readonly Sized[], count: number): Promise<void> {
  const opened: { sized: Sized; store: Store }[] = [];
  try {
    for (const sized of all) {
      const store = await openStore(loadConfig({ DATA_DIR: sized.folder }).store);
      opened.push({ sized, store });
    }
    // The first commit after opening fills the caches, so it is not counted.
    for (let repetition = -1; repetition < REPETITIONS; repetition += 1) {
      for (const { sized, store } of opened) {
        const from = sized.days * STEPS_A_DAY + (repetition + 1) * count;
        const before = process.cpuUsage();
        await writeTrades(store, { from, count });
        const { user, system } = process.cpuUsage(before);
        if (repetition >= 0) sized.commitMicros.push((user + system) / (count * TRADES_A_STEP));
      }
    }
  } finally {
    for (const { store } of opened) await store.close();
  }
}

function buildRows(all: readonly Sized[], commitTrades: number): Row[] {
  const formatSize = (trades: number) => `${(trades / 1e6).toLocaleString('en')} million trades`;
  const words = { of: 'trades', formatSize };
  const pick = (read: (sized: Sized) => readonly number[]) =>
    all.map((sized) => ({ size: sized.trades, micros: read(sized) }));
  const slowest = all.map(({ readP99Ms }) => `${median(readP99Ms).toFixed(1)} ms`).join(' and ');
  return [
    buildGrowthRow(
      'tradeReadGrowth',
      pick(({ readMicros }) => readMicros),
      { ...words, note: `CPU; the slowest hundredth of reads takes ${slowest}` },
    ),
    buildGrowthRow(
      'tradeCommitGrowth',
      pick(({ commitMicros }) => commitMicros),
      { ...words, note: `CPU; ${commitTrades.toLocaleString('en')} trades a commit` },
    ),
  ];
}

export async function benchTradeGrowth(options: { readonly quick: boolean }): Promise<Row[]> {
  const root = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  try {
    const sizes = options.quick ? [40_000, 160_000] : [1_000_000, 10_000_000];
    const all = await buildSizes(root, sizes);
    await measureReads(all, options.quick ? 150 : 600);
    // With a short history, whole days would themselves be growth.
    const commitSteps = options.quick ? STEPS_A_DAY / 8 : STEPS_A_DAY;
    await measureCommits(all, commitSteps);
    return buildRows(all, commitSteps * TRADES_A_STEP);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
