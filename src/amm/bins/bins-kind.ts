// Meteora's DLMM pools as rows: the active bin, the others as ticks, the volatility of the fee.
//
// A bin's row has X + Y as its gross and X − Y as its net, so a bin that holds anything has a
// positive gross, as a tick has.
//
// A swap's event has no bins: the swap is computed again, and if that gives what the event says,
// the bins are those of the result. Otherwise, and when positions change, the pool must be read
// again.

import type { PoolRecordOf } from '../../model/pool.ts';
import { computeDepthTicks } from '../depth-ticks.ts';
import type { PoolKind, PoolTicks } from '../pool-kind.ts';
import { decodeOpening } from '../pool-moment.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import { reuseTickList, setTicks } from '../set-ticks.ts';
import { TickList } from '../tick-list.ts';
import { isQuotable } from '../unchecked-flag.ts';
import type { BinFeeTerms } from './bin-fee.ts';
import { DLMM_RULES } from './bin-rules.ts';
import { type BinSetting, BinsPool, type PlainBins } from './bins-pool.ts';
import { sumPayable } from './sum-payable.ts';

/** Null before the first event. */
interface BinsRow {
  readonly activeId: number | null;
  /** The price of the active bin. */
  readonly priceX64: bigint | null;
  readonly activeX: bigint | null;
  readonly activeY: bigint | null;
  /** What the vaults hold. */
  readonly held0: bigint | null;
  readonly held1: bigint | null;
  readonly volatility: number | null;
  readonly volatilityReference: number | null;
  readonly indexReference: number | null;
  readonly updatedAt: number | null;
  /** See `UncheckedFlag`. */
  readonly flags: string;
  /** The first and the last bin of those that were read. */
  readonly binFrom: number | null;
  readonly binTo: number | null;
  /** A `PoolOpening` as text. */
  readonly opens: string;
  /** What its tokens deduct from transfers (`encodeTransferFees`); empty if nothing. */
  readonly transferFees?: string;
}

/** A swap to be computed again. */
interface BinsSwapReport {
  readonly zeroForOne: boolean;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly nowSeconds: number;
}

interface BinsChange extends FieldChange<BinsRow> {
  /** Bins as they are after the event. */
  readonly bins?: readonly BinSetting[];
  readonly swap?: BinsSwapReport;
  /** Positions have changed, and nobody tells which bins. */
  readonly isStale?: true;
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    bins: {
      readonly terms: BinFeeTerms;
      readonly state: BinsRow;
      readonly change: BinsChange;
    };
  }
}

/** So many bins on each side of the active one must have been read. */
const COVERED_MIN = 70;

/** A bin as a tick's row. */
export function toBinTick({ id, x, y }: BinSetting) {
  return { tick: id, liquidityGross: x + y, liquidityNet: x - y };
}

const parts = createRecordParts<'bins'>({
  terms: {
    ...{ binStep: 'number', baseFactor: 'number', basePower: 'number', filterSeconds: 'number' },
    ...{ decaySeconds: 'number', reduction: 'number', control: 'number', volatilityMax: 'number' },
  },
  state: {
    ...{ activeId: 'number', priceX64: 'bigint', activeX: 'bigint', activeY: 'bigint' },
    ...{ held0: 'bigint', held1: 'bigint', volatility: 'number', volatilityReference: 'number' },
    ...{ indexReference: 'number', updatedAt: 'number', flags: 'text' },
    ...{ binFrom: 'number', binTo: 'number', opens: 'text', transferFees: 'text' },
  },
  stateCountMin: 11,
});

type BinsRecord = PoolRecordOf<'bins'>;

function createPool({ state, terms }: BinsRecord, list: TickList): BinsPool | null {
  const { activeId, activeX, activeY } = state;
  const { volatility, volatilityReference, indexReference, updatedAt } = state;
  if (activeId === null || activeX === null || activeY === null) return null;
  if (volatility === null || volatilityReference === null) return null;
  if (indexReference === null || updatedAt === null) return null;
  const fee = { volatility, volatilityReference, indexReference, updatedAt };
  return new BinsPool(
    { activeId, activeX, activeY, ...fee },
    { ...terms, rules: DLMM_RULES, nowSeconds: updatedAt, ticks: list },
  );
}

/** Null if the swap does not come out as reported. */
function replaySwap(record: BinsRecord, ticks: PoolTicks, report: BinsSwapReport) {
  const rows = ticks.order.map((tick) => ({
    tick,
    liquidityNet: ticks.get(tick)?.liquidityNet ?? 0n,
  }));
  const pool = createPool(record, new TickList(rows))?.at({
    seconds: report.nowSeconds,
  });
  const swap = pool?.swapIn(report.zeroForOne, report.amountIn);
  return swap?.isFilled && swap.amountOut === report.amountOut ? swap : null;
}

/** A pool that has moved close to bins that were not read is read again. */
function isCovered({ activeId, binFrom, binTo }: BinsRow): boolean {
  if (activeId === null || binFrom === null || binTo === null) return false;
  return activeId - COVERED_MIN >= binFrom && activeId + COVERED_MIN <= binTo;
}

export const binsKind: PoolKind<'bins'> = {
  ...parts,
  name: 'bins',
  hasTicks: true,
  hasDepthByLog: false,
  countsArrivals: false,
  eventFields: ['activeId', 'priceX64'],
  findFlags: ({ flags }) => flags,
  findOpening: ({ opens }) => decodeOpening(opens),
  needsTicks: ({ bins, swap }) => bins !== undefined || swap !== undefined,
  apply(draft, change, { ticks }) {
    const before: BinsRecord = { ...draft };
    draft.state = { ...before.state, ...change.set };
    if (change.bins !== undefined) setTicks(ticks, change.bins.map(toBinTick));
    const swap =
      change.swap !== undefined && before.complete ? replaySwap(before, ticks, change.swap) : null;
    if (swap !== null && swap.after.activeId === draft.state.activeId) {
      draft.state = { ...draft.state, ...swap.after };
      setTicks(ticks, swap.bins.map(toBinTick));
      if (isCovered(draft.state)) return;
    } else if (change.swap === undefined && !change.isStale) {
      return;
    }
    draft.state = { ...draft.state, activeX: null, activeY: null };
    draft.complete = false;
  },
  findDepthTicks: ({ state, terms }) =>
    computeDepthTicks(state.activeId, 1 + terms.binStep / 10_000),
  price({ priceX64 }) {
    return priceX64 ? { numerator: priceX64, denominator: 1n << 64n } : null;
  },
  holdings({ held0, held1 }) {
    return held0 === null || held1 === null ? null : { amount0: held0, amount1: held1 };
  },
  payableRaw: ({ state, terms, complete }, base, ticks) =>
    complete ? sumPayable({ ...state, binStep: terms.binStep }, base, ticks) : 0n,
  createSwapPool(record, ticks, previous) {
    if (!record.complete || !isQuotable(record.state.flags)) return null;
    return createPool(record, reuseTickList(ticks, previous));
  },
  revive(plain, ticks) {
    if (ticks === null) throw new Error('a pool of bins has no bins');
    const { state, ...terms } = plain as PlainBins;
    return new BinsPool(state, { ...terms, rules: DLMM_RULES, ticks });
  },
};
