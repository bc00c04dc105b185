// A swap in a pool of PumpSwap.

import type { Address } from '../../../../model/ids.ts';
import { findProgramAddress, toSeed } from '../../data/program-address.ts';
import {
  asReadonly,
  asSigner,
  asWritable,
  encodeCall,
  type InstructionAccount,
  type ProgramInstruction,
} from '../../data/program-instruction.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL } from '../../data/solana-ids.ts';
import { ASSOCIATED_PROGRAM, findHeldAccount } from '../../data/token-instructions.ts';
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
} from '../pump-curve/pump-calls.ts';
import { encodeGivenInput, type SwapOrder, type VenueSwapEncoder } from '../swap-order.ts';

const BUY_EXACT_QUOTE_IN = 'c62e1552b4d9e870';
const CONFIG_RECIPIENT_OFFSET = 57;

const findConfig = (program: Address) => findProgramAddress(program, ['global_config']);

/** What a pool adds to the documented accounts. */
function listPoolEnds(order: SwapOrder, isBuy: boolean, quote: Address): InstructionAccount[] {
  const { program, data, user } = order;
  const hasCreator = readKey(order, 211) !== SYSTEM_PROGRAM;
  const volume = findUserVolume(program, user);
  const wrapped = { mint: WRAPPED_SOL, tokenProgram: TOKEN_PROGRAM };
  const cashback = [asWritable(findHeldAccount({ owner: volume, ...wrapped })), asWritable(volume)];
  const quoted = { mint: quote, tokenProgram: TOKEN_PROGRAM };
  return [
    ...(hasFlag(order, 244) ? cashback.slice(0, isBuy ? 1 : 2) : []),
    ...(hasCreator
      ? [asReadonly(findProgramAddress(program, ['pool-v2', toSeed(data.key(43))]))]
      : []),
    asReadonly(BUYBACK_RECIPIENT),
    asWritable(findHeldAccount({ owner: BUYBACK_RECIPIENT, ...quoted })),
  ];
}

function encode(order: SwapOrder): ProgramInstruction {
  const { program, pool, user, data } = order;
  const [base, quote] = [data.key(43), data.key(75)];
  // "Buy" buys the base token.
  const isBuy = order.mintOut === base;
  const [baseProgram, quoteProgram] = isBuy
    ? [order.tokenProgramOut, order.tokenProgramIn]
    : [order.tokenProgramIn, order.tokenProgramOut];
  const [baseAccount, quoteAccount] = isBuy
    ? [order.accountOut, order.accountIn]
    : [order.accountIn, order.accountOut];
  const config = findConfig(program);
  const recipient = readRecipient(order, config, CONFIG_RECIPIENT_OFFSET);
  const creator = findProgramAddress(program, ['creator_vault', toSeed(readKey(order, 211))]);
  const ofQuote = (owner: Address) =>
    findHeldAccount({ owner, mint: quote, tokenProgram: quoteProgram });
  return {
    program,
    accounts: [
      ...[
        asWritable(pool),
        asSigner(user),
        asReadonly(config),
        asReadonly(base),
        asReadonly(quote),
      ],
      ...[
        asWritable(baseAccount),
        asWritable(quoteAccount),
        asWritable(data.key(139)),
        asWritable(data.key(171)),
      ],
      ...[
        asReadonly(recipient),
        asWritable(ofQuote(recipient)),
        asReadonly(baseProgram),
        asReadonly(quoteProgram),
      ],
      ...[
        asReadonly(SYSTEM_PROGRAM),
        asReadonly(ASSOCIATED_PROGRAM),
        asReadonly(findEventAuthority(program)),
      ],
      ...[asReadonly(program), asWritable(ofQuote(creator)), asReadonly(creator)],
      ...(isBuy
        ? [asReadonly(findVolume(program)), asWritable(findUserVolume(program, user))]
        : []),
      ...listFeeAccounts(program),
      ...listPoolEnds(order, isBuy, quote),
    ],
    data: isBuy
      ? encodePurchase(order, BUY_EXACT_QUOTE_IN)
      : encodeCall(SELL, encodeGivenInput(order)),
  };
}

export const PUMP_SWAP_ENCODER: VenueSwapEncoder = {
  listAccounts: (program) => [findConfig(program)],
  isOutputUnproven: true,
  encode,
};
