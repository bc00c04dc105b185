// Meteora's bonding curves as rows: the segments are terms, the price is the state.

import { maxOf } from '../../lib/bigint-bounds.ts';
import { computeProgressPct } from '../curve-progress.ts';
import { decodeSchedule } from '../fee-schedule.ts';
import { type PoolKind, toLaunchStage } from '../pool-kind.ts';
import { decodeOpening } from '../pool-moment.ts';
import { findProductPayable } from '../product-payable.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import { isQuotable } from '../unchecked-flag.ts';
import {
  type CurveFeeToken,
  type CurveSegment,
  type PlainSegments,
  SegmentsPool,
} from './segments-pool.ts';

/** Null before the first event. */
interface SegmentsRow {
  readonly sqrtPriceX64: bigint | null;
  /** What the curve has of the coin, and what was paid for the rest. */
  readonly held0: bigint | null;
  readonly held1: bigint | null;
  /** In 1e-9; at the cliff of its schedule, if it has one. */
  readonly feeRate: bigint | null;
  /** Whether as much was paid as ends the curve: it takes no more swaps. */
  readonly isComplete: boolean | null;
  /** Whether its coin has got a pool of its own. */
  readonly isMigrated: boolean | null;
  /** See `UncheckedFlag`. */
  readonly flags: string;
  /** A `FeeSchedule` as text; empty for a fee that does not change with time. */
  readonly schedule: string;
  /** A `PoolOpening` as text. */
  readonly opens: string;
  /** Whether each swap changes the fee, by how far it moved the price. */
  readonly isDynamic: boolean | null;
  /** What its tokens deduct from transfers (`encodeTransferFees`); empty if nothing. */
  readonly transferFees?: string;
}

interface SegmentsTerms {
  readonly priceStart: bigint;
  /** See `encodeSegments`. */
  readonly segments: string;
  readonly feeOn: CurveFeeToken;
  /** The curve ends once so much was paid. */
  readonly threshold: bigint;
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    segments: {
      readonly terms: SegmentsTerms;
      readonly state: SegmentsRow;
      readonly change: FieldChange<SegmentsRow>;
    };
  }
}

/** As text for the store: `price:liquidity` of each, separated by spaces. */
export function encodeSegments(segments: readonly CurveSegment[]): string {
  return segments.map(({ priceEnd, wide }) => `${priceEnd}:${wide}`).join(' ');
}

function decodeSegments(text: string): CurveSegment[] {
  return text.split(' ').map((segment) => {
    const [priceEnd = '0', wide = '0'] = segment.split(':');
    return { priceEnd: BigInt(priceEnd), wide: BigInt(wide) };
  });
}

/** The square root of 0.98, in 1e-18. */
const BAND = 989_949_493_661_166_534n;
const ONE = 1_000_000_000_000_000_000n;

/** Null if the curve takes no swaps. */
function createPool(row: SegmentsRow, terms: SegmentsTerms): SegmentsPool | null {
  const { sqrtPriceX64, held1, feeRate, isComplete, flags } = row;
  const schedule = decodeSchedule(row.schedule);
  if (!sqrtPriceX64 || feeRate === null || isComplete !== false || !isQuotable(flags)) return null;
  const { priceStart, feeOn } = terms;
  const segments = decodeSegments(terms.segments);
  const room = maxOf(terms.threshold - (held1 ?? 0n), 0n);
  return new SegmentsPool({ sqrtPriceX64, priceStart, segments, feeRate, feeOn, room, schedule });
}

const parts = createRecordParts<'segments'>({
  terms: { priceStart: 'bigint', segments: 'text', feeOn: 'text', threshold: 'bigint' },
  state: {
    ...{ sqrtPriceX64: 'bigint', held0: 'bigint', held1: 'bigint', feeRate: 'bigint' },
    ...{ isComplete: 'boolean', isMigrated: 'boolean', flags: 'text' },
    ...{ schedule: 'text', opens: 'text', isDynamic: 'boolean', transferFees: 'text' },
  },
  stateCountMin: 7,
});

export const segmentsKind: PoolKind<'segments'> = {
  ...parts,
  name: 'segments',
  hasTicks: false,
  hasDepthByLog: false,
  countsArrivals: false,
  eventFields: ['sqrtPriceX64'],
  findFlags: ({ flags }) => flags,
  findOpening: ({ opens }) => decodeOpening(opens),
  apply(draft, change, context) {
    parts.apply(draft, change, context);
    if (context.swapped !== null && draft.state.isDynamic === true) {
      draft.state = { ...draft.state, feeRate: null };
      draft.complete = false;
    }
  },
  findLaunch: ({ state }) => toLaunchStage(state.isComplete),
  findProgress({ terms, state: { held1, isMigrated } }) {
    const isGraduated = isMigrated === true;
    const progressPct = isGraduated ? 100 : computeProgressPct(held1, terms.threshold);
    return { progressPct, isGraduated };
  },
  price({ sqrtPriceX64 }) {
    if (!sqrtPriceX64) return null;
    return { numerator: sqrtPriceX64 * sqrtPriceX64, denominator: 1n << 128n };
  },
  holdings({ held0, held1 }) {
    return held0 === null || held1 === null ? null : { amount0: held0, amount1: held1 };
  },
  payableRaw({ state, terms }, base) {
    const { sqrtPriceX64: price, held0, held1, feeRate } = state;
    if (!price) return 0n;
    // At least as much as if it were spread over all prices.
    if (feeRate === null) return findProductPayable((base === 'token0' ? held1 : held0) ?? 0n);
    const end = base === 'token0' ? (price * BAND) / ONE : (price * ONE) / BAND;
    return createPool(state, terms)?.payTo(end) ?? 0n;
  },
  createSwapPool: ({ state, terms }) => createPool(state, terms),
  revive: (plain) => new SegmentsPool(plain as PlainSegments),
};
