// Constant-product pools as rows: every event has the full reserves (V2 `Sync`).

import type { PoolKind } from '../pool-kind.ts';
import { findProductPayable } from '../product-payable.ts';
import { decodeFields, encodeFields, toBigint } from '../state-text.ts';
import { joinFlags } from '../unchecked-flag.ts';
import { ConstantProductPool, type PlainPair } from './constant-product-pool.ts';

declare module '../../model/pool.ts' {
  interface PoolShapes {
    constantProduct: {
      /** Null if the fee is that of its factory or was confirmed by its router. */
      readonly terms: { readonly isFeeUnchecked: true } | null;
      /** Null before the first event. */
      readonly state: { readonly reserve0: bigint | null; readonly reserve1: bigint | null };
      readonly change: { readonly reserve0: bigint; readonly reserve1: bigint };
    };
  }
}

const UNCHECKED = 'feeUnchecked';

export const constantProductKind: PoolKind<'constantProduct'> = {
  name: 'constantProduct',
  hasTicks: false,
  hasDepthByLog: true,
  countsArrivals: true,
  stateAtStart: { reserve0: null, reserve1: null },
  eventFields: ['reserve0', 'reserve1'],
  findFlags: (_, terms) => (terms === null ? '' : joinFlags([UNCHECKED])),
  needsTicks: () => false,
  apply(draft, { reserve0, reserve1 }) {
    draft.state = { reserve0, reserve1 };
    // The reserves are the whole state, also of a pool older than the index.
    draft.complete = true;
  },
  assembleState({ reserve0 = null, reserve1 = null }) {
    return reserve0 === null || reserve1 === null ? null : { reserve0, reserve1 };
  },
  price({ reserve0, reserve1 }) {
    if (!reserve0 || !reserve1) return null;
    return { numerator: reserve1, denominator: reserve0 };
  },
  holdings({ reserve0, reserve1 }) {
    if (reserve0 === null || reserve1 === null) return null;
    return { amount0: reserve0, amount1: reserve1 };
  },
  payableRaw({ state }, base) {
    const reserve = base === 'token0' ? state.reserve1 : state.reserve0;
    return findProductPayable(reserve ?? 0n);
  },
  createSwapPool({ state: { reserve0, reserve1 }, feePips }) {
    if (!reserve0 || !reserve1) return null;
    return new ConstantProductPool({ reserve0, reserve1 }, feePips);
  },
  revive(plain) {
    const { feePips, ...reserves } = plain as PlainPair;
    return new ConstantProductPool(reserves, feePips);
  },
  encodeTerms: (terms) => (terms === null ? '' : UNCHECKED),
  decodeTerms: (text) => (text === '' ? null : { isFeeUnchecked: true }),
  encodeState: ({ reserve0, reserve1 }) => encodeFields([reserve0, reserve1]),
  decodeState(text) {
    const [reserve0, reserve1] = decodeFields(text, 2);
    return { reserve0: toBigint(reserve0), reserve1: toBigint(reserve1) };
  },
};
