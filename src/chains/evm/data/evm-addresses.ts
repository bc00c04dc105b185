// Addresses of EVM chains: stored in lower case, shown with the EIP-55 checksum.

import type { AddressCodec } from '../../../model/address-codec.ts';
import { toShownAddress } from './checksum-address.ts';
import { parseEvmAddress, parseEvmPool } from './evm-ids.ts';
import { ZERO_ADDRESS } from './zero-address.ts';

export const EVM_ADDRESSES: AddressCodec = {
  parse: parseEvmAddress,
  parsePool: parseEvmPool,
  toShown: toShownAddress,
  native: ZERO_ADDRESS,
};
