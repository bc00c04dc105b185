// Part `quote`, over HTTP: what a quote takes through the whole stack, for an ordinary token and
// for one with 200 pools.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toSqrtPriceX96 } from '../src/amm/sqrt-price-at-tick.ts';
import { openStore } from '../src/compose/open-store.ts';
import { loadConfig } from '../src/config.ts';
import type { PoolRecord, TickRecord } from '../src/model/market-record.ts';
import { createRandom } from '../test/fakes/fake-chain.ts';
import { runLoad } from './load-client.ts';
import { buildMarketStore, toAddress } from './market-store.ts';
import { readCpuMs, type StartedServer, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const CHAIN = 'devnet';
const WETH = toAddress('ee', 1);
const USDC = toAddress('ee', 2);
const ORDINARY = toAddress('aa', 3);
const BUSY = toAddress('aa', 4);
const RANGE = 887_220;
const CONNECTIONS = 32;

interface Made {
  readonly pool: PoolRecord;
  readonly ticks: readonly TickRecord[];
}

/** A full range and a narrow one, so that larger trades cross ticks. */
function makePool(number: number, tokens: readonly [string, string], random: () => number): Made {
  const [token0, token1] = tokens;
  const id = toAddress('d3', number);
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
    tickSpacing: 60,
    hooks: null,
    vault: id,
    createdBlock: 1,
    createdAtMs: 1,
    complete: true,
    reserve0: null,
    reserve1: null,
    sqrtPriceX96: toSqrtPriceX96(tick),
    liquidity: 2n * wide,
    tick,
    protocolFee: 0,
    lastSwapAtMs: null,
    amount0: null,
    amount1: null,
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
  const add = (count: number, tokens: readonly [string, string]) => {
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

function toBody(mint: string, amountInRaw: bigint): string {
  return JSON.stringify({ chain: CHAIN, mint, side: 'buy', amountInRaw: amountInRaw.toString() });
}

async function untilQuoting(server: StartedServer): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = toBody(ORDINARY, 10n ** 18n);
  const url = `http://127.0.0.1:${server.port}/v1/trade/quote`;
  for (;;) {
    const answer = await fetch(url, { method: 'POST', headers, body });
    if (answer.status === 200) return;
    if (answer.status !== 503) throw new Error(await answer.text());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function measure(server: StartedServer, body: string, durationMs: number) {
  const load = { port: server.port, path: '/v1/trade/quote', body };
  await runLoad({ ...load, connections: CONNECTIONS, durationMs: durationMs / 2 });
  const beforeMs = readCpuMs(server.pid);
  const many = await runLoad({ ...load, connections: CONNECTIONS, durationMs });
  const cpuMs = (readCpuMs(server.pid) - beforeMs) / many.requests;
  const one = await runLoad({ ...load, connections: 1, durationMs: durationMs / 2 });
  return { many, one, cpuMs };
}

function toRow(goal: Row['goal'], { many, one, cpuMs }: Awaited<ReturnType<typeof measure>>): Row {
  const toMs = (ms: number) => `${ms.toFixed(2)} ms`;
  return {
    goal,
    ours: `${Math.round(many.requestsPerSecond)} req/s`,
    peer: '',
    ratio: null,
    spread: null,
    note:
      `one caller: half within ${toMs(one.p50Ms)}, 99 % within ${toMs(one.p99Ms)}; ` +
      `${CONNECTIONS} at once: ${toMs(many.p50Ms)} and ${toMs(many.p99Ms)}; ` +
      `${toMs(cpuMs)} of CPU a quote`,
  };
}

export async function benchQuoteHttp(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  try {
    const env = await buildMarketStore(folder, 1000);
    await addPools(folder);
    const server = await startOurs({
      env: { ...env, LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000' },
    });
    try {
      await untilQuoting(server);
      const durationMs = options.quick ? 1200 : 8000;
      const ordinary = await measure(server, toBody(ORDINARY, 10n ** 18n), durationMs);
      const busy = await measure(server, toBody(BUSY, 10n ** 21n), durationMs);
      return [toRow('quoteHttp', ordinary), toRow('quoteHttpBusy', busy)];
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
