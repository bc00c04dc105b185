// Swaps on pump's curves and in PumpSwap's pools: the instructions that spend an exact amount, and
// those of purchases that pay one.
//
// Account lists as of the upgrade of April 2026: after the documented accounts come those of
// cashback coins, an address that programs derive from the coin, and a recipient of buyback fees.

import type { Address } from '../../../model/ids.ts';
import { findProgramAddress, toSeed } from '../accounts/program-address.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, toSolanaAddress, WRAPPED_SOL } from '../solana-ids.ts';
import { FEE_PROGRAM, findFeeConfigAddress } from '../venues/pump-curve/pump-fees.ts';
import {
  asReadonly,
  asSigner,
  asWritable,
  encodeCall,
  type InstructionAccount,
  type ProgramInstruction,
} from './program-instruction.ts';
import {
  encodeExactFirst,
  encodeGivenInput,
  type SwapOrder,
  type VenueSwapEncoder,
} from './swap-order.ts';
import { ASSOCIATED_PROGRAM, findHeldAccount } from './token-instructions.ts';

const BUY_EXACT_SOL_IN = '38fc74089edfcd5f';
/** Told how much of the coin or base token to pay, and the most to take. */
const BUY = '66063d1201daebea';
const BUY_EXACT_QUOTE_IN = 'c62e1552b4d9e870';
const SELL = '33e685a4017f83ad';
/** Volume is not tracked. */
const NO_TRACKING = Buffer.from([0]);
/** Any of eight is accepted. */
const BUYBACK_RECIPIENT = toSolanaAddress('5YxQFdt3Tr9zJLvkFccqXVUwhdTWJQc1fFg2YPbxvxeD');
const GLOBAL_RECIPIENT_OFFSET = 41;
const CONFIG_RECIPIENT_OFFSET = 57;

const findGlobal = (program: Address) => findProgramAddress(program, ['global']);
const findConfig = (program: Address) => findProgramAddress(program, ['global_config']);
const findEventAuthority = (program: Address) => findProgramAddress(program, ['__event_authority']);
const findVolume = (program: Address) => findProgramAddress(program, ['global_volume_accumulator']);
const findUserVolume = (program: Address, user: Address) =>
  findProgramAddress(program, ['user_volume_accumulator', toSeed(user)]);

/** Old accounts end before some fields. */
function hasFlag({ data }: SwapOrder, at: number): boolean {
  return data.has(at, 1) && data.u8(at) !== 0;
}

function readKey({ data }: SwapOrder, at: number): Address {
  return data.has(at, 32) ? data.key(at) : SYSTEM_PROGRAM;
}

/** Who gets the protocol's fee, by the program's settings. */
function readRecipient(order: SwapOrder, settings: Address, at: number): Address {
  const data = order.open(settings);
  if (data === null) throw new RangeError(`${settings} is missing`);
  return data.key(at);
}

function listFeeAccounts(program: Address): InstructionAccount[] {
  return [asReadonly(findFeeConfigAddress(program)), asReadonly(FEE_PROGRAM)];
}

/** `exactIn`: the instruction that is told what to spend. */
function encodePurchase(order: SwapOrder, exactIn: string): Buffer {
  const id = order.fixed === 'input' ? exactIn : BUY;
  return encodeCall(id, encodeExactFirst(order), NO_TRACKING);
}

function encodeCurve(order: SwapOrder): ProgramInstruction {
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

function encodePool(order: SwapOrder): ProgramInstruction {
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

/** By venue. */
export const PUMP_ENCODERS: Readonly<Record<string, VenueSwapEncoder>> = {
  pump: {
    listAccounts: (program) => [findGlobal(program)],
    usesLamports: true,
    // A purchase gets all that is left if that is fewer than asked for.
    mayPayLess: true,
    encode: encodeCurve,
  },
  pumpswap: {
    listAccounts: (program) => [findConfig(program)],
    isOutputUnproven: true,
    encode: encodePool,
  },
};
