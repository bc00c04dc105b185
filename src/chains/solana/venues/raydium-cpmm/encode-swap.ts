// A swap in a pool of Raydium's CPMM.

import {
  asReadonly,
  asSigner,
  asWritable,
  encodeCall,
  encodeU64,
  type ProgramInstruction,
} from '../../data/program-instruction.ts';
import { orderVaults, type SwapOrder, type VenueSwapEncoder } from '../swap-order.ts';
import { CPMM_AUTHORITY } from './cpmm-accounts.ts';

const CPMM_SWAP = '8fbe5adac41e33de';
const CPMM_SWAP_OUT = '37d96256a34ab4ad';

function encode(order: SwapOrder): ProgramInstruction {
  const { data, pool, user } = order;
  const { vaultIn, vaultOut } = orderVaults(order, { mint0: 168, vault0: 72, vault1: 104 });
  return {
    program: order.program,
    accounts: [
      ...[asSigner(user), asReadonly(CPMM_AUTHORITY), asReadonly(data.key(8)), asWritable(pool)],
      ...[
        asWritable(order.accountIn),
        asWritable(order.accountOut),
        asWritable(vaultIn),
        asWritable(vaultOut),
      ],
      ...[asReadonly(order.tokenProgramIn), asReadonly(order.tokenProgramOut)],
      ...[asReadonly(order.mintIn), asReadonly(order.mintOut), asWritable(data.key(296))],
    ],
    data: encodeCall(
      order.fixed === 'input' ? CPMM_SWAP : CPMM_SWAP_OUT,
      encodeU64(order.amountIn, order.amountOut),
    ),
  };
}

export const CPMM_ENCODER: VenueSwapEncoder = { encode };
