// A pool whose contract was asked what it pays for one amount, and for a small one that shows its
// price. It swaps that amount and no other.

import type { Ratio } from '../../lib/decimal.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { SwapPool } from '../swap-pool.ts';

interface OnChainSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

interface OnChainAnswers {
  readonly zeroForOne: boolean;
  readonly asked: OnChainSwap;
  readonly small: OnChainSwap;
  /** Of a pool of Curve: whether it is called as a stable one. */
  readonly isStable?: boolean | null;
}

const NOTHING: SwapOutcome = {
  ...{ amountIn: 0n, amountOut: 0n, feeAmount: 0n },
  ...{ isFilled: false, ticksCrossed: 0 },
};

export class OnChainPool implements SwapPool {
  readonly depth = 0;
  readonly ticks = null;
  readonly #answers: OnChainAnswers;

  constructor(answers: OnChainAnswers) {
    this.#answers = answers;
  }

  get isStable(): boolean | null {
    return this.#answers.isStable ?? null;
  }

  /** What the fee takes is not known: it is part of the price. */
  feePips(): number {
    return 0;
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): SwapOutcome {
    const { asked } = this.#answers;
    if (zeroForOne !== this.#answers.zeroForOne || amountIn !== asked.amountIn) return NOTHING;
    return { ...asked, feeAmount: 0n, isFilled: true, ticksCrossed: 0 };
  }

  swapOut(): SwapOutcome {
    return NOTHING;
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    return { swap: this.swapIn(zeroForOne, amountIn), after: this };
  }

  midPrice(zeroForOne: boolean): Ratio {
    const { amountIn, amountOut } = this.#answers.small;
    const isAsked = zeroForOne === this.#answers.zeroForOne;
    const [numerator, denominator] = isAsked ? [amountOut, amountIn] : [amountIn, amountOut];
    return { numerator, denominator };
  }

  stretches() {
    return { next: () => false };
  }

  takesAtMost(): number {
    return Number(this.#answers.asked.amountIn);
  }

  withFees(): SwapPool {
    return this;
  }

  toPlain(): object {
    throw new Error('a pool that was called is not searched, so it is never sent');
  }
}
