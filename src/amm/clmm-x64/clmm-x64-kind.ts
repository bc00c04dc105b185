// Concentrated-liquidity pools of Raydium and Orca as rows: a price, liquidity around it, ticks,
// what the vaults hold. The store and the API call this kind `rangeX64`.
//
// Swaps leave ticks as they are, so the liquidity after one is in its event or follows from the
// ticks that the price has crossed. Positions change ticks: then the pool must be read again. What
// vaults hold is no depth: anyone can send tokens there, or deposit them far from the price.

import { addUpLiquidity } from '../concentrated/assemble-state.ts';
import { walkDown, walkUp } from '../concentrated/payable-in-band.ts';
import { computeDepthTicks } from '../depth-ticks.ts';
import type { PoolKind, PoolTicks } from '../pool-kind.ts';
import { decodeOpening } from '../pool-moment.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import { reuseTickList, setTicks, type TickSetting } from '../set-ticks.ts';
import { hasFlag, isQuotable } from '../unchecked-flag.ts';
import { decodeAdaptive } from './adaptive-fee.ts';
import {
  ClmmX64Pool,
  listSwapArrays,
  ORCA_ARRAY_TICKS,
  type PlainClmmX64,
} from './clmm-x64-pool.ts';
import { TICK_TABLES, TICK_X64_MAX, type TickTableName } from './tick-prices.ts';

/** Null before the first event. */
interface ClmmX64Row {
  readonly sqrtPriceX64: bigint | null;
  readonly liquidity: bigint | null;
  readonly tick: number | null;
  readonly held0: bigint | null;
  readonly held1: bigint | null;
  /** When this state was read, in seconds: an adaptive fee decays from then on. */
  readonly atSeconds: number | null;
  /** An `AdaptiveFee` as text; empty for a fixed fee. */
  readonly adaptive: string;
  /** See `UncheckedFlag`. */
  readonly flags: string;
  /** The first and the last tick of those that were read. */
  readonly tickFrom: number | null;
  readonly tickTo: number | null;
  /** A `PoolOpening` as text. */
  readonly opens: string;
  /** What its tokens deduct from transfers (`encodeTransferFees`); empty if nothing. */
  readonly transferFees?: string;
}

interface ClmmX64Change extends FieldChange<ClmmX64Row> {
  readonly ticks?: readonly TickSetting[];
  /** Positions have changed, and nobody tells which ticks. */
  readonly isStale?: true;
}

interface RangeTerms {
  readonly table: TickTableName;
  readonly tickSpacing: number;
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    rangeX64: {
      readonly terms: RangeTerms;
      readonly state: ClmmX64Row;
      readonly change: ClmmX64Change;
    };
  }
}

const X32 = 32n;

const parts = createRecordParts<'rangeX64'>({
  terms: { table: 'text', tickSpacing: 'number' },
  state: {
    ...{ sqrtPriceX64: 'bigint', liquidity: 'bigint', tick: 'number' },
    ...{ held0: 'bigint', held1: 'bigint', atSeconds: 'number' },
    ...{ adaptive: 'text', flags: 'text', tickFrom: 'number', tickTo: 'number' },
    ...{ opens: 'text', transferFees: 'text' },
  },
  stateCountMin: 8,
});

interface Move {
  readonly liquidity: bigint;
  readonly from: number;
  readonly to: number;
}

/** The liquidity after the price has moved from one tick to another. */
function crossTicks(ticks: PoolTicks, { liquidity, from, to }: Move): bigint {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  let sum = 0n;
  for (const tick of ticks.order) {
    if (tick > low && tick <= high) sum += ticks.get(tick)?.liquidityNet ?? 0n;
  }
  return liquidity + (to > from ? sum : -sum);
}

/** Swaps that end exactly at an initialised tick on their way down have crossed it. */
function findTickAfter(
  table: TickTableName,
  price: bigint,
  { ticks, isDown }: { readonly ticks: PoolTicks; readonly isDown: boolean },
): number {
  const tick = TICK_TABLES[table].findTick(price);
  const isAt = isDown && TICK_TABLES[table].toPrice(tick) === price;
  return isAt && (ticks.get(tick)?.liquidityGross ?? 0n) > 0n ? tick - 1 : tick;
}

/** Whether the arrays that a swap in either direction is given were read. */
function isCovered({ tick, tickFrom, tickTo }: ClmmX64Row, terms: RangeTerms): boolean {
  if (tick === null || tickFrom === null || tickTo === null) return false;
  if (terms.table === 'raydium') return tick >= tickFrom && tick <= tickTo;
  const { tickSpacing } = terms;
  const lowest = listSwapArrays({ tick, tickSpacing }, true).at(-1) ?? tick;
  const highest = listSwapArrays({ tick, tickSpacing }, false).at(-1) ?? tick;
  const end = highest + ORCA_ARRAY_TICKS * tickSpacing - 1;
  return Math.max(lowest, -TICK_X64_MAX) >= tickFrom && Math.min(end, TICK_X64_MAX) <= tickTo;
}

export const clmmX64Kind: PoolKind<'rangeX64'> = {
  ...parts,
  name: 'rangeX64',
  hasTicks: true,
  hasDepthByLog: false,
  countsArrivals: false,
  eventFields: ['sqrtPriceX64', 'tick'],
  findFlags: ({ flags }) => flags,
  findOpening: ({ opens }) => decodeOpening(opens),
  needsTicks: ({ ticks, set }) =>
    ticks !== undefined || (set.sqrtPriceX64 !== undefined && set.liquidity === undefined),
  apply(draft, change, { ticks, swapped }) {
    const { state: before, terms } = draft;
    draft.state = { ...before, ...change.set };
    if (change.ticks !== undefined) setTicks(ticks, change.ticks);
    if (change.isStale) {
      draft.state = { ...draft.state, liquidity: null };
      draft.complete = false;
    }
    const { sqrtPriceX64, liquidity } = change.set;
    if (!sqrtPriceX64) return;
    if (liquidity === undefined) {
      const isKnown = draft.complete && before.liquidity !== null && before.tick !== null;
      const isDown = swapped !== null && swapped.amount0 > 0n;
      const to = findTickAfter(terms.table, sqrtPriceX64, { ticks, isDown });
      const after = isKnown
        ? crossTicks(ticks, { liquidity: before.liquidity, from: before.tick, to })
        : null;
      draft.state = { ...draft.state, tick: to, liquidity: after };
      if (after === null || after < 0n) draft.complete = false;
    }
    // Each swap renews what an adaptive fee depends on. Earlier versions read no packed ticks.
    const isOld = hasFlag(before.flags, 'packedTicks');
    const isUncertain = before.adaptive !== '' || isOld;
    if (isUncertain || !isCovered(draft.state, terms)) draft.complete = false;
  },
  assembleState(fields, ticks) {
    const state = parts.assembleState(fields, ticks);
    if (state === null || state.tick === null) return null;
    // All ticks add up to the liquidity; a part of them does not.
    if (state.tickFrom !== -TICK_X64_MAX || state.tickTo !== TICK_X64_MAX) return state;
    const ordered = [...ticks].sort((a, b) => a.tick - b.tick);
    return addUpLiquidity(ordered, state.tick) === state.liquidity ? state : null;
  },
  findDepthTicks: ({ state }) => computeDepthTicks(state.tick, 1.0001),
  price({ sqrtPriceX64 }) {
    if (!sqrtPriceX64) return null;
    return { numerator: sqrtPriceX64 * sqrtPriceX64, denominator: 1n << 128n };
  },
  holdings({ held0, held1 }) {
    return held0 === null || held1 === null ? null : { amount0: held0, amount1: held1 };
  },
  payableRaw({ state, complete }, base, ticks) {
    const { sqrtPriceX64, tick, liquidity } = state;
    if (!sqrtPriceX64 || tick === null || liquidity === null) return 0n;
    const known = complete ? ticks : null;
    const sqrtPriceX96 = sqrtPriceX64 << X32;
    const walk = { ticks: known, sqrtPriceX96, tick, liquidity };
    return base === 'token0' ? walkDown(walk) : walkUp(walk);
  },
  createSwapPool({ state, complete, feePips, terms }, ticks, previous) {
    const { sqrtPriceX64, liquidity, tick, held0, held1, atSeconds, flags } = state;
    if (!sqrtPriceX64 || liquidity === null || tick === null || !complete) return null;
    if (held0 === null || held1 === null || !isQuotable(flags)) return null;
    const list = reuseTickList(ticks, previous);
    if (liquidity === 0n && list.size === 0) return null;
    const adaptive = decodeAdaptive(state.adaptive);
    const fees = { zeroForOne: feePips, oneForZero: feePips };
    return new ClmmX64Pool(
      { sqrtPriceX64, liquidity, tick, held0, held1, adaptive },
      { ...terms, fees, nowSeconds: atSeconds ?? 0, ticks: list },
    );
  },
  revive(plain, ticks) {
    if (ticks === null) throw new Error('a range pool has no ticks');
    const { state, ...terms } = plain as PlainClmmX64;
    return new ClmmX64Pool(state, { ...terms, ticks });
  },
};
