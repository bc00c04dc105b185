// Meteora's DAMM v2 pools as rows: one range of prices, its liquidity, the fee at present.

import { maxOf, minOf } from '../../lib/bigint-bounds.ts';
import { decodeSchedule } from '../fee-schedule.ts';
import type { PoolKind } from '../pool-kind.ts';
import { decodeOpening } from '../pool-moment.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import { hasFlag, isQuotable } from '../unchecked-flag.ts';
import { computeBaseDown, computeQuoteDown } from '../wide-price-math.ts';
import { type PlainSingleRange, type RangeFeeToken, SingleRangePool } from './single-range-pool.ts';

/** Null before the first event. */
interface SingleRangeRow {
  readonly sqrtPriceX64: bigint | null;
  /** The liquidity times 2^64. */
  readonly wide: bigint | null;
  readonly held0: bigint | null;
  readonly held1: bigint | null;
  /** In 1e-9: the dynamic fee and the base one, at the cliff of its schedule if it has one. */
  readonly feeRate: bigint | null;
  /** See `UncheckedFlag`. */
  readonly flags: string;
  /** Whether each swap changes the fee, by how far it moved the price. */
  readonly isDynamic: boolean | null;
  /** A `FeeSchedule` as text; empty for a base fee that does not change with time. */
  readonly schedule: string;
  /** A `PoolOpening` as text. */
  readonly opens: string;
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    singleRange: {
      readonly terms: {
        readonly priceMin: bigint;
        readonly priceMax: bigint;
        readonly feeOn: RangeFeeToken;
      };
      readonly state: SingleRangeRow;
      readonly change: FieldChange<SingleRangeRow>;
    };
  }
}

/** The square root of 0.98, in 1e-18. */
const BAND = 989_949_493_661_166_534n;
const ONE = 1_000_000_000_000_000_000n;

const parts = createRecordParts<'singleRange'>({
  terms: { priceMin: 'bigint', priceMax: 'bigint', feeOn: 'text' },
  state: {
    ...{ sqrtPriceX64: 'bigint', wide: 'bigint', held0: 'bigint', held1: 'bigint' },
    ...{ feeRate: 'bigint', flags: 'text', isDynamic: 'boolean' },
    ...{ schedule: 'text', opens: 'text' },
  },
  stateCountMin: 6,
});

export const singleRangeKind: PoolKind<'singleRange'> = {
  ...parts,
  name: 'singleRange',
  hasTicks: false,
  hasDepthByLog: false,
  countsArrivals: false,
  eventFields: ['sqrtPriceX64'],
  findFlags: ({ flags }) => flags,
  findOpening: ({ opens }) => decodeOpening(opens),
  apply(draft, change, context) {
    parts.apply(draft, change, context);
    const { flags, isDynamic } = draft.state;
    // Earlier versions stored no schedule and no opening.
    const isOld = hasFlag(flags, 'feeScheduler') || hasFlag(flags, 'rateLimiter');
    if (isOld) draft.complete = false;
    if (context.swapped === null || isDynamic !== true) return;
    draft.state = { ...draft.state, feeRate: null };
    draft.complete = false;
  },
  price({ sqrtPriceX64 }) {
    if (!sqrtPriceX64) return null;
    return { numerator: sqrtPriceX64 * sqrtPriceX64, denominator: 1n << 128n };
  },
  holdings({ held0, held1 }) {
    return held0 === null || held1 === null ? null : { amount0: held0, amount1: held1 };
  },
  payableRaw({ state: { sqrtPriceX64: price, wide }, terms }, base) {
    if (!price || !wide) return 0n;
    if (base === 'token0') {
      const end = (price * BAND) / ONE;
      return computeQuoteDown(wide, maxOf(end, terms.priceMin), price);
    }
    const end = (price * ONE) / BAND;
    return computeBaseDown(wide, price, minOf(end, terms.priceMax));
  },
  createSwapPool({ state, terms }) {
    const { sqrtPriceX64, wide, feeRate, flags } = state;
    if (!sqrtPriceX64 || !wide || feeRate === null || !isQuotable(flags)) return null;
    const schedule = decodeSchedule(state.schedule);
    return new SingleRangePool({ ...terms, sqrtPriceX64, wide, feeRate, schedule });
  },
  revive: (plain) => new SingleRangePool(plain as PlainSingleRange),
};
