// A swap in a pool of Meteora's bins.

import { findProgramAddress } from '../../data/program-address.ts';
import {
  asReadonly,
  asSigner,
  asWritable,
  encodeCall,
  encodeU64,
  type ProgramInstruction,
} from '../../data/program-instruction.ts';
import { MEMO_PROGRAM } from '../../data/token-instructions.ts';
import { orderSides, type SwapOrder, type VenueSwapEncoder } from '../swap-order.ts';
import { listDlmmSwapArrays } from './dlmm-accounts.ts';

const DLMM_SWAP = '414b3f4ceb5b5b88';
const DLMM_SWAP_OUT = '2bd7f784893cf351';
/** No accounts of transfer hooks. */
const NO_SLICES = Buffer.alloc(4);

function encode(order: SwapOrder): ProgramInstruction {
  const { data, pool, program, user } = order;
  const isXIn = data.key(88) === order.mintIn;
  const [x, y] = orderSides(order, isXIn);
  const arrays = listDlmmSwapArrays({ data, pool, program, zeroForOne: isXIn });
  return {
    program,
    accounts: [
      // An optional account that is not given is the program itself.
      ...[
        asWritable(pool),
        asReadonly(program),
        asWritable(data.key(152)),
        asWritable(data.key(184)),
      ],
      ...[
        asWritable(order.accountIn),
        asWritable(order.accountOut),
        asReadonly(x.mint),
        asReadonly(y.mint),
      ],
      ...[
        asWritable(data.key(552)),
        asReadonly(program),
        asSigner(user),
        asReadonly(x.program),
        asReadonly(y.program),
      ],
      ...[asReadonly(MEMO_PROGRAM), asReadonly(findProgramAddress(program, ['__event_authority']))],
      ...[asReadonly(program), ...arrays.map(asWritable)],
    ],
    data: encodeCall(
      order.fixed === 'input' ? DLMM_SWAP : DLMM_SWAP_OUT,
      encodeU64(order.amountIn, order.amountOut),
      NO_SLICES,
    ),
  };
}

export const DLMM_ENCODER: VenueSwapEncoder = { encode, isOutputUnproven: true };
