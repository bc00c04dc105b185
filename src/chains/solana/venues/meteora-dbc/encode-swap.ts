// A swap on a curve of Meteora's DBC.

import { findProgramAddress } from '../../data/program-address.ts';
import {
  asReadonly,
  asSigner,
  asWritable,
  type ProgramInstruction,
} from '../../data/program-instruction.ts';
import { encodeMeteoraCall } from '../meteora-damm/meteora-call.ts';
import { orderSides, type SwapOrder, type VenueSwapEncoder } from '../swap-order.ts';
import { DBC_AUTHORITY } from './dbc-accounts.ts';

function encode(order: SwapOrder): ProgramInstruction {
  const { data, pool, program, user } = order;
  const isBaseIn = data.key(136) === order.mintIn;
  const [base, quote] = orderSides(order, isBaseIn);
  return {
    program,
    accounts: [
      asReadonly(DBC_AUTHORITY),
      ...[asReadonly(data.key(72)), asWritable(pool)],
      ...[asWritable(order.accountIn), asWritable(order.accountOut)],
      ...[
        asWritable(data.key(168)),
        asWritable(data.key(200)),
        asReadonly(base.mint),
        asReadonly(quote.mint),
        asSigner(user),
      ],
      // Nobody is paid for a referral: an optional account that is not given is the program itself.
      ...[asReadonly(base.program), asReadonly(quote.program), asReadonly(program)],
      ...[asReadonly(findProgramAddress(program, ['__event_authority'])), asReadonly(program)],
    ],
    data: encodeMeteoraCall(order),
  };
}

export const DBC_ENCODER: VenueSwapEncoder = { encode, isOutputUnproven: true };
