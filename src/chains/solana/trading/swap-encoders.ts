// The venues whose swaps can be built.

import { PUMP_ENCODERS } from './encode-pump-swaps.ts';
import { RANGE_ENCODERS } from './encode-range-swaps.ts';
import { RAYDIUM_ENCODERS } from './encode-raydium-swaps.ts';
import type { VenueSwapEncoder } from './swap-order.ts';

/** By venue. */
export const SWAP_ENCODERS: ReadonlyMap<string, VenueSwapEncoder> = new Map(
  Object.entries({ ...PUMP_ENCODERS, ...RAYDIUM_ENCODERS, ...RANGE_ENCODERS }),
);
