// How Curve writes the native coin.

import { evmAddress } from '../../data/evm-ids.ts';

export const CURVE_COIN = evmAddress('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee');
