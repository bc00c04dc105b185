// Two coins of a StableSwap NG pool as a row, with the balances of all coins of the pool.

import type { PoolDraft, PoolKind, SwappedAmounts } from '../pool-kind.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import { findCurvePayable } from '../smooth-curve.ts';
import { isQuotable, joinFlags } from '../unchecked-flag.ts';
import { type PlainStableSwap, StableSwapPool } from './stable-swap-pool.ts';

interface StableSwapTerms {
  /** How many coins the pool has: each two of them are a row. */
  readonly coinCount: number;
}

/** Null, or empty if it is a text, while unknown. */
interface StableSwapState {
  /** Which of the pool's coins token 0 and token 1 are; they never change. */
  readonly index0: number | null;
  readonly index1: number | null;
  /** Of all coins, in raw units, separated by spaces. */
  readonly balances: string;
  readonly rates: string;
  readonly ampPrecise: bigint | null;
  /** In 1e-10. */
  readonly fee: bigint | null;
  readonly offpegMultiplier: bigint | null;
  /** See `UncheckedFlag`. */
  readonly flags: string;
}

/** The log of a swap between any two coins of the pool, which does not tell the balances. */
interface ExchangeChange {
  readonly soldIndex: number;
  readonly boughtIndex: number;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    stableSwap: {
      readonly terms: StableSwapTerms;
      readonly state: StableSwapState;
      readonly change:
        | FieldChange<StableSwapState>
        | ExchangeChange
        /** The log does not tell what it changed: the contract must be asked. */
        | { readonly unread: true };
    };
  }
}

const parts = createRecordParts<'stableSwap'>({
  terms: { coinCount: 'number' },
  state: {
    ...{ index0: 'number', index1: 'number' },
    ...{ balances: 'text', rates: 'text', ampPrecise: 'bigint' },
    ...{ fee: 'bigint', offpegMultiplier: 'bigint', flags: 'text' },
  },
});

function parseAmounts(text: string): bigint[] {
  return text === '' ? [] : text.split(' ').map(BigInt);
}

function createPool(state: StableSwapState): StableSwapPool | null {
  const { index0, index1, ampPrecise, fee, offpegMultiplier } = state;
  const [balances, rates] = [parseAmounts(state.balances), parseAmounts(state.rates)];
  if (
    index0 === null ||
    index1 === null ||
    !ampPrecise ||
    fee === null ||
    offpegMultiplier === null
  )
    return null;
  if (balances.length < 2 || rates.length !== balances.length) return null;
  if (balances.some((balance) => balance <= 0n)) return null;
  return new StableSwapPool({
    ...{ index0, index1, balances, rates, ampPrecise, fee, offpegMultiplier },
  });
}

/** Its last known balances still show what it holds, but nothing is quoted by them. */
function markUnread(draft: PoolDraft<'stableSwap'>): void {
  draft.complete = false;
  draft.state = { ...draft.state, flags: joinFlags(['unread']) };
}

/**
 * Computes the swap again. If that pays what the log says, the balances afterwards are known;
 * otherwise something changed without a log, such as a rate, and the pool must be read again.
 */
function exchange(draft: PoolDraft<'stableSwap'>, change: ExchangeChange): void {
  const { soldIndex: index0, boughtIndex: index1, amountIn, amountOut } = change;
  const moved = draft.complete
    ? createPool({ ...draft.state, index0, index1 })?.swapAndMove(true, amountIn)
    : undefined;
  if (moved?.swap.amountOut === amountOut) {
    draft.state = { ...draft.state, balances: moved.after.toPlain().balances.join(' ') };
  } else {
    markUnread(draft);
  }
}

/** The row's own swap, whose log all pools of Curve share. */
function exchangeOwn(draft: PoolDraft<'stableSwap'>, swapped: SwappedAmounts | null): void {
  const { index0, index1 } = draft.state;
  if (swapped === null || index0 === null || index1 === null) {
    markUnread(draft);
    return;
  }
  const { amount0, amount1 } = swapped;
  const amounts =
    amount0 > 0n
      ? { soldIndex: index0, boughtIndex: index1, amountIn: amount0, amountOut: -amount1 }
      : { soldIndex: index1, boughtIndex: index0, amountIn: amount1, amountOut: -amount0 };
  exchange(draft, amounts);
}

export const stableSwapKind: PoolKind<'stableSwap'> = {
  ...parts,
  name: 'stableSwap',
  sharesChangesOf: 'tradesOnly',
  hasTicks: false,
  hasDepthByLog: false,
  countsArrivals: false,
  // No log has the balances, and those that are known may be wrong.
  eventFields: [],
  findFlags: ({ flags }) => flags,
  findShared: ({ vault, terms: { coinCount } }) => (coinCount > 2 ? vault : null),
  apply(draft, change, context) {
    if ('unread' in change) return markUnread(draft);
    if (!('set' in change)) return exchange(draft, change);
    if ('last0' in change.set) return exchangeOwn(draft, context.swapped);
    parts.apply(draft, { poolKind: 'stableSwap', set: change.set }, context);
    draft.complete &&= draft.state.balances !== '' && draft.state.rates !== '';
  },
  assembleState(fields, ticks) {
    const state = parts.assembleState(fields, ticks);
    return state === null || state.balances === '' || state.rates === '' ? null : state;
  },
  price: (state) => createPool(state)?.midPrice(true) ?? null,
  holdings({ balances, index0, index1 }) {
    const amounts = parseAmounts(balances);
    const [amount0, amount1] = [amounts[index0 ?? -1], amounts[index1 ?? -1]];
    if (amount0 === undefined || amount1 === undefined) return null;
    // Each coin is in as many rows as there are other coins: the rows together count it once.
    const rowCount = BigInt(amounts.length - 1);
    return { amount0: amount0 / rowCount, amount1: amount1 / rowCount };
  },
  payableRaw({ state }, base) {
    const zeroForOne = base === 'token0';
    const pool = createPool({ ...state, fee: 0n });
    if (pool === null) return 0n;
    const curve = pool.toSmoothCurve(zeroForOne);
    return findCurvePayable(curve, (amountIn) => pool.swapIn(zeroForOne, amountIn).amountOut);
  },
  createSwapPool: ({ state }) => (isQuotable(state.flags) ? createPool(state) : null),
  revive: (plain) => new StableSwapPool(plain as PlainStableSwap),
};
