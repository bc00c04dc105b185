// Part `quote`: a swap on one V3 pool against @uniswap/v3-sdk, the best route over 200 pools, and
// quotes over HTTP.

import assert from 'node:assert/strict';
import { median, spread } from './measure.ts';
import { loadV3Sdk, V3_SDK_VERSION } from './peers/v3-sdk/install-v3-sdk.ts';
import { benchQuoteHttp } from './quote-http.ts';
import { benchRoute } from './quote-route.ts';
import type { Row } from './row.ts';
import { CROSSING_COUNT_MAX, createV3Scene, measureSyncUs, V3_FEE_PIPS } from './v3-pool.ts';

type V3Scene = ReturnType<typeof createV3Scene>;

interface Scene {
  readonly createPool: V3Scene['createPool'];
  readonly amounts: V3Scene['amounts'];
  readonly askSdk: (amountIn: bigint) => Promise<{ out: bigint; sqrtPriceX96: bigint }>;
}

async function createScene(): Promise<Scene> {
  const { state, ticks, createPool, amounts } = createV3Scene();
  const { sdk, core } = await loadV3Sdk();
  const [token0, token1] = [1, 2].map(
    (number) => new core.Token(1, `0x${String(number).padStart(40, '0')}`, 18),
  );
  const pool = new sdk.Pool(
    token0,
    token1,
    V3_FEE_PIPS,
    String(state.sqrtPriceX96),
    String(state.liquidity),
    state.tick,
    ticks.map(({ tick, liquidityNet, liquidityGross }) => ({
      index: tick,
      liquidityNet: String(liquidityNet),
      liquidityGross: String(liquidityGross),
    })),
  );
  const askSdk = async (amountIn: bigint) => {
    const amount = core.CurrencyAmount.fromRawAmount(token0, String(amountIn));
    const [out, after] = await pool.getOutputAmount(amount);
    return { out: BigInt(String(out.quotient)), sqrtPriceX96: BigInt(String(after.sqrtRatioX96)) };
  };
  return { createPool, amounts, askSdk };
}

/** Microseconds per call, over as many calls as fit into the given time. */
async function measureUs(run: () => unknown, forMs: number): Promise<number> {
  const startedMs = performance.now();
  let count = 0;
  while (performance.now() - startedMs < forMs) {
    for (let i = 0; i < 10; i += 1) await run();
    count += 10;
  }
  return ((performance.now() - startedMs) * 1000) / count;
}

async function benchPool(quick: boolean): Promise<Row> {
  const { createPool, amounts, askSdk } = await createScene();
  const kept = createPool();
  for (const [index, amount] of amounts.entries()) {
    const ours = kept.swapIn(true, amount);
    assert.equal(ours.ticksCrossed, index + 1);
    const theirs = await askSdk(amount);
    assert.deepEqual([ours.amountOut, ours.sqrtPriceX96], [theirs.out, theirs.sqrtPriceX96]);
  }
  const forMs = quick ? 60 : 250;
  const [fresh, again, sdk]: [number[], number[], number[]] = [[], [], []];
  const lowest: number[] = [];
  for (let round = 0; round < (quick ? 4 : 6); round += 1) {
    const us = { fresh: 0, again: 0, sdk: 0, lowest: Number.POSITIVE_INFINITY };
    for (const amount of amounts) {
      const freshUs = measureSyncUs(() => createPool().swapIn(true, amount), forMs / 4);
      const sdkUs = await measureUs(() => askSdk(amount), forMs);
      us.fresh += freshUs / amounts.length;
      us.sdk += sdkUs / amounts.length;
      us.again += measureSyncUs(() => kept.swapIn(true, amount), forMs / 4) / amounts.length;
      us.lowest = Math.min(us.lowest, sdkUs / freshUs);
    }
    // The first round warms up.
    if (round === 0) continue;
    fresh.push(us.fresh);
    again.push(us.again);
    sdk.push(us.sdk);
    lowest.push(us.lowest);
  }
  const ratios = sdk.map((us, index) => us / (fresh[index] ?? Number.NaN));
  return {
    goal: 'poolQuote',
    ours: `${median(fresh).toFixed(1)} µs`,
    peer: `@uniswap/v3-sdk ${V3_SDK_VERSION} ${median(sdk).toFixed(0)} µs`,
    ratio: median(ratios),
    spread: spread(ratios),
    note:
      `means over 1 to ${CROSSING_COUNT_MAX} crossings, lowest ratio ${median(lowest).toFixed(0)}, ` +
      `same results; on a pool that has just moved, asked again ${median(again).toFixed(2)} µs`,
  };
}

export async function benchQuote(options: { readonly quick: boolean }): Promise<Row[]> {
  const rows = [await benchPool(options.quick), benchRoute(options.quick)];
  return [...rows, ...(await benchQuoteHttp(options))];
}
