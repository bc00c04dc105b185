// pump's curves and PumpSwap's pools as rows: the reserves that price them, what they hold, and
// the fees at the present market value.
//
// Fees depend on the market value, by a table that the chain has and a row does not. A row has the
// step of the table that it is in; when the value leaves it, or a trade was charged otherwise, the
// fees are unknown until the pool is read again.

import { minOf } from '../../lib/bigint-bounds.ts';
import type { Ratio } from '../../lib/decimal.ts';
import { AMOUNT_U64_MAX } from '../amount-u64.ts';
import { computeProgressPct } from '../curve-progress.ts';
import { divideUp } from '../divide-up.ts';
import { buildProductPieces, ListedStretches } from '../listed-stretches.ts';
import { type PoolKind, toLaunchStage } from '../pool-kind.ts';
import { findProductPayable } from '../product-payable.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import { findSmallestInput } from '../smallest-input.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretches, SwapPool } from '../swap-pool.ts';
import { isQuotable } from '../unchecked-flag.ts';

// pump's bonding curve and PumpSwap: constant product whose fees are paid in the quote token.
//
// Token 0 is the coin, or the pool's base; token 1 is what it is paid with. Fees come on top of
// what the curve takes in a purchase, and out of what it pays in a sale.

const BPS = 10_000n;
const PIPS_PER_BPS = 100;
const MARGIN = 1 + 1e-6;

/**
 * `earlyCurve`: the builds before 2025, with one fee that is rounded down. `curve`: each fee is
 * rounded up. `amm`: PumpSwap, whose liquidity providers have a part of the fee.
 */
type PumpStage = 'earlyCurve' | 'curve' | 'amm';

interface PlainPump {
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

/** Null before the first event. */
interface PumpState {
  readonly reserve0: bigint | null;
  readonly reserve1: bigint | null;
  readonly held0: bigint | null;
  readonly held1: bigint | null;
  readonly lpBps: number | null;
  readonly protocolBps: number | null;
  readonly creatorBps: number | null;
  /** Whether a curve has sold all it had: it takes no more swaps. */
  readonly isComplete: boolean | null;
  /** Whether its coin has got a pool of its own. */
  readonly isMigrated: boolean | null;
  /** See `UncheckedFlag`. */
  readonly flags: string;
  /** The supply that the market value is computed with. */
  readonly supply: bigint | null;
  /** The fees hold from this market value on, and below the next one. */
  readonly feesFrom: bigint | null;
  readonly feesBelow: bigint | null;
}

type ChargedFees = Readonly<Record<'lpBps' | 'protocolBps' | 'creatorBps', number>>;

interface PumpChange extends FieldChange<PumpState> {
  /** The fees of the swap, which the market value before it decided. */
  readonly charged?: ChargedFees;
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    pump: {
      readonly terms: {
        readonly stage: PumpStage;
        /** What the quote reserve of a boosted pool has beside its vault. */
        readonly virtualQuote: bigint;
      };
      readonly state: PumpState;
      readonly change: PumpChange;
    };
  }
}

/** What a new curve has to sell, by pump's settings: 793.1 million coins with six decimals. */
const CURVE_COINS = 793_100_000_000_000n;

const parts = createRecordParts<'pump'>({
  terms: { stage: 'text', virtualQuote: 'bigint' },
  state: {
    ...{ reserve0: 'bigint', reserve1: 'bigint', held0: 'bigint', held1: 'bigint' },
    ...{ lpBps: 'number', protocolBps: 'number', creatorBps: 'number' },
    ...{ isComplete: 'boolean', isMigrated: 'boolean', flags: 'text' },
    ...{ supply: 'bigint', feesFrom: 'bigint', feesBelow: 'bigint' },
  },
  stateCountMin: 10,
});

const FEES_UNKNOWN = { lpBps: null, protocolBps: null, creatorBps: null };

function isChargedAs(state: PumpState, charged: ChargedFees): boolean {
  const names = ['lpBps', 'protocolBps', 'creatorBps'] as const;
  return names.every((name) => state[name] === null || state[name] === charged[name]);
}

/** Whether the fees are those of the market value. */
function isInStep({ reserve0, reserve1, supply, feesFrom, feesBelow }: PumpState): boolean {
  if (!reserve0 || reserve1 === null || supply === null) return false;
  if (feesFrom === null || feesBelow === null) return false;
  const marketValue = (reserve1 * supply) / reserve0;
  return marketValue >= feesFrom && marketValue < feesBelow;
}

export const pumpKind: PoolKind<'pump'> = {
  ...parts,
  name: 'pump',
  hasTicks: false,
  hasDepthByLog: true,
  countsArrivals: false,
  eventFields: ['reserve0', 'reserve1', 'held0', 'held1'],
  findFlags: ({ flags }) => flags,
  apply(draft, change, context) {
    const isSame = change.charged === undefined || isChargedAs(draft.state, change.charged);
    parts.apply(draft, change, context);
    if (isSame && isInStep(draft.state)) return;
    draft.state = { ...draft.state, ...FEES_UNKNOWN };
    draft.complete = false;
  },
  findLaunch({ terms, state }) {
    if (terms.stage === 'amm') return null;
    return toLaunchStage(state.isComplete);
  },
  findProgress({ terms, state: { held0, isMigrated } }) {
    if (terms.stage === 'amm') return null;
    const sold = held0 === null ? null : CURVE_COINS - held0;
    const isGraduated = isMigrated === true;
    return { progressPct: isGraduated ? 100 : computeProgressPct(sold, CURVE_COINS), isGraduated };
  },
  price({ reserve0, reserve1 }) {
    if (!reserve0 || !reserve1) return null;
    return { numerator: reserve1, denominator: reserve0 };
  },
  holdings({ held0, held1 }) {
    return held0 === null || held1 === null ? null : { amount0: held0, amount1: held1 };
  },
  payableRaw({ state }, base) {
    const { reserve0, reserve1, held0, held1 } = state;
    const [reserve, held] = base === 'token0' ? [reserve1, held1] : [reserve0, held0];
    return minOf(findProductPayable(reserve ?? 0n), held ?? 0n);
  },
  createSwapPool({ state, terms: { stage } }) {
    const { reserve0, reserve1, held0, held1, lpBps, protocolBps, creatorBps } = state;
    if (!reserve0 || !reserve1 || reserve1 < 0n || held0 === null || held1 === null) return null;
    if (lpBps === null || protocolBps === null || creatorBps === null) return null;
    if (state.isComplete !== false || !isQuotable(state.flags)) return null;
    const fees = { lpBps, protocolBps, creatorBps };
    return new PumpPool({ stage, reserve0, reserve1, held0, held1, ...fees });
  },
  revive: (plain) => new PumpPool(plain as PlainPump),
};
