// A pool after a swap: what the venue's event says, and what its vaults hold.

import type { PoolChange, PoolDescription } from '../../../model/pool.ts';
import { KIND_FOLDS } from '../venues/solana-venues.ts';
import type { VenueTrade } from '../venues/venue-trade.ts';

type FoldedSwap = Pick<
  VenueTrade,
  'change' | 'fold' | 'before' | 'heldAfter' | 'amountIn' | 'amountOut' | 'source'
>;

/** For kinds whose pools hold what is in their vaults; others keep fees there, too. */
function foldHeld(
  { heldAfter }: Pick<VenueTrade, 'heldAfter'>,
  { kind }: PoolDescription,
  isZeroIn: boolean,
): (PoolChange & { readonly set: object }) | null {
  if (heldAfter === null) return null;
  if (KIND_FOLDS.get(kind)?.holdsVaults !== true) return null;
  const [held0, held1] = isZeroIn ? [heldAfter.in, heldAfter.out] : [heldAfter.out, heldAfter.in];
  return { poolKind: kind, set: { held0, held1 } } as PoolChange & { readonly set: object };
}

/** Null if nothing is known of it. */
export function foldPoolTrade(
  trade: FoldedSwap,
  description: PoolDescription,
  moment: { readonly isZeroIn: boolean; readonly nowSeconds: number },
): PoolChange | null {
  const { isZeroIn } = moment;
  const folds = KIND_FOLDS.get(description.kind);
  const told =
    trade.change ??
    trade.fold?.(description, moment) ??
    folds?.foldSwap?.(trade, description, isZeroIn);
  // A pool of another kind than its venue's events say cannot take their changes.
  const own = told?.poolKind === description.kind ? told : null;
  const held = foldHeld(trade, description, isZeroIn);
  // A swap whose event is missing moved the price, nobody knows where to.
  const stale = own === null ? (folds?.stale ?? null) : null;
  if (stale !== null)
    return held === null ? stale : ({ ...stale, set: { ...stale.set, ...held.set } } as PoolChange);
  if (own === null || held === null) return own ?? held;
  const { set } = own as { readonly set: object };
  return { ...own, set: { ...set, ...held.set } } as PoolChange;
}
