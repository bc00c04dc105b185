// Addresses of EVM chains: stored in lower case, shown with the checksum of EIP-55.

import type { AddressCodec } from '../../model/address-codec.ts';
import { toShownAddress } from './checksum-address.ts';
import { ZERO_ADDRESS } from './zero-address.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Pools are contracts, or entries of a contract by a 32-byte id. */
const POOL = /^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/;

export const EVM_ADDRESSES: AddressCodec = {
  parse: (text) => (ADDRESS.test(text) ? text.toLowerCase() : null),
  parsePool: (text) => (POOL.test(text) ? text.toLowerCase() : null),
  toShown: toShownAddress,
  native: ZERO_ADDRESS,
};
