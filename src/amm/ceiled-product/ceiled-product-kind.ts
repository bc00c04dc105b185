// Raydium's constant-product pools (AMM v4, CPMM) as rows: reserves without the fees that are to be
// withdrawn.

import type { Ratio } from '../../lib/decimal.ts';
import { AMOUNT_U64_MAX } from '../amount-u64.ts';
import { divideUp } from '../divide-up.ts';
import { buildProductPieces, ListedStretches } from '../listed-stretches.ts';
import type { PoolKind } from '../pool-kind.ts';
import { decodeOpening } from '../pool-moment.ts';
import { findProductPayable } from '../product-payable.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import type { SwapOutcome } from '../swap-outcome.ts';
import type { DirectionFees, Stretches, SwapPool } from '../swap-pool.ts';
import { hasFlag, isQuotable, joinFlags } from '../unchecked-flag.ts';

// Constant-product pools of Raydium (AMM v4 and CPMM): every fee is rounded up on its own.
//
// v4 writes its fee as 25 of 10,000 and CPMM in pips; a fee of 2,500 pips gives the same quotients.

const PIPS = 1_000_000n;
const MARGIN = 1 + 1e-6;

/** Which token the creator's fee is taken from. */
type CreatorFeeToken = 'input' | 'token0' | 'token1';

interface CeiledTerms {
  readonly creatorFeePips: number;
  readonly creatorFeeOn: CreatorFeeToken;
  /** The parts of the trade fee that leave the reserves. */
  readonly protocolSharePips: number;
  readonly fundSharePips: number;
}

interface PlainCeiledPair {
  /** Without the fees that are to be withdrawn. */
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  /** The fee of each direction without the creator's. */
  readonly fees: DirectionFees;
  readonly terms: CeiledTerms;
}

interface CeiledRates {
  readonly tradePips: bigint;
  /** On the input. */
  readonly creatorInPips: bigint;
  readonly creatorOutPips: bigint;
}

const NOTHING = { amountIn: 0n, amountOut: 0n, feeAmount: 0n, isFilled: false, ticksCrossed: 0 };

export class CeiledProductPool implements SwapPool {
  readonly ticks = null;
  readonly #pair: PlainCeiledPair;

  constructor(pair: PlainCeiledPair) {
    this.#pair = pair;
  }

  get depth(): number {
    return Math.sqrt(Number(this.#pair.reserve0) * Number(this.#pair.reserve1));
  }

  feePips(zeroForOne: boolean): number {
    const { fees, terms } = this.#pair;
    return (zeroForOne ? fees.zeroForOne : fees.oneForZero) + terms.creatorFeePips;
  }

  midPrice(zeroForOne: boolean): Ratio {
    const [reserveIn, reserveOut] = this.#order(zeroForOne);
    return { numerator: reserveOut, denominator: reserveIn };
  }

  swapIn(zeroForOne: boolean, amountIn: bigint): SwapOutcome {
    const [reserveIn, reserveOut] = this.#order(zeroForOne);
    const { tradePips, creatorInPips, creatorOutPips } = this.#findRates(zeroForOne);
    if (amountIn > AMOUNT_U64_MAX - reserveIn) return NOTHING;
    const feeAmount = divideUp(amountIn * (tradePips + creatorInPips), PIPS);
    const kept = amountIn - feeAmount;
    if (kept <= 0n) return NOTHING;
    const gross = (kept * reserveOut) / (reserveIn + kept);
    const amountOut = gross - divideUp(gross * creatorOutPips, PIPS);
    // The programs refuse a swap that pays nothing.
    if (amountOut <= 0n) return NOTHING;
    return { amountIn, amountOut, feeAmount, isFilled: true, ticksCrossed: 0 };
  }

  swapOut(zeroForOne: boolean, amountOut: bigint): SwapOutcome {
    const [reserveIn, reserveOut] = this.#order(zeroForOne);
    const { tradePips, creatorInPips, creatorOutPips } = this.#findRates(zeroForOne);
    const keptPips = PIPS - tradePips - creatorInPips;
    if (keptPips <= 0n || creatorOutPips >= PIPS) return NOTHING;
    const gross = divideUp(amountOut * PIPS, PIPS - creatorOutPips);
    if (gross >= reserveOut) return NOTHING;
    const kept = divideUp(reserveIn * gross, reserveOut - gross);
    const amountIn = divideUp(kept * PIPS, keptPips);
    if (amountIn > AMOUNT_U64_MAX - reserveIn) return NOTHING;
    const feeAmount = amountIn - kept;
    return { amountIn, amountOut, feeAmount, isFilled: true, ticksCrossed: 0 };
  }

  swapAndMove(zeroForOne: boolean, amountIn: bigint) {
    const swap = this.swapIn(zeroForOne, amountIn);
    if (!swap.isFilled) return { swap, after: this };
    const { terms } = this.#pair;
    const { tradePips, creatorInPips, creatorOutPips } = this.#findRates(zeroForOne);
    const rate = tradePips + creatorInPips;
    const creatorIn = rate === 0n ? 0n : (swap.feeAmount * creatorInPips) / rate;
    const tradeFee = swap.feeAmount - creatorIn;
    const leaves = (share: number) => (tradeFee * BigInt(share)) / PIPS;
    const stays =
      amountIn - creatorIn - leaves(terms.protocolSharePips) - leaves(terms.fundSharePips);
    // A creator's fee on the output leaves the reserves, too.
    const gross = divideUp(swap.amountOut * PIPS, PIPS - creatorOutPips);
    return { swap, after: this.#move(zeroForOne, stays, gross) };
  }

  stretches(zeroForOne: boolean): Stretches {
    const [reserveIn, reserveOut] = this.#order(zeroForOne).map(Number) as [number, number];
    const { tradePips, creatorInPips, creatorOutPips } = this.#findRates(zeroForOne);
    const keptIn = 1 - Number(tradePips + creatorInPips) / Number(PIPS);
    const keptOut = 1 - Number(creatorOutPips) / Number(PIPS);
    return new ListedStretches(
      buildProductPieces({ reserveIn, reserveOut, held: reserveOut }, { keptIn, keptOut }),
    );
  }

  takesAtMost(zeroForOne: boolean): number {
    return Number(AMOUNT_U64_MAX - this.#order(zeroForOne)[0]) * MARGIN;
  }

  withFees(fees: DirectionFees): CeiledProductPool {
    return new CeiledProductPool({ ...this.#pair, fees });
  }

  toPlain(): PlainCeiledPair {
    return this.#pair;
  }

  #order(zeroForOne: boolean): readonly [bigint, bigint] {
    const { reserve0, reserve1 } = this.#pair;
    return zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0];
  }

  #move(zeroForOne: boolean, stays: bigint, leaves: bigint): CeiledProductPool {
    const { reserve0, reserve1 } = this.#pair;
    return new CeiledProductPool({
      ...this.#pair,
      reserve0: zeroForOne ? reserve0 + stays : reserve0 - leaves,
      reserve1: zeroForOne ? reserve1 - leaves : reserve1 + stays,
    });
  }

  #findRates(zeroForOne: boolean): CeiledRates {
    const { fees, terms } = this.#pair;
    const creatorPips = BigInt(terms.creatorFeePips);
    const inputToken = zeroForOne ? 'token0' : 'token1';
    const isOnInput = terms.creatorFeeOn === 'input' || terms.creatorFeeOn === inputToken;
    return {
      tradePips: BigInt(zeroForOne ? fees.zeroForOne : fees.oneForZero),
      creatorInPips: isOnInput ? creatorPips : 0n,
      creatorOutPips: isOnInput ? 0n : creatorPips,
    };
  }
}

/** Null before the first event. */
interface CeiledProductState {
  readonly reserve0: bigint | null;
  readonly reserve1: bigint | null;
  /** See `UncheckedFlag`. */
  readonly flags: string;
  /** What its tokens deduct from transfers (`encodeTransferFees`); empty if nothing. */
  readonly transferFees?: string;
  /** A `PoolOpening` as text. */
  readonly opens?: string;
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    ceiledProduct: {
      readonly terms: CeiledTerms;
      readonly state: CeiledProductState;
      readonly change: FieldChange<CeiledProductState>;
    };
  }
}

const parts = createRecordParts<'ceiledProduct'>({
  terms: {
    ...{ creatorFeePips: 'number', creatorFeeOn: 'text' },
    ...{ protocolSharePips: 'number', fundSharePips: 'number' },
  },
  state: {
    ...{ reserve0: 'bigint', reserve1: 'bigint', flags: 'text', transferFees: 'text' },
    opens: 'text',
  },
  stateCountMin: 3,
});

/** Events tell the reserves, but not what else decides what a swap pays. */
const UNREAD = joinFlags(['unread']);

export const ceiledProductKind: PoolKind<'ceiledProduct'> = {
  ...parts,
  stateAtStart: { ...parts.stateAtStart, flags: UNREAD },
  apply(draft, change, context) {
    parts.apply(draft, change, context);
    const { flags } = draft.state;
    // A swap in a pool that was closed says that it opened since it was read.
    const hasOpened = context.swapped !== null && hasFlag(flags, 'closed');
    if (flags === UNREAD || hasOpened) draft.complete = false;
  },
  name: 'ceiledProduct',
  hasTicks: false,
  hasDepthByLog: true,
  countsArrivals: true,
  eventFields: ['reserve0', 'reserve1'],
  findFlags: ({ flags }) => flags,
  findOpening: ({ opens = '' }) => decodeOpening(opens),
  price({ reserve0, reserve1 }) {
    if (!reserve0 || !reserve1) return null;
    return { numerator: reserve1, denominator: reserve0 };
  },
  holdings({ reserve0, reserve1 }) {
    if (reserve0 === null || reserve1 === null) return null;
    return { amount0: reserve0, amount1: reserve1 };
  },
  payableRaw({ state }, base) {
    return findProductPayable((base === 'token0' ? state.reserve1 : state.reserve0) ?? 0n);
  },
  createSwapPool({ state, feePips, terms }) {
    const { reserve0, reserve1, flags } = state;
    if (reserve0 === null || reserve1 === null || !isQuotable(flags)) return null;
    if (reserve0 <= 0n || reserve1 <= 0n) return null;
    const fees = { zeroForOne: feePips, oneForZero: feePips };
    return new CeiledProductPool({ reserve0, reserve1, fees, terms });
  },
  revive: (plain) => new CeiledProductPool(plain as PlainCeiledPair),
};
