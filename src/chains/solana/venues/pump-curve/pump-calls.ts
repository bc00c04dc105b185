// What the instructions of pump's curves and of PumpSwap's pools share: those that spend an exact
// amount, and those of purchases that pay one.
//
// Account lists as of the upgrade of April 2026: after the documented accounts come those of
// cashback coins, an address that programs derive from the coin, and a recipient of buyback fees.

import type { Address } from '../../../../model/ids.ts';
import { findProgramAddress, toSeed } from '../../data/program-address.ts';
import { asReadonly, encodeCall, type InstructionAccount } from '../../data/program-instruction.ts';
import { SYSTEM_PROGRAM, toSolanaAddress } from '../../data/solana-ids.ts';
import { encodeExactFirst, type SwapOrder } from '../swap-order.ts';
import { FEE_PROGRAM, findFeeConfigAddress } from './pump-fees.ts';

/** Told how much of the coin or base token to pay, and the most to take. */
const BUY = '66063d1201daebea';
export const SELL = '33e685a4017f83ad';
/** Volume is not tracked. */
const NO_TRACKING = Buffer.from([0]);
/** Any of eight is accepted. */
export const BUYBACK_RECIPIENT = toSolanaAddress('5YxQFdt3Tr9zJLvkFccqXVUwhdTWJQc1fFg2YPbxvxeD');

export const findEventAuthority = (program: Address) =>
  findProgramAddress(program, ['__event_authority']);
export const findVolume = (program: Address) =>
  findProgramAddress(program, ['global_volume_accumulator']);
export const findUserVolume = (program: Address, user: Address) =>
  findProgramAddress(program, ['user_volume_accumulator', toSeed(user)]);

/** Old accounts end before some fields. */
export function hasFlag({ data }: SwapOrder, at: number): boolean {
  return data.has(at, 1) && data.u8(at) !== 0;
}

export function readKey({ data }: SwapOrder, at: number): Address {
  return data.has(at, 32) ? data.key(at) : SYSTEM_PROGRAM;
}

/** Who gets the protocol's fee, by the program's settings. */
export function readRecipient(order: SwapOrder, settings: Address, at: number): Address {
  const data = order.open(settings);
  if (data === null) throw new RangeError(`${settings} is missing`);
  return data.key(at);
}

export function listFeeAccounts(program: Address): InstructionAccount[] {
  return [asReadonly(findFeeConfigAddress(program)), asReadonly(FEE_PROGRAM)];
}

/** `exactIn`: the instruction that is told what to spend. */
export function encodePurchase(order: SwapOrder, exactIn: string): Buffer {
  const id = order.fixed === 'input' ? exactIn : BUY;
  return encodeCall(id, encodeExactFirst(order), NO_TRACKING);
}
