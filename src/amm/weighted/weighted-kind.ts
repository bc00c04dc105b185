// Two tokens of a Balancer weighted pool as a row: their balances, weights and the pool's fee.

import { maxOf } from '../../lib/bigint-bounds.ts';
import type { PoolKind } from '../pool-kind.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import { findCurvePayable } from '../smooth-curve.ts';
import { isQuotable } from '../unchecked-flag.ts';
import { type PlainWeighted, WeightedPool } from './weighted-pool.ts';

/** Null while unknown. */
interface WeightedState {
  readonly balance0: bigint | null;
  readonly balance1: bigint | null;
  /** With 18 decimals. */
  readonly weight0: bigint | null;
  readonly weight1: bigint | null;
  readonly decimals0: number | null;
  readonly decimals1: number | null;
  /** With 18 decimals. */
  readonly swapFee: bigint | null;
  /** See `PlainWeighted`. */
  readonly hasShortcuts: boolean | null;
  /** See `UncheckedFlag`. */
  readonly flags: string;
}

/** What a log adds to the balances, or takes from them. */
interface BalanceChange {
  readonly delta0: bigint;
  readonly delta1: bigint;
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    weighted: {
      readonly terms: null;
      readonly state: WeightedState;
      readonly change: FieldChange<WeightedState> | BalanceChange;
    };
  }
}

const parts = createRecordParts<'weighted'>({
  terms: {} as never,
  state: {
    ...{ balance0: 'bigint', balance1: 'bigint', weight0: 'bigint', weight1: 'bigint' },
    ...{ decimals0: 'number', decimals1: 'number', swapFee: 'bigint' },
    ...{ hasShortcuts: 'boolean', flags: 'text' },
  },
});

function createPool(state: WeightedState): WeightedPool | null {
  const { balance0, balance1, weight0, weight1, decimals0, decimals1 } = state;
  const { swapFee, hasShortcuts } = state;
  if (!balance0 || !balance1 || !weight0 || !weight1) return null;
  if (decimals0 === null || decimals1 === null || swapFee === null) return null;
  // Tokens with more than 18 decimals are not allowed in these pools.
  if (hasShortcuts === null || decimals0 > 18 || decimals1 > 18) return null;
  return new WeightedPool({
    ...{ balance0, balance1, weight0, weight1, decimals0, decimals1, swapFee, hasShortcuts },
  });
}

export const weightedKind: PoolKind<'weighted'> = {
  ...parts,
  encodeTerms: () => '',
  decodeTerms: () => null,
  name: 'weighted',
  hasTicks: false,
  countsArrivals: false,
  eventFields: ['balance0', 'balance1'],
  findFlags: ({ flags }) => flags,
  apply(draft, change, context) {
    if ('set' in change) {
      parts.apply(draft, { poolKind: 'weighted', set: change.set }, context);
      return;
    }
    const { balance0, balance1 } = draft.state;
    if (balance0 === null || balance1 === null) return;
    const [after0, after1] = [balance0 + change.delta0, balance1 + change.delta1];
    // More was taken than the pool had: the known balances are wrong.
    if (after0 < 0n || after1 < 0n) draft.complete = false;
    draft.state = { ...draft.state, balance0: maxOf(after0, 0n), balance1: maxOf(after1, 0n) };
  },
  price: (state) => createPool(state)?.midPrice(true) ?? null,
  holdings({ balance0, balance1 }) {
    return balance0 === null || balance1 === null ? null : { amount0: balance0, amount1: balance1 };
  },
  payableRaw({ state }, base) {
    const zeroForOne = base === 'token0';
    const pool = createPool({ ...state, swapFee: 0n });
    if (pool === null) return 0n;
    const curve = pool.toSmoothCurve(zeroForOne);
    return findCurvePayable(curve, (amountIn) => pool.swapIn(zeroForOne, amountIn).amountOut);
  },
  createSwapPool: ({ state }) => (isQuotable(state.flags) ? createPool(state) : null),
  revive: (plain) => new WeightedPool(plain as PlainWeighted),
};
