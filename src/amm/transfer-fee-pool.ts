// A pool of tokens that deduct a fee from every transfer: on the way into the vault and on the way
// out to the wallet. Amounts are the wallet's: what it sends and what arrives there.

import type { Ratio } from '../lib/decimal.ts';
import type { PoolKindName } from '../model/pool.ts';
import { AMOUNT_U64_MAX } from './amount-u64.ts';
import type { PoolKind } from './pool-kind.ts';
import type { PoolMoment } from './pool-moment.ts';
import type { SwapOutcome } from './swap-outcome.ts';
import type { DirectionFees, Stretch, Stretches, SwapPool, TransferParts } from './swap-pool.ts';
import type { TickList } from './tick-list.ts';
import {
  computeSentAmount,
  computeTransferFee,
  decodeTransferFees,
  type PoolTransferFees,
  type TransferFee,
} from './transfer-fee.ts';
import { hasFlag } from './unchecked-flag.ts';

const BPS = 10_000;
const NOTHING = { amountIn: 0n, amountOut: 0n, feeAmount: 0n, isFilled: false, ticksCrossed: 0 };

interface PlainTransferFeePool {
  readonly within: object;
  readonly transferFees: PoolTransferFees;
}

/**
 * The share that a fee leaves of small amounts. A fee that may reach its maximum counts as none,
 * because the pieces of a curve must not pay less than the pool.
 */
function findKeptShare(fee: TransferFee | null): number {
  if (fee === null || fee.bps >= BPS) return 1;
  const isCapped = computeTransferFee(fee, AMOUNT_U64_MAX) === fee.maxRaw;
  return isCapped ? 1 : 1 - fee.bps / BPS;
}

class ScaledStretches implements Stretches {
  readonly #within: Stretches;
  readonly #root: number;
  readonly #depth: number;

  constructor(within: Stretches, kept: { readonly in: number; readonly out: number }) {
    this.#within = within;
    this.#root = Math.sqrt(kept.in * kept.out);
    this.#depth = Math.sqrt(kept.out / kept.in);
  }

  next(stretch: Stretch): boolean {
    if (!this.#within.next(stretch)) return false;
    stretch.u /= this.#root;
    stretch.depth *= this.#depth;
    return true;
  }
}

export class TransferFeePool implements SwapPool {
  readonly #within: SwapPool;
  readonly #fees: PoolTransferFees;

  constructor(within: SwapPool, fees: PoolTransferFees) {
    this.#within = within;
    this.#fees = fees;
  }

  get depth(): number {
    return this.#within.depth;
  }

  get ticks(): TickList | null {
    return this.#within.ticks;
  }

  feePips(zeroForOne: boolean): number {
    return this.#within.feePips(zeroForOne);
  }

  midPrice(zeroForOne: boolean): Ratio {
    return this.#within.midPrice(zeroForOne);
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): SwapOutcome {
    const fees = this.#order(zeroForOne);
    if (amountIn > AMOUNT_U64_MAX) return NOTHING;
    const arriving = amountIn - computeTransferFee(fees.in, amountIn);
    if (arriving <= 0n) return NOTHING;
    return this.#toWallet(zeroForOne, this.#within.swapIn(zeroForOne, arriving), amountIn);
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): SwapOutcome {
    const fees = this.#order(zeroForOne);
    const swap = this.#within.swapOut(zeroForOne, computeSentAmount(fees.out, amountOut));
    if (!swap.isFilled) return this.#toWallet(zeroForOne, swap, null);
    const amountIn = computeSentAmount(fees.in, swap.amountIn);
    if (amountIn > AMOUNT_U64_MAX) return NOTHING;
    return { ...this.#toWallet(zeroForOne, swap, amountIn), amountIn };
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const fees = this.#order(zeroForOne);
    const arriving = amountIn - computeTransferFee(fees.in, amountIn);
    if (arriving <= 0n || amountIn > AMOUNT_U64_MAX) return { swap: NOTHING, after: this };
    const { swap, after } = this.#within.swapAndMove(zeroForOne, arriving);
    return {
      swap: this.#toWallet(zeroForOne, swap, amountIn),
      after: new TransferFeePool(after, this.#fees),
    };
  }

  stretches(zeroForOne: boolean): Stretches {
    const fees = this.#order(zeroForOne);
    const kept = { in: findKeptShare(fees.in), out: findKeptShare(fees.out) };
    return new ScaledStretches(this.#within.stretches(zeroForOne), kept);
  }

  takesAtMost(zeroForOne: boolean, enough: number): number {
    const { in: fee } = this.#order(zeroForOne);
    const arriving = this.#within.takesAtMost(zeroForOne, enough);
    if (fee === null || fee.bps === 0) return arriving;
    return arriving + Math.min(Number(fee.maxRaw), Number(AMOUNT_U64_MAX));
  }

  withFees(fees: DirectionFees): SwapPool {
    return new TransferFeePool(this.#within.withFees(fees), this.#fees);
  }

  at(moment: PoolMoment): SwapPool {
    const within = this.#within.at?.(moment) ?? this.#within;
    return within === this.#within ? this : new TransferFeePool(within, this.#fees);
  }

  splitTransfers(zeroForOne: boolean, swap: Pick<SwapOutcome, 'amountIn' | 'amountOut'>) {
    const fees = this.#order(zeroForOne);
    const inRaw = computeTransferFee(fees.in, swap.amountIn);
    const paid = this.#within.swapIn(zeroForOne, swap.amountIn - inRaw).amountOut;
    // Of an exact output the pool pays what was asked for, which may be less than it could.
    const isAll = paid - computeTransferFee(fees.out, paid) === swap.amountOut;
    const sent = isAll ? paid : computeSentAmount(fees.out, swap.amountOut);
    return { inRaw, outRaw: sent - swap.amountOut } satisfies TransferParts;
  }

  toPlain(): PlainTransferFeePool {
    return { within: this.#within.toPlain(), transferFees: this.#fees };
  }

  #order(zeroForOne: boolean): {
    readonly in: TransferFee | null;
    readonly out: TransferFee | null;
  } {
    const { fee0, fee1 } = this.#fees;
    return zeroForOne ? { in: fee0, out: fee1 } : { in: fee1, out: fee0 };
  }

  /** `sent` is what the wallet sends if the pool takes all that arrives. */
  #toWallet(zeroForOne: boolean, swap: SwapOutcome, sent: bigint | null): SwapOutcome {
    const fees = this.#order(zeroForOne);
    const amountOut = swap.amountOut - computeTransferFee(fees.out, swap.amountOut);
    const amountIn =
      swap.isFilled && sent !== null ? sent : computeSentAmount(fees.in, swap.amountIn);
    // The programs refuse a swap of which nothing arrives.
    if (amountOut <= 0n) return NOTHING;
    return { ...swap, amountIn, amountOut };
  }
}

/** What a state has of the fees that its tokens deduct. */
interface FeeFields {
  /** Features that swaps were not compared with (`UncheckedFlag`). */
  readonly flags: string;
  /** As text (`encodeTransferFees`); empty if nothing is deducted. */
  readonly transferFees?: string;
}

/** The kind with what its tokens deduct from transfers, by its state. */
export function takeTransferFees<K extends PoolKindName>(kind: PoolKind<K>): PoolKind<K> {
  const findTransferFees = (state: unknown) =>
    decodeTransferFees((state as FeeFields).transferFees ?? '');
  return {
    ...kind,
    findTransferFees,
    apply(draft, change, context) {
      kind.apply(draft, change, context);
      // The fee was not known when the pool was read.
      if (hasFlag((draft.state as FeeFields).flags, 'transferFee')) draft.complete = false;
    },
    createSwapPool(row, ticks, previous) {
      const pool = kind.createSwapPool(row, ticks, previous);
      const fees = findTransferFees(row.state);
      return pool === null || fees === null ? pool : new TransferFeePool(pool, fees);
    },
    revive(plain, ticks) {
      if (!('transferFees' in plain)) return kind.revive(plain, ticks);
      const { within, transferFees } = plain as PlainTransferFeePool;
      return new TransferFeePool(kind.revive(within, ticks), transferFees);
    },
  };
}
