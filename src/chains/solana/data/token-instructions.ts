// Instructions of Solana's own programs: token accounts, SOL as a token, what a transaction may
// use.

import { createHash } from 'node:crypto';
import { encodeBase58 } from '../../../lib/base58.ts';
import type { Address } from '../../../model/ids.ts';
import { findProgramAddress, toSeed } from './program-address.ts';
import {
  asReadonly,
  asSigner,
  asWritable,
  encodeU64,
  type ProgramInstruction,
} from './program-instruction.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, toSolanaAddress, WRAPPED_SOL } from './solana-ids.ts';

export const ASSOCIATED_PROGRAM = toSolanaAddress('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
export const MEMO_PROGRAM = toSolanaAddress('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const BUDGET_PROGRAM = toSolanaAddress('ComputeBudget111111111111111111111111111111');

const CREATE_IDEMPOTENT = 1;
const SYSTEM_TRANSFER = 2;
const SYSTEM_CREATE_WITH_SEED = 3;
const INITIALIZE_ACCOUNT = 18;
const SYNC_NATIVE = 17;
const CLOSE_ACCOUNT = 9;
const TRANSFER_CHECKED = 12;
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;

/** Whose tokens, and under which of the two token programs. */
interface HeldMint {
  readonly owner: Address;
  readonly mint: Address;
  readonly tokenProgram: Address;
}

/** The account in which an owner usually holds a token. */
export function findHeldAccount({ owner, mint, tokenProgram }: HeldMint): Address {
  return findProgramAddress(ASSOCIATED_PROGRAM, [
    toSeed(owner),
    toSeed(tokenProgram),
    toSeed(mint),
  ]);
}

/** Opens the wallet's account for a token, unless it is open. */
export function openHeldAccount(held: HeldMint): ProgramInstruction {
  const { owner, mint, tokenProgram } = held;
  return {
    program: ASSOCIATED_PROGRAM,
    accounts: [
      ...[asSigner(owner), asWritable(findHeldAccount(held)), asReadonly(owner), asReadonly(mint)],
      ...[asReadonly(SYSTEM_PROGRAM), asReadonly(tokenProgram)],
    ],
    data: Buffer.from([CREATE_IDEMPOTENT]),
  };
}

/**
 * Fails unless the wallet holds that much of a token: a transfer from its account to the same
 * account. Token programs check the balance first, and then move nothing.
 */
export function assertHeld(held: HeldMint, least: bigint, decimals: number): ProgramInstruction {
  const account = asWritable(findHeldAccount(held));
  return {
    program: held.tokenProgram,
    accounts: [account, asReadonly(held.mint), account, asSigner(held.owner)],
    data: Buffer.concat([
      Buffer.from([TRANSFER_CHECKED]),
      encodeU64(least),
      Buffer.from([decimals]),
    ]),
  };
}

/** From the wallet's account to the one that another owner has already. */
export function transferHeld(
  held: HeldMint,
  to: Address,
  { amountRaw, decimals }: { readonly amountRaw: bigint; readonly decimals: number },
): ProgramInstruction {
  return {
    program: held.tokenProgram,
    accounts: [
      asWritable(findHeldAccount(held)),
      asReadonly(held.mint),
      asWritable(findHeldAccount({ ...held, owner: to })),
      asSigner(held.owner),
    ],
    data: Buffer.concat([
      Buffer.from([TRANSFER_CHECKED]),
      encodeU64(amountRaw),
      Buffer.from([decimals]),
    ]),
  };
}

/** Of an account of the first token program. */
export const TOKEN_ACCOUNT_BYTES = 165;

/** An account of wrapped SOL that a transaction opens and closes; the wallet's own one stays. */
export interface TemporaryAccount {
  readonly owner: Address;
  readonly seed: string;
  readonly rentRaw: bigint;
}

export function findTemporaryAccount({ owner, seed }: TemporaryAccount): Address {
  const hash = createHash('sha256').update(toSeed(owner)).update(seed);
  return toSolanaAddress(encodeBase58(hash.update(toSeed(TOKEN_PROGRAM)).digest()));
}

/** Without a signature of its own: its address follows from the wallet's and the seed. */
export function openTemporaryAccount(temporary: TemporaryAccount): ProgramInstruction[] {
  const { owner, seed, rentRaw } = temporary;
  const account = asWritable(findTemporaryAccount(temporary));
  const kind = Buffer.alloc(4);
  kind.writeUInt32LE(SYSTEM_CREATE_WITH_SEED);
  const lengths = encodeU64(rentRaw, BigInt(TOKEN_ACCOUNT_BYTES));
  const text = Buffer.concat([encodeU64(BigInt(seed.length)), Buffer.from(seed)]);
  return [
    {
      program: SYSTEM_PROGRAM,
      accounts: [asSigner(owner), account],
      data: Buffer.concat([kind, toSeed(owner), text, lengths, toSeed(TOKEN_PROGRAM)]),
    },
    {
      program: TOKEN_PROGRAM,
      accounts: [account, asReadonly(WRAPPED_SOL)],
      data: Buffer.concat([Buffer.from([INITIALIZE_ACCOUNT]), toSeed(owner)]),
    },
  ];
}

interface WrappedAccount {
  readonly owner: Address;
  readonly account: Address;
}

export function transferSol(from: Address, to: Address, lamports: bigint): ProgramInstruction {
  const kind = Buffer.alloc(4);
  kind.writeUInt32LE(SYSTEM_TRANSFER);
  return {
    program: SYSTEM_PROGRAM,
    accounts: [asSigner(from), asWritable(to)],
    data: Buffer.concat([kind, encodeU64(lamports)]),
  };
}

/** Turns lamports of the wallet into tokens of an open account. */
export function wrapLamports(
  { owner, account }: WrappedAccount,
  lamports: bigint,
): ProgramInstruction[] {
  return [
    transferSol(owner, account, lamports),
    { program: TOKEN_PROGRAM, accounts: [asWritable(account)], data: Buffer.from([SYNC_NATIVE]) },
  ];
}

/** Closes an account of wrapped SOL: all of it, and its rent, become lamports of the wallet. */
export function unwrapAll({ owner, account }: WrappedAccount): ProgramInstruction {
  return {
    program: TOKEN_PROGRAM,
    accounts: [asWritable(account), asWritable(owner), asSigner(owner)],
    data: Buffer.from([CLOSE_ACCOUNT]),
  };
}

/** The most compute units, and what is paid for each beside the base fee. */
export function setBudget(unitLimit: number, microLamportsPerUnit: bigint): ProgramInstruction[] {
  const limit = Buffer.alloc(5);
  limit.writeUInt8(SET_UNIT_LIMIT);
  limit.writeUInt32LE(unitLimit, 1);
  const price = Buffer.concat([Buffer.from([SET_UNIT_PRICE]), encodeU64(microLamportsPerUnit)]);
  return [limit, price].map((data) => ({ program: BUDGET_PROGRAM, accounts: [], data }));
}
