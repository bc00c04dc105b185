// The venues of Solana that are decoded and quoted.

import type { Address } from '../../../model/ids.ts';
import { METEORA_DAMM } from './meteora-damm/damm-venue.ts';
import { METEORA_DBC } from './meteora-dbc/dbc-venue.ts';
import { METEORA_DLMM } from './meteora-dlmm/dlmm-venue.ts';
import { PUMP_CURVE } from './pump-curve/curve-venue.ts';
import { PUMP_SWAP } from './pump-swap/pump-swap-venue.ts';
import { RAYDIUM_CLMM } from './raydium-clmm/clmm-venue.ts';
import { RAYDIUM_CPMM } from './raydium-cpmm/cpmm-venue.ts';
import { RAYDIUM_V4 } from './raydium-v4/v4-venue.ts';
import type { SolanaVenue, VenueLoad } from './solana-venue.ts';
import type { VenueSwapEncoder } from './swap-order.ts';
import { WHIRLPOOL } from './whirlpool/whirlpool-venue.ts';

const VENUES: readonly SolanaVenue[] = [
  ...[PUMP_CURVE, PUMP_SWAP, RAYDIUM_V4, RAYDIUM_CPMM, RAYDIUM_CLMM, WHIRLPOOL],
  ...[METEORA_DLMM, METEORA_DAMM, METEORA_DBC],
];

/** By the address of the program. */
export const VENUES_BY_PROGRAM: ReadonlyMap<string, SolanaVenue> = new Map(
  VENUES.flatMap((venue) => venue.programs.map((program) => [program, venue] as const)),
);

/** By venue: those whose swaps can be built. */
export const SWAP_ENCODERS: ReadonlyMap<string, VenueSwapEncoder> = new Map(
  VENUES.flatMap(({ name, encoder }) => (encoder === undefined ? [] : [[name, encoder] as const])),
);

/** By kind of pool. */
export const VENUE_LOADS: ReadonlyMap<string, VenueLoad> = new Map(
  VENUES.flatMap(({ loads = {} }) => Object.entries(loads)),
);

/** Each owns the token accounts of many pools. */
export const VAULT_AUTHORITIES: readonly Address[] = VENUES.flatMap(
  ({ vaultAuthority = [] }) => vaultAuthority,
);
