// How DAMM v2 and DBC are called.

import { encodeCall } from '../../data/program-instruction.ts';
import { encodeExactFirst, type SwapOrder } from '../swap-order.ts';

const METEORA_SWAP = 'f8c69e91e17587c8';
/** The exact amount, the limit of the other, then a mode. */
const METEORA_SWAP2 = '414b3f4ceb5b5b88';
const EXACT_OUT = Buffer.from([2]);

export function encodeMeteoraCall(order: SwapOrder): Buffer {
  return order.fixed === 'input'
    ? encodeCall(METEORA_SWAP, encodeExactFirst(order))
    : encodeCall(METEORA_SWAP2, encodeExactFirst(order), EXACT_OUT);
}
