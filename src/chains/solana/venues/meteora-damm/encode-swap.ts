// A swap in a pool of Meteora's DAMM v2.

import { findProgramAddress } from '../../data/program-address.ts';
import {
  asReadonly,
  asSigner,
  asWritable,
  type ProgramInstruction,
} from '../../data/program-instruction.ts';
import { orderSides, type SwapOrder, type VenueSwapEncoder } from '../swap-order.ts';
import { DAMM_AUTHORITY } from './damm-accounts.ts';
import { encodeMeteoraCall } from './meteora-call.ts';

function encode(order: SwapOrder): ProgramInstruction {
  const { data, pool, program, user } = order;
  const [a, b] = orderSides(order, data.key(168) === order.mintIn);
  return {
    program,
    accounts: [
      ...[asReadonly(DAMM_AUTHORITY), asWritable(pool)],
      ...[asWritable(order.accountIn), asWritable(order.accountOut)],
      ...[
        asWritable(data.key(232)),
        asWritable(data.key(264)),
        asReadonly(a.mint),
        asReadonly(b.mint),
        asSigner(user),
      ],
      ...[asReadonly(a.program), asReadonly(b.program), asReadonly(program)],
      ...[asReadonly(findProgramAddress(program, ['__event_authority'])), asReadonly(program)],
    ],
    data: encodeMeteoraCall(order),
  };
}

export const DAMM_ENCODER: VenueSwapEncoder = { encode, isOutputUnproven: true };
