// Reads and commits as the past grows: the same store at one size, then at ten times that.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../devnet/random.ts';
import { foldTrades } from '../src/candles/derive-klines.ts';
import { openStore } from '../src/compose/open-store.ts';
import { loadConfig } from '../src/config.ts';
import { STORED_INTERVALS, type TradeRecord } from '../src/model/market-record.ts';
import type { Store } from '../src/store/store.ts';
import { runLoad } from './load-client.ts';
import { makePool, makeToken, makeTrade, toAddress, writeDeployment } from './market-store.ts';
import { readCpuMs, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const CHAIN = 'devnet';
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);
const TOKENS = 200;
/** One token has half of all trades, the others share the rest: as markets are. */
const BUSY_STEP_MS = 5000;
const TRADES_A_DAY = (2 * DAY_MS) / BUSY_STEP_MS;
const READS = 600;

function makeDay(day: number): TradeRecord[] {
  const trades: TradeRecord[] = [];
  for (let step = 0; step < TRADES_A_DAY / 2; step += 1) {
    const timestampMs = START_MS + day * DAY_MS + step * BUSY_STEP_MS;
    const block = 1 + (day * TRADES_A_DAY) / 2 + step;
    for (const [logIndex, number] of [0, 1 + (step % (TOKENS - 1))].entries()) {
      trades.push(makeTrade(number, { index: step, block, logIndex, timestampMs }));
    }
  }
  return trades;
}

async function writeDay(store: Store, day: number): Promise<void> {
  const trades = makeDay(day);
  const byToken = Map.groupBy(trades, ({ token }) => token);
  const last = trades.at(-1);
  await store.market.transaction(CHAIN, async (transaction) => {
    await transaction.setCheckpoint({
      startBlock: 0,
      block: last?.block ?? 0,
      blockHash: `0x${day.toString(16).padStart(64, '0')}`,
      timestampMs: last?.timestampMs ?? 0,
      finalizedBlock: last?.block ?? 0,
      startAtMs: START_MS,
      version: day + 2,
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
  const random = createRandom('trades');
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

/** Windows anywhere in the past, so that no answer is there already and every page is cold. */
function toPaths(days: number, seed: string): string[] {
  const random = createRandom(seed);
  return Array.from({ length: READS }, (_, index) => {
    const number = index % 2 === 0 ? 0 : 1 + random.below(TOKENS - 1);
    const endTime = START_MS + DAY_MS + Math.floor(random.next() * (days - 1) * DAY_MS);
    const token = `chain=${CHAIN}&mint=${toAddress('aa', number)}&endTime=${endTime}`;
    return [
      `/v1/token/klines?${token}&interval=1m&limit=200`,
      `/v1/token/klines?${token}&interval=4h&limit=100`,
      `/v1/token/trades?${token}&limit=50`,
      `/v1/token/trades?${token}&limit=20&side=buy`,
    ][index % 4] as string;
  });
}

interface Cost {
  readonly trades: number;
  /** CPU of the server a read, and the slowest hundredth. */
  readonly readMicros: number;
  readonly readP99Ms: number;
  /** CPU a trade when committed, candles included. */
  readonly commitMicros: number;
}

async function measureReads(env: Readonly<Record<string, string>>, days: number) {
  const server = await startOurs({
    env: { ...env, LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000' },
  });
  try {
    const ask = (paths: readonly string[]) =>
      runLoad({
        port: server.port,
        path: paths,
        connections: 1,
        durationMs: Number.POSITIVE_INFINITY,
        requestsMax: paths.length,
      });
    await ask(toPaths(days, 'warm').slice(0, 200));
    const beforeMs = readCpuMs(server.pid);
    const load = await ask(toPaths(days, 'asked'));
    const readMicros = ((readCpuMs(server.pid) - beforeMs) * 1000) / load.requests;
    return { readMicros, readP99Ms: load.p99Ms };
  } finally {
    await server.stop();
  }
}

/** Grows one store and stops at each size to measure. */
async function measureSizes(folder: string, sizes: readonly number[]): Promise<Cost[]> {
  const env = {
    DATA_DIR: folder,
    DEVNET: 'on',
    DEVNET_DEPLOYMENT: writeDeployment(folder, { rpcUrl: 'http://127.0.0.1:9' }),
  };
  const costs: Cost[] = [];
  let day = 0;
  for (const size of sizes) {
    const store = await openStore(loadConfig({ DATA_DIR: folder }).store);
    if (day === 0) await writeTokens(store);
    const days = Math.ceil(size / TRADES_A_DAY);
    let cpu = process.cpuUsage();
    let counted = 0;
    for (; day < days; day += 1) {
      // The last days before a size show what a commit costs there.
      if (days - day === 3) [cpu, counted] = [process.cpuUsage(), 0];
      await writeDay(store, day);
      counted += TRADES_A_DAY;
      if (day % 30 === 29)
        console.error(`grow: ${((day + 1) * TRADES_A_DAY) / 1e6} million trades`);
    }
    const { user, system } = process.cpuUsage(cpu);
    const commitMicros = (user + system) / counted;
    await store.close();
    costs.push({ trades: size, ...(await measureReads(env, days)), commitMicros });
  }
  return costs;
}

function toRow(goal: Row['goal'], costs: readonly Cost[], pick: (cost: Cost) => number): Row {
  const [first, last] = [costs[0], costs.at(-1)];
  const told = ({ trades }: Cost) => `${(trades / 1e6).toLocaleString('en')} million trades`;
  return {
    goal,
    ours: costs.map((cost) => `${pick(cost).toFixed(0)} µs at ${told(cost)}`).join(', '),
    peer: 'ourselves at the first size',
    ratio: first && last ? pick(first) / pick(last) : null,
    spread: null,
    note: `CPU; the slowest hundredth of reads takes ${costs.map((cost) => `${cost.readP99Ms.toFixed(1)} ms`).join(' and ')}`,
    growth: {
      of: 'trades',
      unit: 'µs',
      points: costs.map((cost) => ({ size: cost.trades, cost: pick(cost) })),
    },
  };
}

export async function benchTradeGrowth(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  try {
    const sizes = options.quick ? [40_000, 160_000] : [1_000_000, 10_000_000];
    const costs = await measureSizes(folder, sizes);
    return [
      toRow('tradeReadGrowth', costs, (cost) => cost.readMicros),
      toRow('tradeCommitGrowth', costs, (cost) => cost.commitMicros),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
