// The address of nobody. Contracts mean several things by it: the native coin, what tokens are
// minted from and burned to, no hook. Outside this folder each of them has a name of its own.

import { evmAddress } from './evm-ids.ts';

export const ZERO_ADDRESS = evmAddress('0x0000000000000000000000000000000000000000');
