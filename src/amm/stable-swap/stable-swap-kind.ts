// Two coins of a StableSwap pool as a row, with the balances of all coins of the pool: Curve's NG
// pools, and PancakeSwap's, whose contracts are like Curve's older ones.

import type { Ratio } from '../../lib/decimal.ts';
import { UINT256_MAX } from '../../lib/sortable-integer.ts';
import { findInputNear } from '../input-near.ts';
import type { PoolDraft, PoolKind, SwappedAmounts } from '../pool-kind.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import {
  buildCurveStretches,
  findCurveDepth,
  findCurvePayable,
  type SmoothCurve,
} from '../smooth-curve.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretches, SwapPool } from '../swap-pool.ts';
import { isQuotable, joinFlags } from '../unchecked-flag.ts';

// Curve's StableSwap invariant in the integers of its contracts. Balances are scaled by their rates
// to 18 decimals. `amp` is A·n times the precision of A: 100 in NG pools, 1 in older ones
// (pancake-smart-contracts, PancakeStableSwapTwoPool.sol, MIT).

const STEP_COUNT_MAX = 255;
const NG_PRECISION = 100n;
const OLD_PRECISION = 1n;

interface Amplification {
  readonly amp: bigint;
  readonly precision: bigint;
}

/** The contracts stop when a step is at most 1; NG pools revert if none is. */
function isSettled(before: bigint, after: bigint): boolean {
  return after - before <= 1n && before - after <= 1n;
}

/** D of the invariant; null if the contract reverts. */
function computeStableTotal(
  balances: readonly bigint[],
  { amp, precision }: Amplification,
): bigint | null {
  const count = BigInt(balances.length);
  const sum = balances.reduce((total, balance) => total + balance, 0n);
  if (sum === 0n) return 0n;
  if (balances.some((balance) => balance <= 0n)) return null;
  const isOld = precision === OLD_PRECISION;
  const weighted = (amp * sum) / precision;
  let total = sum;
  for (let step = 0; step < STEP_COUNT_MAX; step += 1) {
    const before = total;
    let product = total;
    // Older pools divide by the number of coins at each step, and so round more often.
    const parts = isOld ? count : 1n;
    for (const balance of balances) product = (product * total) / (balance * parts);
    if (!isOld) product /= count ** count;
    total =
      ((weighted + product * count) * total) /
      (((amp - precision) * total) / precision + (count + 1n) * product);
    if (isSettled(before, total)) return total;
  }
  return isOld ? total : null;
}

/** The balance at `index` that goes with the others and the total; null if the contract reverts. */
function findStableBalance(
  balances: readonly bigint[],
  index: number,
  { total, amp, precision }: Amplification & { readonly total: bigint },
): bigint | null {
  const count = BigInt(balances.length);
  let [c, others] = [total, 0n];
  for (const [at, balance] of balances.entries()) {
    if (at === index) continue;
    if (balance <= 0n) return null;
    others += balance;
    c = (c * total) / (balance * count);
  }
  c = (c * total * precision) / (amp * count);
  const b = others + (total * precision) / amp;
  let found = total;
  for (let step = 0; step < STEP_COUNT_MAX; step += 1) {
    const before = found;
    const divisor = 2n * found + b - total;
    if (divisor <= 0n) return null;
    found = (found * found + c) / divisor;
    if (isSettled(before, found)) return found;
  }
  return precision === OLD_PRECISION ? found : null;
}

/** D^(n+1) / (nⁿ·∏x), the part of the invariant that bends the curve. */
function computeBend(balances: readonly bigint[], total: bigint): bigint {
  const count = BigInt(balances.length);
  let product = total;
  for (const balance of balances) product = (product * total) / balance;
  return product / count ** count;
}

const E18 = 10n ** 18n;
/** Fees are in 1e-10. */
const FEE_UNIT = 10n ** 10n;
const FEE_PER_PIP = 10n ** 4n;
/** The part of a fee that leaves the balances: a half, in every NG pool. */
const NG_ADMIN_FEE = 5n * 10n ** 9n;
/** Scaled balances have fewer bits, or the contract's products overflow. */
const BALANCE_BITS = 120n;
const MARGIN = 1 + 1e-6;

interface PlainStableSwap {
  /** Which of the pool's coins token 0 and token 1 are. */
  readonly index0: number;
  readonly index1: number;
  readonly balances: readonly bigint[];
  /** 1e18 for a token with 18 decimals, 1e30 for one with 6, times the token's own rate. */
  readonly rates: readonly bigint[];
  /** A times 100, as `A_precise()` gives it; of an older pool A itself. */
  readonly ampPrecise: bigint;
  /** In 1e-10, at balance. */
  readonly fee: bigint;
  /** By how much the fee grows away from balance, in 1e-10; no more than 1e10 if it does not. */
  readonly offpegMultiplier: bigint;
  /** Of an older pool, in 1e-10: the part of a fee that leaves the balances. Absent for NG. */
  readonly oldAdminFee?: bigint;
}

interface StableOutcome extends SwapOutcome {
  /** What leaves the balance of the output beside the output. */
  readonly adminPart: bigint;
}

const NOTHING: StableOutcome = {
  ...{ amountIn: 0n, amountOut: 0n, feeAmount: 0n, isFilled: false, ticksCrossed: 0 },
  adminPart: 0n,
};

export class StableSwapPool implements SwapPool {
  readonly ticks = null;
  readonly #pool: PlainStableSwap;
  readonly #amp: Amplification;
  readonly #scaled: readonly bigint[];
  /** Null if the contract reverts. */
  readonly #total: bigint | null;

  constructor(pool: PlainStableSwap) {
    this.#pool = pool;
    const amp = pool.ampPrecise * BigInt(pool.balances.length);
    this.#amp = { amp, precision: pool.oldAdminFee === undefined ? NG_PRECISION : OLD_PRECISION };
    this.#scaled = pool.balances.map((balance, at) => (balance * (pool.rates[at] ?? 0n)) / E18);
    this.#total = computeStableTotal(this.#scaled, this.#amp);
  }

  get depth(): number {
    return findCurveDepth(this.toSmoothCurve(true));
  }

  feePips(): number {
    return Number((this.#pool.fee + FEE_PER_PIP - 1n) / FEE_PER_PIP);
  }

  midPrice(zeroForOne: boolean): Ratio {
    const { from, to } = this.#sideOf(zeroForOne);
    const { amp, precision } = this.#amp;
    const bend = computeBend(this.#scaled, this.#total ?? 0n) * precision;
    return {
      numerator: (amp * from.scaled + bend) * to.scaled * from.rate,
      denominator: (amp * to.scaled + bend) * from.scaled * to.rate,
    };
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): StableOutcome {
    const { from, to } = this.#sideOf(zeroForOne);
    const scaledIn = from.scaled + (amountIn * from.rate) / E18;
    if (this.#total === null || scaledIn >> BALANCE_BITS > 0n || to.rate === 0n) return NOTHING;
    const moved = this.#scaled.with(from.index, scaledIn);
    const left = findStableBalance(moved, to.index, { total: this.#total, ...this.#amp });
    const paid = left === null ? -1n : to.scaled - left - 1n;
    // The contract reverts if nothing is left to pay.
    if (left === null || paid < 0n) return NOTHING;
    const rate = this.#findFee((from.scaled + scaledIn) / 2n, (to.scaled + left) / 2n);
    if (rate === null) return NOTHING;
    const fee = (paid * rate) / FEE_UNIT;
    const adminFee = this.#pool.oldAdminFee ?? NG_ADMIN_FEE;
    return {
      amountIn,
      amountOut: ((paid - fee) * E18) / to.rate,
      feeAmount: (amountIn * rate) / FEE_UNIT,
      isFilled: true,
      ticksCrossed: 0,
      adminPart: (((fee * adminFee) / FEE_UNIT) * E18) / to.rate,
    };
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): SwapOutcome {
    const { from, to } = this.#sideOf(zeroForOne);
    const wanted = (amountOut * to.rate) / E18;
    const gross = (wanted * FEE_UNIT) / (FEE_UNIT - this.#pool.fee) + 1n;
    if (this.#total === null || gross >= to.scaled || from.rate === 0n) return NOTHING;
    const moved = this.#scaled.with(to.index, to.scaled - gross);
    const needed = findStableBalance(moved, from.index, { total: this.#total, ...this.#amp });
    if (needed === null) return NOTHING;
    const guess = needed > from.scaled ? ((needed - from.scaled) * E18) / from.rate : 1n;
    return findInputNear(guess, amountOut, (amountIn) => this.swapIn(zeroForOne, amountIn));
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    const { from, to } = this.#sideOf(zeroForOne);
    const { balances } = this.#pool;
    const after = balances
      .with(from.index, (balances[from.index] ?? 0n) + swap.amountIn)
      .with(to.index, (balances[to.index] ?? 0n) - swap.amountOut - swap.adminPart);
    return { swap, after: new StableSwapPool({ ...this.#pool, balances: after }) };
  }

  /** The fee grows away from balance, so the pieces pay more than the pool there. */
  stretches(zeroForOne: boolean): Stretches {
    const keptOut = 1 - Number(this.#pool.fee) / Number(FEE_UNIT);
    return buildCurveStretches(this.toSmoothCurve(zeroForOne), { keptIn: 1, keptOut });
  }

  takesAtMost(zeroForOne: boolean): number {
    const { from } = this.#sideOf(zeroForOne);
    if (from.rate === 0n) return 0;
    return (Number((1n << BALANCE_BITS) - from.scaled) / Number(from.rate)) * 1e18 * MARGIN + 1;
  }

  withFees({ zeroForOne }: DirectionFees): StableSwapPool {
    return new StableSwapPool({ ...this.#pool, fee: BigInt(zeroForOne) * FEE_PER_PIP });
  }

  toPlain(): PlainStableSwap {
    return this.#pool;
  }

  /** Without fees. The balance of the output is the root of a quadratic equation. */
  toSmoothCurve(zeroForOne: boolean): SmoothCurve {
    const { from, to } = this.#sideOf(zeroForOne);
    const total = Number(this.#total ?? 0n);
    const amp = Number(this.#amp.amp) / Number(this.#amp.precision);
    const others = this.#scaled.filter((_, at) => at !== from.index && at !== to.index).map(Number);
    const count = others.length + 2;
    const [rateIn, rateOut] = [Number(from.rate) / 1e18, Number(to.rate) / 1e18];
    const sumOfOthers = others.reduce((sum, balance) => sum + balance, 0);
    return {
      scale: Number(this.#pool.balances[from.index] ?? 0n),
      rateAfter(amountIn) {
        const x = Number(from.scaled) + amountIn * rateIn;
        let bend = total;
        for (const balance of [x, ...others]) bend *= total / (balance * count);
        const c = (bend * total) / (amp * count);
        const b = x + sumOfOthers + total / amp - total;
        const root = Math.sqrt(b * b + 4 * c);
        const y = b > 0 ? (2 * c) / (b + root) : (root - b) / 2;
        const whole = (bend * total) / (y * count);
        return (((amp + whole / x) / (amp + whole / y)) * rateIn) / rateOut;
      },
    };
  }

  #sideOf(zeroForOne: boolean) {
    const { index0, index1, rates } = this.#pool;
    const toCoin = (index: number) => ({
      ...{ index, scaled: this.#scaled[index] ?? 0n, rate: rates[index] ?? 0n },
    });
    const [coin0, coin1] = [toCoin(index0), toCoin(index1)];
    return zeroForOne ? { from: coin0, to: coin1 } : { from: coin1, to: coin0 };
  }

  /** The fee at the mean balances of a swap; null if the contract's product overflows. */
  #findFee(meanIn: bigint, meanOut: bigint): bigint | null {
    const { fee, offpegMultiplier } = this.#pool;
    if (offpegMultiplier <= FEE_UNIT) return fee;
    const product = (offpegMultiplier - FEE_UNIT) * 4n * meanIn * meanOut;
    if (product > UINT256_MAX) return null;
    return (offpegMultiplier * fee) / (product / (meanIn + meanOut) ** 2n + FEE_UNIT);
  }
}

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
  /** See `PlainStableSwap`; empty for an NG pool. */
  readonly oldAdminFee: string;
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

/** Fields of states from before older pools. */
const STATE_COUNT_MIN = 8;

const parts = createRecordParts<'stableSwap'>({
  terms: { coinCount: 'number' },
  state: {
    ...{ index0: 'number', index1: 'number' },
    ...{ balances: 'text', rates: 'text', ampPrecise: 'bigint' },
    ...{ fee: 'bigint', offpegMultiplier: 'bigint', flags: 'text', oldAdminFee: 'text' },
  },
  stateCountMin: STATE_COUNT_MIN,
});

function parseAmounts(text: string): bigint[] {
  return text === '' ? [] : text.split(' ').map(BigInt);
}

function createPool(state: StableSwapState): StableSwapPool | null {
  const { index0, index1, ampPrecise, fee, offpegMultiplier, oldAdminFee } = state;
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
    ...(oldAdminFee === '' ? {} : { oldAdminFee: BigInt(oldAdminFee) }),
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
