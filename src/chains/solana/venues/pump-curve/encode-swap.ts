// A swap on a curve of pump.

import type { Address } from '../../../../model/ids.ts';
import { findProgramAddress, toSeed } from '../../data/program-address.ts';
import {
  asReadonly,
  asSigner,
  asWritable,
  encodeCall,
  type ProgramInstruction,
} from '../../data/program-instruction.ts';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from '../../data/solana-ids.ts';
import { findHeldAccount } from '../../data/token-instructions.ts';
import { encodeGivenInput, type SwapOrder, type VenueSwapEncoder } from '../swap-order.ts';
import {
  BUYBACK_RECIPIENT,
  encodePurchase,
  findEventAuthority,
  findUserVolume,
  findVolume,
  hasFlag,
  listFeeAccounts,
  readKey,
  readRecipient,
  SELL,
} from './pump-calls.ts';

const BUY_EXACT_SOL_IN = '38fc74089edfcd5f';
const GLOBAL_RECIPIENT_OFFSET = 41;

const findGlobal = (program: Address) => findProgramAddress(program, ['global']);

function encode(order: SwapOrder): ProgramInstruction {
  const { program, pool, user, mintIn } = order;
  const isBuy = mintIn === WRAPPED_SOL;
  if (!isBuy && order.mintOut !== WRAPPED_SOL) throw new RangeError(`${pool} is not paid in SOL`);
  const [mint, tokenProgram, account] = isBuy
    ? [order.mintOut, order.tokenProgramOut, order.accountOut]
    : [mintIn, order.tokenProgramIn, order.accountIn];
  const global = findGlobal(program);
  const creatorVault = findProgramAddress(program, ['creator-vault', toSeed(readKey(order, 49))]);
  const userVolume = asWritable(findUserVolume(program, user));
  const ends = [
    asReadonly(findProgramAddress(program, ['bonding-curve-v2', toSeed(mint)])),
    asWritable(BUYBACK_RECIPIENT),
  ];
  const self = [asReadonly(findEventAuthority(program)), asReadonly(program)];
  return {
    program,
    accounts: [
      asReadonly(global),
      asWritable(readRecipient(order, global, GLOBAL_RECIPIENT_OFFSET)),
      ...[
        asReadonly(mint),
        asWritable(pool),
        asWritable(findHeldAccount({ owner: pool, mint, tokenProgram })),
      ],
      ...[asWritable(account), asSigner(user), asReadonly(SYSTEM_PROGRAM)],
      ...(isBuy
        ? [
            asReadonly(tokenProgram),
            asWritable(creatorVault),
            ...self,
            asReadonly(findVolume(program)),
            userVolume,
          ]
        : [asWritable(creatorVault), asReadonly(tokenProgram), ...self]),
      ...listFeeAccounts(program),
      ...(!isBuy && hasFlag(order, 82) ? [userVolume] : []),
      ...ends,
    ],
    data: isBuy
      ? encodePurchase(order, BUY_EXACT_SOL_IN)
      : encodeCall(SELL, encodeGivenInput(order)),
  };
}

export const PUMP_CURVE_ENCODER: VenueSwapEncoder = {
  listAccounts: (program) => [findGlobal(program)],
  usesLamports: true,
  // A purchase gets all that is left if that is fewer than asked for.
  mayPayLess: true,
  encode,
};
