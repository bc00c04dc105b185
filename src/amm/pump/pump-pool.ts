// pump's bonding curve and PumpSwap: constant product whose fees are paid in the quote token.
//
// Token 0 is the coin, or the pool's base; token 1 is what it is paid with. Fees come on top of
// what the curve takes in a purchase, and out of what it pays in a sale.

import type { Ratio } from '../../lib/decimal.ts';
import { AMOUNT_U64_MAX } from '../amount-u64.ts';
import { divideUp } from '../divide-up.ts';
import { buildProductPieces, ListedStretches } from '../listed-stretches.ts';
import { findSmallestInput } from '../smallest-input.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretches, SwapPool } from '../swap-pool.ts';

const BPS = 10_000n;
const PIPS_PER_BPS = 100;
const MARGIN = 1 + 1e-6;

/**
 * `earlyCurve`: the builds before 2025, with one fee that is rounded down. `curve`: each fee is
 * rounded up. `amm`: PumpSwap, whose liquidity providers have a part of the fee.
 */
export type PumpStage = 'earlyCurve' | 'curve' | 'amm';

export interface PlainPump {
  readonly stage: PumpStage;
  /** What prices are computed from: virtual reserves on the curve and in boosted pools. */
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  /** What can be paid out. */
  readonly held0: bigint;
  readonly held1: bigint;
  readonly lpBps: number;
  readonly protocolBps: number;
  readonly creatorBps: number;
}

const NOTHING = { amountIn: 0n, amountOut: 0n, feeAmount: 0n, isFilled: false, ticksCrossed: 0 };

function fill(amountIn: bigint, amountOut: bigint, feeAmount: bigint): SwapOutcome {
  return { amountIn, amountOut, feeAmount, isFilled: true, ticksCrossed: 0 };
}

export class PumpPool implements SwapPool {
  readonly ticks = null;
  readonly #pump: PlainPump;
  readonly #bps: readonly bigint[];
  readonly #totalBps: bigint;

  constructor(pump: PlainPump) {
    this.#pump = pump;
    this.#bps = [pump.lpBps, pump.protocolBps, pump.creatorBps].map(BigInt);
    this.#totalBps = this.#bps.reduce((sum, bps) => sum + bps, 0n);
  }

  get depth(): number {
    return Math.sqrt(Number(this.#pump.reserve0) * Number(this.#pump.reserve1));
  }

  feePips(): number {
    return Number(this.#totalBps) * PIPS_PER_BPS;
  }

  midPrice(zeroForOne: boolean): Ratio {
    const { reserve0, reserve1 } = this.#pump;
    return zeroForOne
      ? { numerator: reserve1, denominator: reserve0 }
      : { numerator: reserve0, denominator: reserve1 };
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): SwapOutcome {
    return zeroForOne ? this.#sell(amountIn) : this.#spend(amountIn);
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): SwapOutcome {
    if (!zeroForOne) return this.#buy(amountOut);
    return findSmallestInput(amountOut, (amountIn) => this.#sell(amountIn));
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    if (!swap.isFilled) return { swap, after: this };
    // The part of the liquidity providers stays in the pool.
    const net = zeroForOne ? swap.amountOut + swap.feeAmount : swap.amountIn - swap.feeAmount;
    const kept = divideUp(net * (this.#bps[0] ?? 0n), BPS);
    const change1 = zeroForOne ? kept - net : net + kept;
    const change0 = zeroForOne ? amountIn : -swap.amountOut;
    const { reserve0, reserve1, held0, held1 } = this.#pump;
    const after = new PumpPool({
      ...this.#pump,
      ...{ reserve0: reserve0 + change0, held0: held0 + change0 },
      ...{ reserve1: reserve1 + change1, held1: held1 + change1 },
    });
    return { swap, after };
  }

  stretches(zeroForOne: boolean): Stretches {
    const { reserve0, reserve1, held0, held1 } = this.#pump;
    const total = Number(this.#totalBps) / Number(BPS);
    const pieces = zeroForOne
      ? buildProductPieces(
          { reserveIn: Number(reserve0), reserveOut: Number(reserve1), held: Number(held1) },
          { keptIn: 1, keptOut: 1 - total },
        )
      : buildProductPieces(
          { reserveIn: Number(reserve1), reserveOut: Number(reserve0), held: Number(held0) },
          { keptIn: 1 / (1 + total), keptOut: 1 },
        );
    return new ListedStretches(pieces);
  }

  takesAtMost(zeroForOne: boolean): number {
    const { reserve0, reserve1 } = this.#pump;
    return Number(AMOUNT_U64_MAX - (zeroForOne ? reserve0 : reserve1)) * MARGIN;
  }

  /** Tests of hooks use it; pump has none, so the fee becomes the protocol's. */
  withFees({ zeroForOne }: DirectionFees): PumpPool {
    const protocolBps = Math.round(zeroForOne / PIPS_PER_BPS);
    return new PumpPool({ ...this.#pump, lpBps: 0, creatorBps: 0, protocolBps });
  }

  toPlain(): PlainPump {
    return this.#pump;
  }

  /** The fees on what the curve takes or pays. */
  #addFees(net: bigint): bigint {
    if (this.#pump.stage === 'earlyCurve') return (net * this.#totalBps) / BPS;
    let fees = 0n;
    for (const bps of this.#bps) fees += divideUp(net * bps, BPS);
    return fees;
  }

  /** What the curve itself takes for so many coins. */
  #findCost(amountOut: bigint): bigint {
    const { stage, reserve0, reserve1 } = this.#pump;
    const product = amountOut * reserve1;
    const rest = reserve0 - amountOut;
    return stage === 'amm' ? divideUp(product, rest) : product / rest + 1n;
  }

  /** Buys exactly so many coins. */
  #buy(amountOut: bigint): SwapOutcome {
    const { reserve0, held0 } = this.#pump;
    if (amountOut > held0 || amountOut >= reserve0) return NOTHING;
    const net = this.#findCost(amountOut);
    const fees = this.#addFees(net);
    return net + fees > AMOUNT_U64_MAX ? NOTHING : fill(net + fees, amountOut, fees);
  }

  /** Buys as many coins as an amount pays for. */
  #spend(amountIn: bigint): SwapOutcome {
    const { reserve0, reserve1, held0 } = this.#pump;
    let net = (amountIn * BPS) / (BPS + this.#totalBps);
    const excess = net + this.#addFees(net) - amountIn;
    if (excess > 0n) net -= excess;
    // The programs keep a unit back, because the cost of the coins is rounded up.
    if (net <= 1n) return NOTHING;
    const amountOut = ((net - 1n) * reserve0) / (reserve1 + net - 1n);
    if (amountOut <= 0n) return NOTHING;
    if (amountOut > held0) return { ...this.#buy(held0), isFilled: false };
    if (amountIn > AMOUNT_U64_MAX - reserve1) return NOTHING;
    return fill(amountIn, amountOut, amountIn - net);
  }

  #sell(amountIn: bigint): SwapOutcome {
    const { reserve0, reserve1, held1 } = this.#pump;
    if (amountIn > AMOUNT_U64_MAX - reserve0) return NOTHING;
    const gross = (amountIn * reserve1) / (reserve0 + amountIn);
    if (gross > held1) {
      const fees = this.#addFees(held1);
      const enough = divideUp(held1 * reserve0, reserve1 - held1);
      return { ...fill(enough, held1 - fees, fees), isFilled: false };
    }
    const fees = this.#addFees(gross);
    return gross > fees ? fill(amountIn, gross - fees, fees) : NOTHING;
  }
}
