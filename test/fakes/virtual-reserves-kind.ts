// A pool kind that only tests know: a bonding curve, constant product on virtual reserves, which
// pays no more than it really holds.

import { ConstantProductPool } from '../../src/amm/constant-product/constant-product-pool.ts';
import type { PoolKind } from '../../src/amm/pool-kind.ts';
import { decodeFields, encodeFields, toBigint } from '../../src/amm/state-text.ts';
import type { DirectionFees, Stretches, SwapPool } from '../../src/amm/swap-pool.ts';

declare module '../../src/model/pool.ts' {
  interface PoolShapes {
    virtualReserves: {
      /** Added to the real reserves. */
      readonly terms: { readonly virtual0: bigint; readonly virtual1: bigint };
      readonly state: { readonly real0: bigint | null; readonly real1: bigint | null };
      readonly change: { readonly real0: bigint; readonly real1: bigint };
    };
  }
}

interface Curve {
  readonly virtual0: bigint;
  readonly virtual1: bigint;
  readonly real0: bigint;
  readonly real1: bigint;
  readonly feePips: number;
}

export class VirtualReservesPool implements SwapPool {
  readonly ticks = null;
  readonly #curve: Curve;
  readonly #product: ConstantProductPool;

  constructor(curve: Curve) {
    this.#curve = curve;
    const reserve0 = curve.virtual0 + curve.real0;
    const reserve1 = curve.virtual1 + curve.real1;
    this.#product = new ConstantProductPool({ reserve0, reserve1 }, curve.feePips);
  }

  get depth(): number {
    return this.#product.depth;
  }

  feePips(): number {
    return this.#curve.feePips;
  }

  midPrice(zeroForOne: boolean) {
    return this.#product.midPrice(zeroForOne);
  }

  swapIn(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.#product.swapIn(zeroForOne, amountIn);
    const real = zeroForOne ? this.#curve.real1 : this.#curve.real0;
    if (swap.amountOut <= real) return swap;
    const least = this.#product.swapOut(zeroForOne, real);
    return { ...least, isFilled: false };
  }

  swapOut(zeroForOne: boolean, amountOut: bigint) {
    const real = zeroForOne ? this.#curve.real1 : this.#curve.real0;
    const isThere = amountOut <= real;
    const swap = this.#product.swapOut(zeroForOne, isThere ? amountOut : real);
    return isThere ? swap : { ...swap, isFilled: false };
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    const { virtual0, virtual1 } = this.#curve;
    const { reserve0, reserve1 } = swap.after;
    const real = { real0: reserve0 - virtual0, real1: reserve1 - virtual1 };
    return { swap, after: new VirtualReservesPool({ ...this.#curve, ...real }) };
  }

  /** Like constant product, up to the price at which nothing is left. */
  stretches(zeroForOne: boolean): Stretches {
    const whole = this.#product.stretches(zeroForOne);
    const real = Number(zeroForOne ? this.#curve.real1 : this.#curve.real0);
    let end: { u: number; depth: number } | null = null;
    return {
      next(stretch) {
        if (whole.next(stretch)) {
          const { u, depth } = stretch;
          end = { u: 1 / (1 / u - (real / depth) * 0.999999), depth: depth * 1e-9 };
          return true;
        }
        if (end === null) return false;
        Object.assign(stretch, end);
        end = null;
        return true;
      },
    };
  }

  takesAtMost(zeroForOne: boolean): number {
    return this.#product.takesAtMost(zeroForOne);
  }

  toPlain(): object {
    return this.#curve;
  }

  withFees({ zeroForOne }: DirectionFees): VirtualReservesPool {
    return new VirtualReservesPool({ ...this.#curve, feePips: zeroForOne });
  }
}

export const virtualReservesKind: PoolKind<'virtualReserves'> = {
  name: 'virtualReserves',
  hasTicks: false,
  hasDepthByLog: true,
  countsArrivals: false,
  stateAtStart: { real0: null, real1: null },
  eventFields: ['real0', 'real1'],
  needsTicks: () => false,
  apply(draft, { real0, real1 }) {
    draft.state = { real0, real1 };
  },
  assembleState: ({ real0 = null, real1 = null }) =>
    real0 === null || real1 === null ? null : { real0, real1 },
  price: () => null,
  holdings({ real0, real1 }) {
    return real0 === null || real1 === null ? null : { amount0: real0, amount1: real1 };
  },
  payableRaw({ state, terms }, base) {
    const [real, virtual] =
      base === 'token0' ? [state.real1, terms.virtual1] : [state.real0, terms.virtual0];
    const held = real ?? 0n;
    const payable = (held + virtual) / 100n;
    if (payable < held) return payable;
    return held;
  },
  createSwapPool({ state: { real0, real1 }, terms, feePips }) {
    if (real0 === null || real1 === null) return null;
    return new VirtualReservesPool({ ...terms, real0, real1, feePips });
  },
  revive: (plain) => new VirtualReservesPool(plain as Curve),
  encodeTerms: ({ virtual0, virtual1 }) => encodeFields([virtual0, virtual1]),
  decodeTerms(text) {
    const [virtual0, virtual1] = decodeFields(text, 2);
    return { virtual0: toBigint(virtual0) ?? 0n, virtual1: toBigint(virtual1) ?? 0n };
  },
  encodeState: ({ real0, real1 }) => encodeFields([real0, real1]),
  decodeState(text) {
    const [real0, real1] = decodeFields(text, 2);
    return { real0: toBigint(real0), real1: toBigint(real1) };
  },
};
