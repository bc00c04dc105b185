// A swap in a pool of Raydium's CLMM.

import { findProgramAddress, toSeed } from '../../data/program-address.ts';
import {
  asReadonly,
  asSigner,
  asWritable,
  encodeCall,
  type ProgramInstruction,
} from '../../data/program-instruction.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../data/solana-ids.ts';
import { MEMO_PROGRAM } from '../../data/token-instructions.ts';
import {
  encodeExactFirst,
  orderVaults,
  type SwapOrder,
  type VenueSwapEncoder,
} from '../swap-order.ts';
import { listClmmSwapArrays } from './clmm-accounts.ts';

const CLMM_SWAP = '2b04ed0b1ac91e62';
const NO_PRICE_LIMIT = Buffer.alloc(16);

function encode(order: SwapOrder): ProgramInstruction {
  const { data, pool, program, user } = order;
  const places = { mint0: 73, vault0: 137, vault1: 169 };
  const { isZeroIn, vaultIn, vaultOut } = orderVaults(order, places);
  const arrays = listClmmSwapArrays({ data, pool, program, zeroForOne: isZeroIn });
  const bitmap = findProgramAddress(program, ['pool_tick_array_bitmap_extension', toSeed(pool)]);
  return {
    program,
    accounts: [
      ...[asSigner(user), asReadonly(data.key(9)), asWritable(pool)],
      ...[
        asWritable(order.accountIn),
        asWritable(order.accountOut),
        asWritable(vaultIn),
        asWritable(vaultOut),
      ],
      ...[
        asWritable(data.key(201)),
        asReadonly(TOKEN_PROGRAM),
        asReadonly(TOKEN_2022_PROGRAM),
        asReadonly(MEMO_PROGRAM),
      ],
      ...[
        asReadonly(order.mintIn),
        asReadonly(order.mintOut),
        asReadonly(bitmap),
        ...arrays.map(asWritable),
      ],
    ],
    data: encodeCall(
      CLMM_SWAP,
      encodeExactFirst(order),
      NO_PRICE_LIMIT,
      Buffer.from([order.fixed === 'input' ? 1 : 0]),
    ),
  };
}

export const CLMM_ENCODER: VenueSwapEncoder = { encode, isOutputUnproven: true };
