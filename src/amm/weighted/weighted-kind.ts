// Two tokens of a Balancer weighted pool as a row: their balances, weights and the pool's fee.

import { maxOf } from '../../lib/bigint-bounds.ts';
import type { PoolId } from '../../model/ids.ts';
import { divideUp } from '../divide-up.ts';
import type { PoolDraft, PoolKind, SwappedAmounts } from '../pool-kind.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import { findCurvePayable } from '../smooth-curve.ts';
import { hasFlag, isQuotable, joinFlags } from '../unchecked-flag.ts';
import { FEE_PER_PIP, type PlainWeighted, WeightedPool } from './weighted-pool.ts';

interface WeightedTerms {
  /** The word that names the pool in the vault's logs. */
  readonly poolWord: string;
  /** Of the whole pool, separated by spaces: each two of them are a row. */
  readonly tokens: string;
  /** See `PlainWeighted`. */
  readonly hasShortcuts: boolean;
}

/** Null while unknown. */
interface WeightedState {
  readonly balance0: bigint | null;
  readonly balance1: bigint | null;
  /** With 18 decimals. */
  readonly weight0: bigint | null;
  readonly weight1: bigint | null;
  readonly decimals0: number | null;
  readonly decimals1: number | null;
  /** How many tokens the pool has. */
  readonly tokenCount: number | null;
  /** With 18 decimals. */
  readonly swapFee: bigint | null;
  /** See `UncheckedFlag`. */
  readonly flags: string;
  /**
   * While the row is not complete, and its last log was a swap of its own: the amounts of both
   * tokens, separated by a space. What is read must explain them.
   */
  readonly lastSwap: string;
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    weighted: {
      readonly terms: WeightedTerms;
      readonly state: WeightedState;
      readonly change:
        | FieldChange<WeightedState>
        /** By token: what a log adds to the pool's balances, or takes from them. */
        | {
            readonly deltas: Readonly<Record<string, bigint>>;
            /** The row whose swap it was, if it was one of another row. */
            readonly swapOf?: PoolId;
          }
        | { readonly isPaused: boolean };
    };
  }
}

const parts = createRecordParts<'weighted'>({
  terms: { poolWord: 'text', tokens: 'text', hasShortcuts: 'boolean' },
  state: {
    ...{ balance0: 'bigint', balance1: 'bigint', weight0: 'bigint', weight1: 'bigint' },
    ...{ decimals0: 'number', decimals1: 'number', tokenCount: 'number', swapFee: 'bigint' },
    ...{ flags: 'text', lastSwap: 'text' },
  },
  // Without the last swap.
  stateCountMin: 9,
});

function createPool(state: WeightedState, hasShortcuts: boolean): WeightedPool | null {
  const { balance0, balance1, weight0, weight1, decimals0, decimals1, swapFee } = state;
  if (!balance0 || !balance1 || !weight0 || !weight1) return null;
  if (decimals0 === null || decimals1 === null || swapFee === null) return null;
  // Tokens with more than 18 decimals are not allowed in these pools.
  if (decimals0 > 18 || decimals1 > 18) return null;
  return new WeightedPool({
    ...{ balance0, balance1, weight0, weight1, decimals0, decimals1, swapFee, hasShortcuts },
  });
}

function isUnread({ flags }: WeightedState): boolean {
  return hasFlag(flags, 'unread');
}

/** Its last known balances still show what it holds, but nothing is quoted by them. */
function markUnread(draft: PoolDraft<'weighted'>): void {
  draft.complete = false;
  draft.state = { ...draft.state, flags: joinFlags(['unread']) };
}

function move(draft: PoolDraft<'weighted'>, delta0: bigint, delta1: bigint): void {
  const { balance0, balance1 } = draft.state;
  if (balance0 === null || balance1 === null) return;
  const [after0, after1] = [balance0 + delta0, balance1 + delta1];
  draft.state = { ...draft.state, balance0: maxOf(after0, 0n), balance1: maxOf(after1, 0n) };
  // More was taken than the pool had: the known balances are wrong.
  if (after0 < 0n || after1 < 0n) markUnread(draft);
}

/** Whether the swap has the amounts of its computation, whichever of the two was given. */
function isComputed(
  { state, terms }: Pick<PoolDraft<'weighted'>, 'state' | 'terms'>,
  { amount0, amount1 }: SwappedAmounts,
): boolean {
  const pool = createPool(state, terms.hasShortcuts);
  if (pool === null) return false;
  const zeroForOne = amount0 > 0n;
  const [amountIn, amountOut] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0];
  const swap = pool.swapIn(zeroForOne, amountIn);
  if (swap.isFilled && swap.amountOut === amountOut) return true;
  return pool.swapOut(zeroForOne, amountOut).amountIn === amountIn;
}

function noteLast(draft: PoolDraft<'weighted'>, lastSwap: string): void {
  if (draft.state.lastSwap !== lastSwap) draft.state = { ...draft.state, lastSwap };
}

/**
 * The row's own swap, whose log all pools of the vault share. One that was paid otherwise than
 * computed shows that something is not known of the pool: it must be read again.
 */
function swapOwn(draft: PoolDraft<'weighted'>, swapped: SwappedAmounts | null): void {
  if (swapped === null) {
    markUnread(draft);
    return;
  }
  if (draft.complete && !isComputed(draft, swapped)) markUnread(draft);
  // A pause ends by itself, without a log; a paused pool makes no swaps.
  else if (draft.complete) draft.state = { ...draft.state, flags: '' };
  const { amount0, amount1 } = swapped;
  move(draft, amount0, amount1);
  noteLast(draft, draft.complete ? '' : `${amount0} ${amount1}`);
}

export const weightedKind: PoolKind<'weighted'> = {
  ...parts,
  name: 'weighted',
  sharesChangesOf: 'tradesOnly',
  hasTicks: false,
  hasDepthByLog: false,
  countsArrivals: false,
  // No log has the balances.
  eventFields: [],
  findFlags: ({ flags }) => flags,
  findShared: ({ terms: { poolWord, tokens } }) => (tokens.split(' ').length > 2 ? poolWord : null),
  apply(draft, change, context) {
    if ('deltas' in change) {
      const { deltas, swapOf } = change;
      move(draft, deltas[draft.token0] ?? 0n, deltas[draft.token1] ?? 0n);
      noteLast(draft, '');
      const swapped = swapOf === undefined ? undefined : context.findRow?.(swapOf);
      // What was paid otherwise there is unknown here, too: the rows share balances and fee.
      if (swapped?.kind === 'weighted' && isUnread(swapped.state)) markUnread(draft);
      return;
    }
    if ('isPaused' in change) {
      const flags = joinFlags(change.isPaused ? ['closed'] : []);
      if (draft.complete) draft.state = { ...draft.state, flags };
      return;
    }
    if ('last0' in change.set) return swapOwn(draft, context.swapped);
    draft.state = { ...draft.state, ...change.set, lastSwap: '' };
    const { swapFee } = draft.state;
    if (swapFee !== null) draft.feePips = Number(divideUp(swapFee, FEE_PER_PIP));
  },
  explains({ terms, state }, { lastSwap }) {
    const { balance0, balance1 } = state;
    if (lastSwap === '') return true;
    if (balance0 === null || balance1 === null) return false;
    const [amount0 = 0n, amount1 = 0n] = lastSwap.split(' ').map(BigInt);
    const before = { ...state, balance0: balance0 - amount0, balance1: balance1 - amount1 };
    return isComputed({ terms, state: before }, { amount0, amount1 });
  },
  price: (state) => createPool(state, true)?.midPrice(true) ?? null,
  holdings({ balance0, balance1, tokenCount }) {
    if (balance0 === null || balance1 === null || tokenCount === null) return null;
    // Each token is in as many rows as there are other tokens: the rows together count it once.
    const rowCount = BigInt(Math.max(tokenCount - 1, 1));
    return { amount0: balance0 / rowCount, amount1: balance1 / rowCount };
  },
  payableRaw({ state, terms }, base) {
    const zeroForOne = base === 'token0';
    const pool = createPool({ ...state, swapFee: 0n }, terms.hasShortcuts);
    if (pool === null) return 0n;
    const curve = pool.toSmoothCurve(zeroForOne);
    return findCurvePayable(curve, (amountIn) => pool.swapIn(zeroForOne, amountIn).amountOut);
  },
  createSwapPool: ({ state, terms }) =>
    isQuotable(state.flags) ? createPool(state, terms.hasShortcuts) : null,
  revive: (plain) => new WeightedPool(plain as PlainWeighted),
};
