// Addresses as shown to users: EVM addresses with the EIP-55 checksum.

import { getAddress } from 'viem/utils';
import { BoundedMap } from '../../../lib/bounded-map.ts';

/** Hashing takes microseconds, and the same addresses repeat. */
const known = new BoundedMap<string, string>(50_000);

const EVM_ADDRESS_LENGTH = 42;

/** A pool's 32-byte id and addresses of other chains are returned unchanged. */
export function toShownAddress(address: string): string {
  if (address.length !== EVM_ADDRESS_LENGTH || !address.startsWith('0x')) return address;
  const shown = known.get(address);
  if (shown !== undefined) return shown;
  const checksummed = getAddress(address);
  known.set(address, checksummed);
  return checksummed;
}
