// Part `quote`, over HTTP: a quote through the whole stack, for an ordinary token and for one with
// 200 pools.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toSqrtPriceX96 } from '../src/amm/concentrated/sqrt-price-at-tick.ts';
import { loadConfig } from '../src/config.ts';
import { openStore } from '../src/engines/open-store.ts';
import type { Address } from '../src/model/ids.ts';
import type { TickRecord } from '../src/model/market-record.ts';
import type { PoolRecord } from '../src/model/pool.ts';
import { createRandom } from '../test/fakes/create-random.ts';
import { poolId } from '../test/test-ids.ts';
import { type LoadResult, runLoad } from './load-client.ts';
import { buildMarketAddress, buildMarketStore, MARKET_HEAD } from './market-store.ts';
import { median, readCpuMs, type StartedServer, spread, startOurs } from './measure.ts';
import { benchLongQuotes } from './quote-long.ts';
import type { Row } from './row.ts';
import { startStillNode } from './still-node.ts';

const CHAIN = 'devnet';
const CHAIN_ID = 1337;
const WETH = buildMarketAddress('ee', 1);
const USDC = buildMarketAddress('ee', 2);
const ORDINARY = buildMarketAddress('aa', 3);
const BUSY = buildMarketAddress('aa', 4);
const RANGE = 887_220;
const CONNECTIONS = 32;
/** About a third of what all pools of the busy token hold. */
const LONG_AMOUNT = 10n ** 24n;

interface Made {
  readonly pool: PoolRecord;
  readonly ticks: readonly TickRecord[];
}

/** A full range and a narrow one, so that larger trades cross ticks. */
function makePool(number: number, tokens: readonly [Address, Address], random: () => number): Made {
  const [token0, token1] = tokens;
  const vault = buildMarketAddress('d3', number);
  const id = poolId(vault);
  const tick = Math.floor((random() - 0.5) * 20);
  const wide = BigInt(Math.floor((0.2 + random()) * 1e6)) * 10n ** 16n;
  const nets = [
    [-RANGE, wide],
    [-600, wide],
    [600, -wide],
    [RANGE, -wide],
  ] as const;
  const pool: PoolRecord = {
    pool: id,
    venue: 'uniswap-v3',
    token0,
    token1,
    feePips: [500, 3000, 10_000][number % 3] ?? 3000,
    kind: 'concentrated',
    terms: { tickSpacing: 60, custody: { kind: 'own' } },
    vault,
    createdBlock: 1,
    createdAtMs: 1,
    complete: true,
    state: {
      ...{ sqrtPriceX96: toSqrtPriceX96(tick), liquidity: 2n * wide, tick },
      ...{ protocolFee: 0, amount0: null, amount1: null },
    },
    lastSwapAtMs: null,
    liquidityUsdE18: 10n ** 24n,
  };
  const ticks = nets.map(([at, liquidityNet]) => ({
    ...{ pool: id, tick: at, liquidityNet },
    liquidityGross: wide,
  }));
  return { pool, ticks };
}

async function addPools(folder: string): Promise<void> {
  const random = createRandom(11);
  const made: Made[] = [];
  const add = (count: number, tokens: readonly [Address, Address]) => {
    for (let i = 0; i < count; i += 1) made.push(makePool(made.length + 1, tokens, random));
  };
  add(3, [ORDINARY, WETH]);
  add(2, [ORDINARY, USDC]);
  add(4, [WETH, USDC]);
  add(120, [BUSY, WETH]);
  add(76, [BUSY, USDC]);
  const store = await openStore(loadConfig({ DATA_DIR: folder }).store);
  try {
    const checkpoint = await store.market.readCheckpoint(CHAIN);
    if (checkpoint === null) throw new Error('the store has nothing of the chain');
    await store.market.transaction(CHAIN, async (transaction) => {
      await transaction.setCheckpoint({ ...checkpoint, version: checkpoint.version + 1 });
      await transaction.putPools(made.map(({ pool }) => pool));
      await transaction.putTicks(made.flatMap(({ ticks }) => ticks));
    });
  } finally {
    await store.close();
  }
}

function buildBody(mint: string, amountInRaw: bigint): string {
  return JSON.stringify({ chain: CHAIN, mint, side: 'buy', amountInRaw: amountInRaw.toString() });
}

async function untilQuoting(server: StartedServer): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = buildBody(ORDINARY, 10n ** 18n);
  const url = `http://127.0.0.1:${server.port}/v1/trade/quote`;
  for (let tries = 0; ; tries += 1) {
    const answer = await fetch(url, { method: 'POST', headers, body });
    if (answer.status === 200) return;
    const text = await answer.text();
    // A service that never quotes is a fault; a slow one is not.
    if (answer.status !== 503 || tries > 600) throw new Error(text);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

interface Turn {
  readonly many: LoadResult;
  readonly one: LoadResult;
  readonly cpuMs: number;
}

async function takeTurn(server: StartedServer, body: string, durationMs: number): Promise<Turn> {
  const load = { port: server.port, path: '/v1/trade/quote', body };
  const beforeMs = readCpuMs(server.pid);
  const many = await runLoad({ ...load, connections: CONNECTIONS, durationMs });
  const cpuMs = (readCpuMs(server.pid) - beforeMs) / many.requests;
  const one = await runLoad({ ...load, connections: 1, durationMs: durationMs / 2 });
  return { many, one, cpuMs };
}

function buildRow(goal: Row['goal'], turns: readonly Turn[]): Row {
  const rates = turns.map(({ many }) => many.requestsPerSecond);
  const formatMedianMs = (read: (turn: Turn) => number) =>
    `${median(turns.map(read)).toFixed(2)} ms`;
  return {
    goal,
    ours: `${Math.round(median(rates))} req/s`,
    peer: '',
    ratio: null,
    spread: spread(rates),
    note:
      `one caller: half within ${formatMedianMs(({ one }) => one.p50Ms)}, ` +
      `99 % within ${formatMedianMs(({ one }) => one.p99Ms)}; ` +
      `${CONNECTIONS} at once: ${formatMedianMs(({ many }) => many.p50Ms)} and ` +
      `${formatMedianMs(({ many }) => many.p99Ms)}; ${formatMedianMs(({ cpuMs }) => cpuMs)} of CPU a quote`,
  };
}

async function measure(server: StartedServer, quick: boolean): Promise<Row[]> {
  const [turnCount, turnMs] = quick ? [3, 500] : [5, 2000];
  const bodies = [buildBody(ORDINARY, 10n ** 18n), buildBody(BUSY, 10n ** 21n)] as const;
  for (const body of bodies) await takeTurn(server, body, turnMs);
  const ordinary: Turn[] = [];
  const busy: Turn[] = [];
  for (let turn = 0; turn < turnCount; turn += 1) {
    ordinary.push(await takeTurn(server, bodies[0], turnMs));
    busy.push(await takeTurn(server, bodies[1], turnMs));
  }
  const long = {
    readPath: `/v1/token?chain=${CHAIN}&mint=${ORDINARY}`,
    quoteBody: buildBody(BUSY, LONG_AMOUNT),
  };
  const beside = await benchLongQuotes(server, long, { quick });
  return [buildRow('quoteHttp', ordinary), buildRow('quoteHttpBusy', busy), beside];
}

export async function benchQuoteHttp(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const node = await startStillNode(CHAIN_ID, MARKET_HEAD);
  try {
    // Quotes only need pools, so a short history is enough.
    const env = await buildMarketStore(folder, { tokens: 1000, deepTokens: 20 }, node.url);
    await addPools(folder);
    const server = await startOurs({
      env: { ...env, LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000' },
    });
    try {
      await untilQuoting(server);
      return await measure(server, options.quick);
    } finally {
      await server.stop();
    }
  } finally {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
