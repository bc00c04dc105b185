// pump's curves and PumpSwap's pools as rows: the reserves that price them, what they hold, and
// the fees at the present market value.
//
// Fees depend on the market value, by a table that the chain has and a row does not. A row has the
// step of the table that it is in; when the value leaves it, or a trade was charged otherwise, the
// fees are unknown until the pool is read again.

import { minOf } from '../../lib/bigint-bounds.ts';
import { computeProgressPct } from '../curve-progress.ts';
import { type PoolKind, toLaunchStage } from '../pool-kind.ts';
import { findProductPayable } from '../product-payable.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import { isQuotable } from '../unchecked-flag.ts';
import { type PlainPump, PumpPool, type PumpStage } from './pump-pool.ts';

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
