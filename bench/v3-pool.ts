// A V3 pool of nested positions, and amounts that cross one to ten of its ticks: the measure for
// quotes on one pool.

import { computeDirectionFees } from '../src/amm/concentrated/concentrated-kind.ts';
import { ConcentratedPool } from '../src/amm/concentrated/concentrated-pool.ts';
import { toSqrtPriceX96 } from '../src/amm/concentrated/sqrt-price-at-tick.ts';
import { TickList } from '../src/amm/tick-list.ts';

const TICK_SPACING = 60;
export const V3_FEE_PIPS = 3000;
const POSITION_COUNT = 12;
export const CROSSING_COUNT_MAX = 10;

/** Nested positions, so that each further tick changes the liquidity. */
function createRows() {
  const rows = new Map<number, { liquidityNet: bigint; liquidityGross: bigint }>();
  let liquidity = 0n;
  for (let i = 1; i <= POSITION_COUNT; i += 1) {
    const amount = 10n ** 21n + BigInt(i) * 10n ** 19n;
    liquidity += amount;
    rows.set(-i * TICK_SPACING, { liquidityNet: amount, liquidityGross: amount });
    rows.set(i * TICK_SPACING, { liquidityNet: -amount, liquidityGross: amount });
  }
  const ticks = Array.from(rows, ([tick, row]) => ({ tick, ...row }));
  return { liquidity, ticks: ticks.sort((a, b) => a.tick - b.tick) };
}

export function createV3Scene() {
  const { liquidity, ticks } = createRows();
  const state = { sqrtPriceX96: toSqrtPriceX96(7), liquidity, tick: 7 };
  const table = new TickList(ticks);
  const terms = {
    bitmapSpacing: TICK_SPACING,
    fees: computeDirectionFees(V3_FEE_PIPS, 0),
    ticks: table,
  };
  /** As it is after each move: nothing of earlier quotes is known. */
  const createPool = () => new ConcentratedPool(state, terms);
  const probe = createPool();
  /** By crossings minus one: an amount that crosses that many ticks. */
  const amounts = Array.from({ length: CROSSING_COUNT_MAX }, (_, index) => {
    let amount = 10n ** 15n;
    while (probe.swapIn(true, amount).ticksCrossed <= index) amount += amount / 50n;
    return amount;
  });
  return { state, ticks, createPool, amounts };
}

/** Microseconds per call, over as many calls as fit into the given time. */
export function measureSyncUs(run: () => unknown, forMs: number): number {
  const startedMs = performance.now();
  let count = 0;
  while (performance.now() - startedMs < forMs) {
    for (let i = 0; i < 100; i += 1) run();
    count += 100;
  }
  return ((performance.now() - startedMs) * 1000) / count;
}
