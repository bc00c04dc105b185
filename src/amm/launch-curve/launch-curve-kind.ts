// Curves of Raydium's LaunchLab: constant product over virtual reserves, with one fee for all who
// share it, on what is paid in, and out of what a sale pays.

import { minOf } from '../../lib/bigint-bounds.ts';
import type { Ratio } from '../../lib/decimal.ts';
import { CeiledProductPool } from '../ceiled-product/ceiled-product-kind.ts';
import { computeProgressPct } from '../curve-progress.ts';
import { divideUp } from '../divide-up.ts';
import { buildProductPieces, ListedStretches } from '../listed-stretches.ts';
import { type PoolKind, toLaunchStage } from '../pool-kind.ts';
import { findProductPayable } from '../product-payable.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretches, SwapPool } from '../swap-pool.ts';
import { isQuotable } from '../unchecked-flag.ts';

const PIPS = 1_000_000n;

/** How the price follows what was sold. Only `product` was seen on a chain, and is computed. */
type LaunchShape = 'product' | 'fixed' | 'linear';

interface PlainLaunch {
  /** What prices are computed from: virtual reserves with what was sold and paid in. */
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  /** What is left to be sold, and what can be paid out. */
  readonly held0: bigint;
  readonly held1: bigint;
  readonly feePips: number;
}

const NOTHING = { amountIn: 0n, amountOut: 0n, feeAmount: 0n, isFilled: false, ticksCrossed: 0 };

/** Token 0 is the coin, token 1 what it is paid with. */
export class LaunchCurvePool implements SwapPool {
  readonly ticks = null;
  readonly #launch: PlainLaunch;
  /** The same without an end: the fee is on the input, or out of the output, in token 1. */
  readonly #endless: CeiledProductPool;

  constructor(launch: PlainLaunch) {
    this.#launch = launch;
    const { reserve0, reserve1, feePips } = launch;
    this.#endless = new CeiledProductPool({
      ...{ reserve0, reserve1, fees: { zeroForOne: 0, oneForZero: 0 } },
      terms: {
        ...{ creatorFeePips: feePips, creatorFeeOn: 'token1' },
        ...{ protocolSharePips: 0, fundSharePips: 0 },
      },
    });
  }

  get depth(): number {
    return this.#endless.depth;
  }

  feePips(): number {
    return this.#launch.feePips;
  }

  midPrice(zeroForOne: boolean): Ratio {
    return this.#endless.midPrice(zeroForOne);
  }

  /** A purchase of all that is left is not filled: sources differ on what it costs. */
  swapIn(zeroForOne: boolean, amountIn: bigint): SwapOutcome {
    const swap = this.#endless.swapIn(zeroForOne, amountIn);
    if (!swap.isFilled) return swap;
    if (zeroForOne) return this.#sumGross(amountIn) > this.#launch.held1 ? NOTHING : swap;
    if (swap.amountOut < this.#launch.held0) return swap;
    const most = this.swapOut(false, this.#launch.held0 - 1n);
    return { ...most, isFilled: false };
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): SwapOutcome {
    if (!zeroForOne && amountOut >= this.#launch.held0) return NOTHING;
    const swap = this.#endless.swapOut(zeroForOne, amountOut);
    return zeroForOne && this.#sumGross(swap.amountIn) > this.#launch.held1 ? NOTHING : swap;
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    if (!swap.isFilled) return { swap, after: this };
    const gross = this.#sumGross(amountIn);
    const [change0, change1] = zeroForOne
      ? [amountIn, -gross]
      : [-swap.amountOut, swap.amountIn - swap.feeAmount];
    const { reserve0, reserve1, held0, held1, feePips } = this.#launch;
    const after = new LaunchCurvePool({
      ...{ reserve0: reserve0 + change0, held0: held0 + change0, feePips },
      ...{ reserve1: reserve1 + change1, held1: held1 + change1 },
    });
    return { swap, after };
  }

  stretches(zeroForOne: boolean): Stretches {
    const { reserve0, reserve1, held0, held1, feePips } = this.#launch;
    const kept = 1 - feePips / Number(PIPS);
    const [first, second] = [Number(reserve0), Number(reserve1)];
    const pieces = zeroForOne
      ? buildProductPieces(
          { reserveIn: first, reserveOut: second, held: Number(held1) },
          { keptIn: 1, keptOut: kept },
        )
      : buildProductPieces(
          { reserveIn: second, reserveOut: first, held: Number(held0) },
          { keptIn: kept, keptOut: 1 },
        );
    return new ListedStretches(pieces);
  }

  takesAtMost(zeroForOne: boolean): number {
    return this.#endless.takesAtMost(zeroForOne);
  }

  withFees({ zeroForOne }: DirectionFees): LaunchCurvePool {
    return new LaunchCurvePool({ ...this.#launch, feePips: zeroForOne });
  }

  toPlain(): PlainLaunch {
    return this.#launch;
  }

  /** What leaves the curve for so many coins, fees included. */
  #sumGross(coins: bigint): bigint {
    const { reserve0, reserve1 } = this.#launch;
    return (coins * reserve1) / (reserve0 + coins);
  }
}

/** Null before the first event. */
interface LaunchState {
  readonly reserve0: bigint | null;
  readonly reserve1: bigint | null;
  readonly held0: bigint | null;
  readonly held1: bigint | null;
  /** Of all who have a part of the fee; null while unknown. */
  readonly feePips: number | null;
  /** Whether all is sold: it takes no more swaps. */
  readonly isComplete: boolean | null;
  /** Whether its coin has got a pool of its own. */
  readonly isMigrated: boolean | null;
  /** See `UncheckedFlag`. */
  readonly flags: string;
  /** What its coin deducts from transfers (`encodeTransferFees`); empty if nothing. */
  readonly transferFees?: string;
}

interface LaunchChange extends FieldChange<LaunchState> {
  /** What a swap was charged, and of what: it shows the fee, which no event names. */
  readonly charged?: { readonly amount: bigint; readonly fee: bigint };
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    launchCurve: {
      readonly terms: {
        readonly shape: LaunchShape;
        /** How many coins the curve sells. */
        readonly sellTotal: bigint;
        readonly virtual0: bigint;
        readonly virtual1: bigint;
      };
      readonly state: LaunchState;
      readonly change: LaunchChange;
    };
  }
}

/** What was sold and paid in so far. */
interface RealReserves {
  readonly sold: bigint;
  readonly paid: bigint;
}

/** The reserves whose ratio is the price. */
export function findLaunchReserves(
  terms: { readonly shape: LaunchShape; readonly virtual0: bigint; readonly virtual1: bigint },
  { sold, paid }: RealReserves,
) {
  const { shape, virtual0, virtual1 } = terms;
  if (shape === 'fixed') return { reserve0: virtual0, reserve1: virtual1 };
  // The price grows by `virtual0` / 2^64 with every coin.
  if (shape === 'linear') return { reserve0: 1n << 64n, reserve1: virtual0 * sold };
  return { reserve0: virtual0 - sold, reserve1: virtual1 + paid };
}

const parts = createRecordParts<'launchCurve'>({
  terms: { shape: 'text', sellTotal: 'bigint', virtual0: 'bigint', virtual1: 'bigint' },
  state: {
    ...{ reserve0: 'bigint', reserve1: 'bigint', held0: 'bigint', held1: 'bigint' },
    ...{ feePips: 'number', isComplete: 'boolean', isMigrated: 'boolean' },
    ...{ flags: 'text', transferFees: 'text' },
  },
});

export const launchCurveKind: PoolKind<'launchCurve'> = {
  ...parts,
  name: 'launchCurve',
  hasTicks: false,
  hasDepthByLog: true,
  countsArrivals: true,
  eventFields: ['reserve0', 'reserve1', 'held0', 'held1'],
  findFlags: ({ flags }) => flags,
  findFeePips: ({ feePips }) => feePips,
  apply(draft, change, context) {
    parts.apply(draft, change, context);
    const { feePips } = draft.state;
    const { amount, fee } = change.charged ?? { amount: 0n, fee: 0n };
    if (feePips !== null && divideUp(amount * BigInt(feePips), PIPS) === fee) return;
    draft.state = { ...draft.state, feePips: null };
    draft.complete = false;
  },
  findLaunch: ({ state }) => toLaunchStage(state.isComplete),
  findProgress({ terms: { sellTotal }, state: { held0, isMigrated } }) {
    const isGraduated = isMigrated === true;
    const sold = held0 === null ? null : sellTotal - held0;
    return { progressPct: isGraduated ? 100 : computeProgressPct(sold, sellTotal), isGraduated };
  },
  price({ reserve0, reserve1 }) {
    if (!reserve0 || !reserve1) return null;
    return { numerator: reserve1, denominator: reserve0 };
  },
  holdings({ held0, held1 }) {
    return held0 === null || held1 === null ? null : { amount0: held0, amount1: held1 };
  },
  payableRaw({ state, terms }, base) {
    const { reserve0, reserve1, held0, held1 } = state;
    const [reserve, held] = base === 'token0' ? [reserve1, held1] : [reserve0, held0];
    if (terms.shape !== 'product') return 0n;
    return minOf(findProductPayable(reserve ?? 0n), held ?? 0n);
  },
  createSwapPool({ state }) {
    const { reserve0, reserve1, held0, held1, feePips, flags } = state;
    if (!reserve0 || !reserve1 || held0 === null || held1 === null || feePips === null) return null;
    if (state.isComplete !== false || !isQuotable(flags)) return null;
    return new LaunchCurvePool({ reserve0, reserve1, held0, held1, feePips });
  },
  revive: (plain) => new LaunchCurvePool(plain as PlainLaunch),
};
