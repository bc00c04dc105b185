// Pairs of Solidly's family as rows: reserves, fees by direction, and whether the pair is stable,
// which some venues may change in mid-life.

import { divideUp } from '../divide-up.ts';
import type { PoolDraft, PoolKind } from '../pool-kind.ts';
import { findProductPayable } from '../product-payable.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import { findCurvePayable } from '../smooth-curve.ts';
import { isQuotable, joinFlags } from '../unchecked-flag.ts';
import { type PlainSolidlyPair, SolidlyPairPool, type SolidlyTerms } from './solidly-pair-pool.ts';

/** Null if unknown. */
interface SolidlyPairState {
  readonly reserve0: bigint | null;
  readonly reserve1: bigint | null;
  readonly decimals0: number | null;
  readonly decimals1: number | null;
  readonly isStable: boolean | null;
  /** In pips, for swaps of token 0 and of token 1. */
  readonly fee0: number | null;
  readonly fee1: number | null;
  /** See `UncheckedFlag`. */
  readonly flags: string;
  /** Whether the last swap paid this fee, or a log set it since. */
  readonly isFeeConfirmed: boolean;
}

/** What a swap paid in, and what of it went to the contract that collects fees. */
interface ChargedSwap {
  readonly in0: bigint;
  readonly in1: bigint;
  readonly taken0: bigint;
  readonly taken1: bigint;
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    solidlyPair: {
      readonly terms: SolidlyTerms;
      readonly state: SolidlyPairState;
      /** Reserves alone come in the log that Uniswap's pairs emit, too. */
      readonly change:
        | FieldChange<SolidlyPairState>
        | { readonly charged: ChargedSwap }
        | { readonly reserve0: bigint; readonly reserve1: bigint };
    };
  }
}

const parts = createRecordParts<'solidlyPair'>({
  terms: {
    ...{ rounding: 'text', loop: 'text', reserveBits: 'number' },
    ...{ feeLeavesPips: 'number', stableFeeLeavesPips: 'number' },
  },
  state: {
    ...{ reserve0: 'bigint', reserve1: 'bigint', decimals0: 'number', decimals1: 'number' },
    ...{ isStable: 'boolean', fee0: 'number', fee1: 'number', flags: 'text' },
    isFeeConfirmed: 'boolean',
  },
  stateCountMin: 8,
});

function createPool(state: SolidlyPairState, terms: SolidlyTerms): SolidlyPairPool | null {
  const { reserve0, reserve1, decimals0, decimals1, isStable, fee0, fee1 } = state;
  if (!reserve0 || !reserve1 || decimals0 === null || decimals1 === null) return null;
  if (isStable === null || fee0 === null || fee1 === null) return null;
  const fees = { zeroForOne: fee0, oneForZero: fee1 };
  return new SolidlyPairPool({
    ...{ reserve0, reserve1, decimals0, decimals1, isStable, fees, terms },
  });
}

/** Of any terms: they change neither the price nor the depth. */
const ANY_TERMS: SolidlyTerms = {
  ...{ rounding: 'fee', loop: 'settled', reserveBits: 256 },
  ...{ feeLeavesPips: 0, stableFeeLeavesPips: 0 },
};

function createFreePool(state: SolidlyPairState): SolidlyPairPool | null {
  return createPool({ ...state, fee0: 0, fee1: 0 }, ANY_TERMS);
}

/**
 * Of Aerodrome and Velodrome, which alone round the fee: `setFee` of their factory is silent, so a
 * fee counts once a swap has paid it.
 */
function findFlags({ flags, isFeeConfirmed }: SolidlyPairState, { rounding }: SolidlyTerms) {
  if (flags !== '' || rounding !== 'fee' || isFeeConfirmed) return flags;
  return joinFlags(['unannouncedFee']);
}

const BPS = 10_000n;
const PIPS_PER_BPS = 100;

/** The fee in pips of which `taken` is the whole part; null if several fees fit, or none. */
function findChargedFee(amountIn: bigint, taken: bigint): number | null {
  const least = divideUp(taken * BPS, amountIn);
  const most = ((taken + 1n) * BPS - 1n) / amountIn;
  return least === most && most < BPS ? Number(most) * PIPS_PER_BPS : null;
}

/** Compares what a swap was charged with the known fee, which it replaces if it is another. */
function checkFee(draft: PoolDraft<'solidlyPair'>, charged: ChargedSwap): void {
  const { fee0, fee1, flags } = draft.state;
  if (draft.terms.rounding !== 'fee' || flags !== '') return;
  const sides = [
    { amountIn: charged.in0, taken: charged.taken0, known: fee0 },
    { amountIn: charged.in1, taken: charged.taken1, known: fee1 },
  ].filter(({ amountIn }) => amountIn > 0n);
  const fits = sides.every(({ amountIn, taken, known }) => {
    return known !== null && taken === (amountIn * BigInt(known / PIPS_PER_BPS)) / BPS;
  });
  const told = sides.map(({ amountIn, taken }) => findChargedFee(amountIn, taken));
  const fee = told.find((one) => one !== null) ?? null;
  // A swap so small that many fees fit proves nothing.
  if (fits && fee === null) return;
  const isFeeConfirmed = fee !== null;
  draft.state = { ...draft.state, isFeeConfirmed, fee0: fee, fee1: fee };
  draft.feePips = fee ?? draft.feePips;
  if (fee === null) draft.complete = false;
}

export const solidlyPairKind: PoolKind<'solidlyPair'> = {
  ...parts,
  name: 'solidlyPair',
  sharesChangesOf: 'constantProduct',
  hasTicks: false,
  hasDepthByLog: true,
  countsArrivals: true,
  eventFields: ['reserve0', 'reserve1'],
  findFlags,
  hasSilentFee: ({ rounding }) => rounding === 'fee',
  findFeePips: ({ flags, fee0 }) => (isQuotable(flags) ? fee0 : null),
  stateAtStart: { ...parts.stateAtStart, isFeeConfirmed: false },
  assembleState: (fields, ticks) =>
    parts.assembleState({ isFeeConfirmed: false, ...fields }, ticks),
  decodeState(text) {
    const state = parts.decodeState(text);
    return { ...state, isFeeConfirmed: state.isFeeConfirmed ?? false };
  },
  apply(draft, change, context) {
    if ('charged' in change) return checkFee(draft, change.charged);
    const { reserve0, reserve1 } = 'set' in change ? draft.state : change;
    const set = 'set' in change ? change.set : { reserve0, reserve1 };
    parts.apply(draft, { poolKind: 'solidlyPair', set }, context);
    draft.feePips = draft.state.fee0 ?? draft.feePips;
  },
  price(state) {
    const { reserve0, reserve1, isStable } = state;
    if (isStable !== false) return createFreePool(state)?.midPrice(true) ?? null;
    return reserve0 && reserve1 ? { numerator: reserve1, denominator: reserve0 } : null;
  },
  holdings({ reserve0, reserve1 }) {
    if (reserve0 === null || reserve1 === null) return null;
    return { amount0: reserve0, amount1: reserve1 };
  },
  payableRaw({ state }, base) {
    const zeroForOne = base === 'token0';
    const pool = createFreePool(state);
    const curve = pool?.toSmoothCurve(zeroForOne);
    if (pool && curve) {
      return findCurvePayable(curve, (amountIn) => pool.swapIn(zeroForOne, amountIn).amountOut);
    }
    return findProductPayable((zeroForOne ? state.reserve1 : state.reserve0) ?? 0n);
  },
  createSwapPool: ({ state, terms }) => (isQuotable(state.flags) ? createPool(state, terms) : null),
  revive: (plain) => new SolidlyPairPool(plain as PlainSolidlyPair),
};
