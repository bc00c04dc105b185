// A swap in a pool of Orca's program.

import { listSwapArrays } from '../../../../amm/clmm-x64/clmm-x64-pool.ts';
import {
  asReadonly,
  asSigner,
  asWritable,
  encodeCall,
  type ProgramInstruction,
} from '../../data/program-instruction.ts';
import { MEMO_PROGRAM } from '../../data/token-instructions.ts';
import {
  encodeExactFirst,
  orderSides,
  type SwapOrder,
  type VenueSwapEncoder,
} from '../swap-order.ts';
import { findOracle, findTickArray } from './whirlpool-accounts.ts';

const ORCA_SWAP = '2b04ed0b1ac91e62';
const NO_PRICE_LIMIT = Buffer.alloc(16);

function encode(order: SwapOrder): ProgramInstruction {
  const { data, pool, program, user } = order;
  const isAToB = data.key(101) === order.mintIn;
  const [a, b] = orderSides(order, isAToB);
  const range = { tick: data.i32(81), tickSpacing: data.u16(41) };
  const arrays = listSwapArrays(range, isAToB).map((start) => findTickArray(program, pool, start));
  return {
    program,
    accounts: [
      ...[
        asReadonly(a.program),
        asReadonly(b.program),
        asReadonly(MEMO_PROGRAM),
        asSigner(user),
        asWritable(pool),
      ],
      ...[asReadonly(a.mint), asReadonly(b.mint), asWritable(a.account), asWritable(data.key(133))],
      ...[asWritable(b.account), asWritable(data.key(213)), ...arrays.map(asWritable)],
      asWritable(findOracle(program, pool)),
    ],
    data: encodeCall(
      ORCA_SWAP,
      encodeExactFirst(order),
      NO_PRICE_LIMIT,
      // Whether the amount is the input; the direction; no further accounts.
      Buffer.from([order.fixed === 'input' ? 1 : 0, isAToB ? 1 : 0, 0]),
    ),
  };
}

export const WHIRLPOOL_ENCODER: VenueSwapEncoder = { encode, isOutputUnproven: true };
