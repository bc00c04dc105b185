// Pools whose trades are stored, but whose swaps are not computed: only what the last one exchanged
// is known of them. They have no depth, so their trades are outliers where another pool of the
// token has some. The store and the API call this kind `tradesOnly`.

import type { PoolKindName } from '../../model/pool.ts';
import type { PoolKind } from '../pool-kind.ts';
import { createRecordParts, type FieldChange } from '../record-parts.ts';
import { joinFlags } from '../unchecked-flag.ts';

/** What the last swap exchanged; null before the first one. */
interface UnpricedState {
  readonly last0: bigint | null;
  readonly last1: bigint | null;
}

declare module '../../model/pool.ts' {
  interface PoolShapes {
    tradesOnly: {
      readonly terms: null;
      readonly state: UnpricedState;
      readonly change: FieldChange<UnpricedState>;
    };
  }
}

const {
  encodeTerms: _encode,
  decodeTerms: _decode,
  ...parts
} = createRecordParts<'tradesOnly'>({
  terms: {} as never,
  state: { last0: 'bigint', last1: 'bigint' },
});

/** Whether only its contract can say what it pays. */
export function isUnpriced({ kind }: { readonly kind: PoolKindName }): boolean {
  return kind === 'tradesOnly';
}

export const unpricedKind: PoolKind<'tradesOnly'> = {
  ...parts,
  name: 'tradesOnly',
  hasTicks: false,
  hasDepthByLog: false,
  countsArrivals: false,
  eventFields: ['last0', 'last1'],
  findFeePips: () => null,
  findFlags: () => joinFlags(['notComputed']),
  apply(draft, change, context) {
    const { last0, last1 } = change.set;
    // A swap of dust that paid nothing has no price.
    if (last0 && last1) parts.apply(draft, change, context);
  },
  price({ last0, last1 }) {
    return last0 && last1 ? { numerator: last1, denominator: last0 } : null;
  },
  holdings: () => null,
  payableRaw: () => 0n,
  createSwapPool: () => null,
  revive() {
    throw new Error('a pool without swaps cannot be sent');
  },
  encodeTerms: () => '',
  decodeTerms: () => null,
};
