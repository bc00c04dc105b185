// Raydium's constant-product pools (AMM v4, CPMM) as rows: reserves without the fees that are to be
// withdrawn.

import type { PoolKind } from '../pool-kind.ts';
import { decodeOpening } from '../pool-moment.ts';
import { findProductPayable } from '../product-payable.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import { decodeTransferFees } from '../transfer-fee.ts';
import { type PlainTransferFeePool, TransferFeePool } from '../transfer-fee-pool.ts';
import { hasFlag, isQuotable, joinFlags } from '../unchecked-flag.ts';
import {
  CeiledProductPool,
  type CeiledTerms,
  type PlainCeiledPair,
} from './ceiled-product-pool.ts';

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
    // Earlier versions stored no fees of transfers.
    const lacksFees = hasFlag(flags, 'transferFee');
    if (flags === UNREAD || hasOpened || lacksFees) draft.complete = false;
  },
  name: 'ceiledProduct',
  hasTicks: false,
  hasDepthByLog: true,
  countsArrivals: true,
  eventFields: ['reserve0', 'reserve1'],
  findFlags: ({ flags }) => flags,
  findOpening: ({ opens = '' }) => decodeOpening(opens),
  findTransferFees: ({ transferFees = '' }) => decodeTransferFees(transferFees),
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
    const { reserve0, reserve1, flags, transferFees = '' } = state;
    if (reserve0 === null || reserve1 === null || !isQuotable(flags)) return null;
    if (reserve0 <= 0n || reserve1 <= 0n) return null;
    const fees = { zeroForOne: feePips, oneForZero: feePips };
    const pool = new CeiledProductPool({ reserve0, reserve1, fees, terms });
    const deducted = decodeTransferFees(transferFees);
    return deducted === null ? pool : new TransferFeePool(pool, deducted);
  },
  revive(plain) {
    if (!('transferFees' in plain)) return new CeiledProductPool(plain as PlainCeiledPair);
    const { within, transferFees } = plain as PlainTransferFeePool;
    return new TransferFeePool(new CeiledProductPool(within as PlainCeiledPair), transferFees);
  },
};
