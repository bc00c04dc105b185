// A swap in a pool of Raydium's V4, without the accounts of the order book.

import {
  asReadonly,
  asSigner,
  asWritable,
  encodeCall,
  encodeU64,
  type ProgramInstruction,
} from '../../data/program-instruction.ts';
import { TOKEN_PROGRAM } from '../../data/solana-ids.ts';
import type { SwapOrder, VenueSwapEncoder } from '../swap-order.ts';
import { V4_AUTHORITY } from './v4-accounts.ts';

/** `swap_base_in` without the accounts of the order book. */
const V4_SWAP = '10';
const V4_SWAP_OUT = '11';

function encode(order: SwapOrder): ProgramInstruction {
  const { data, pool, user } = order;
  return {
    program: order.program,
    accounts: [
      ...[asReadonly(TOKEN_PROGRAM), asWritable(pool), asReadonly(V4_AUTHORITY)],
      ...[asWritable(data.key(336)), asWritable(data.key(368))],
      ...[asWritable(order.accountIn), asWritable(order.accountOut), asSigner(user)],
    ],
    data: encodeCall(
      order.fixed === 'input' ? V4_SWAP : V4_SWAP_OUT,
      encodeU64(order.amountIn, order.amountOut),
    ),
  };
}

export const V4_ENCODER: VenueSwapEncoder = { encode, isOutputUnproven: true };
