// A swap on a curve of LaunchLab.

import { findProgramAddress } from '../../data/program-address.ts';
import {
  asReadonly,
  asSigner,
  asWritable,
  encodeCall,
  encodeU64,
  type ProgramInstruction,
} from '../../data/program-instruction.ts';
import { SYSTEM_PROGRAM } from '../../data/solana-ids.ts';
import {
  encodeExactFirst,
  orderSides,
  type SwapOrder,
  type VenueSwapEncoder,
} from '../swap-order.ts';
import { findFeeVaults, LAUNCHLAB_AUTHORITY } from './launchlab-accounts.ts';

const CALLS = {
  buy: { input: 'faea0d7bd59c13ec', output: '18d3742869039938' },
  sell: { input: '9527de9bd37c981a', output: '5fc8472208090ba6' },
} as const;
/** Nobody is paid for a referral. */
const NO_SHARE = 0n;

function encode(order: SwapOrder): ProgramInstruction {
  const { data, pool, program, user, fixed } = order;
  const isSale = data.key(205) === order.mintIn;
  const [base, quote] = orderSides(order, isSale);
  const feeVaults = findFeeVaults(program, data);
  return {
    program,
    accounts: [
      ...[asSigner(user), asReadonly(LAUNCHLAB_AUTHORITY)],
      ...[asReadonly(data.key(141)), asReadonly(data.key(173)), asWritable(pool)],
      ...[asWritable(base.account), asWritable(quote.account)],
      ...[asWritable(data.key(269)), asWritable(data.key(301))],
      ...[asReadonly(base.mint), asReadonly(quote.mint)],
      ...[asReadonly(base.program), asReadonly(quote.program)],
      ...[asReadonly(findProgramAddress(program, ['__event_authority'])), asReadonly(program)],
      ...[asReadonly(SYSTEM_PROGRAM)],
      ...[asWritable(feeVaults.ofPlatform), asWritable(feeVaults.ofCreator)],
    ],
    data: encodeCall(
      CALLS[isSale ? 'sell' : 'buy'][fixed],
      encodeExactFirst(order),
      encodeU64(NO_SHARE),
    ),
  };
}

export const LAUNCHLAB_ENCODER: VenueSwapEncoder = { encode, mayPayLess: true };
