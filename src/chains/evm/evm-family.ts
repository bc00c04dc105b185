// How EVM chains name things.

import type { ChainFamily } from '../family.ts';
import { EVM_ADDRESSES } from './evm-addresses.ts';
import { leavesSwapsAlone } from './pools/pool-hooks.ts';

const TRANSACTION_HASH = /^0x[0-9a-fA-F]{64}$/;

export const EVM_FAMILY: ChainFamily = {
  name: 'evm',
  addresses: EVM_ADDRESSES,
  transactionIds: {
    parse: (text) => (TRANSACTION_HASH.test(text) ? text.toLowerCase() : null),
    rule: 'must be 0x and 64 hex digits',
  },
  leavesSwapsAlone,
};
