// How some exchanges write the native coin.

import type { Address } from '../../../model/ids.ts';
import { evmAddress } from '../data/evm-ids.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';

export const COIN_AS_TOKEN = evmAddress('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee');

export function readCoin(token: Address): Address {
  return token === COIN_AS_TOKEN ? ZERO_ADDRESS : token;
}
