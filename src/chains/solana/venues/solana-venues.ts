// The venues of Solana that are decoded and quoted.

import type { Address } from '../../../model/ids.ts';
import type { PoolKindName, PoolTerms } from '../../../model/pool.ts';
import { BOOP } from './boop/boop-venue.ts';
import { METEORA_DAMM } from './meteora-damm/damm-venue.ts';
import { METEORA_DBC } from './meteora-dbc/dbc-venue.ts';
import { METEORA_DLMM } from './meteora-dlmm/dlmm-venue.ts';
import { MOONSHOT } from './moonshot/moonshot-venue.ts';
import { PUMP_CURVE } from './pump-curve/curve-venue.ts';
import { PUMP_SWAP } from './pump-swap/pump-swap-venue.ts';
import { BYREAL, PANCAKESWAP_CLMM, RAYDIUM_CLMM } from './raydium-clmm/clmm-venue.ts';
import { RAYDIUM_CPMM } from './raydium-cpmm/cpmm-venue.ts';
import { RAYDIUM_LAUNCHLAB } from './raydium-launchlab/launchlab-venue.ts';
import { RAYDIUM_V4 } from './raydium-v4/v4-venue.ts';
import type { KindFolds, SolanaVenue, VenueLoad } from './solana-venue.ts';
import type { VenueSwapEncoder } from './swap-order.ts';
import { UNPRICED_FOLDS } from './unpriced-pools.ts';
import { WHIRLPOOL } from './whirlpool/whirlpool-venue.ts';

const VENUES: readonly SolanaVenue[] = [
  ...[PUMP_CURVE, PUMP_SWAP, RAYDIUM_V4, RAYDIUM_CPMM, RAYDIUM_CLMM, WHIRLPOOL],
  ...[METEORA_DLMM, METEORA_DAMM, METEORA_DBC, RAYDIUM_LAUNCHLAB],
  ...[BYREAL, PANCAKESWAP_CLMM, MOONSHOT, BOOP],
];

/** By the address of the program. */
export const VENUES_BY_PROGRAM: ReadonlyMap<string, SolanaVenue> = new Map(
  VENUES.flatMap((venue) => venue.programs.map((program) => [program, venue] as const)),
);

/** By venue: those whose swaps can be built. */
export const SWAP_ENCODERS: ReadonlyMap<string, VenueSwapEncoder> = new Map(
  VENUES.flatMap(({ name, encoder }) => (encoder === undefined ? [] : [[name, encoder] as const])),
);

/** With the name of the venue that describes such pools; null if none does. */
export function findVenueLoad(pool: PoolTerms): { name: string; load: VenueLoad } | null {
  for (const { name, findLoad } of VENUES) {
    const load = findLoad?.(pool) ?? null;
    if (load !== null) return { name, load };
  }
  return null;
}

/** By kind of pool. */
export const KIND_FOLDS: ReadonlyMap<PoolKindName, KindFolds> = new Map(
  [UNPRICED_FOLDS, ...VENUES.flatMap(({ folds = [] }) => folds)].map(
    (folds) => [folds.kind, folds] as const,
  ),
);

/** Whose swaps of tokens with a transfer fee are computed, and whether that was compared. */
export const FEE_VENUES: ReadonlyMap<string, 'compared' | 'unchecked'> = new Map(
  VENUES.flatMap(({ name, takesTransferFees }) =>
    takesTransferFees === undefined ? [] : [[name, takesTransferFees] as const],
  ),
);

/** Each owns the token accounts of many pools. */
export const VAULT_AUTHORITIES: readonly Address[] = VENUES.flatMap(
  ({ vaultAuthority = [] }) => vaultAuthority,
);
