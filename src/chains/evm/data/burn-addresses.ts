// Addresses whose keys nobody has.

import type { Address } from '../../../model/ids.ts';
import { evmAddress } from './evm-ids.ts';

/** The precompiled contracts, and addresses that spell it out. */
export const BURN_ADDRESSES: ReadonlySet<Address> = new Set(
  [
    ...Array.from({ length: 10 }, (_, number) => `0x${number.toString(16).padStart(40, '0')}`),
    '0x000000000000000000000000000000000000dead',
    '0xdead000000000000000042069420694206942069',
    '0xdead000000000000000000000000000000000000',
  ].map(evmAddress),
);
