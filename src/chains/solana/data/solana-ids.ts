// Solana's ids: base58 of 32 or 64 bytes, in its only valid spelling.

import type { Address, PoolId, TransactionId } from '../../../model/ids.ts';
import { decodeBase58Data } from './base58-data.ts';

const ADDRESS_BYTES = 32;
export const TRANSACTION_ID_BYTES = 64;

/** No id is longer, and the work is quadratic. */
const TEXT_LENGTH_MAX = 128;

/** Every text of base58 spells other bytes, so its length decides. */
function parseBase58(text: string, byteCount: number): string | null {
  if (text.length > TEXT_LENGTH_MAX) return null;
  return decodeBase58Data(text)?.length === byteCount ? text : null;
}

export function parseSolanaAddress(text: string): Address | null {
  return parseBase58(text, ADDRESS_BYTES) as Address | null;
}

export function parseSolanaPool(text: string): PoolId | null {
  return parseBase58(text, ADDRESS_BYTES) as PoolId | null;
}

export function parseSignature(text: string): TransactionId | null {
  return parseBase58(text, TRANSACTION_ID_BYTES) as TransactionId | null;
}

/** A constant of ours, or text that a node has sent as a key of a transaction. */
export function toSolanaAddress(text: string): Address {
  return text as Address;
}

export function toSolanaPool(address: Address): PoolId {
  return address as string as PoolId;
}

/** The system program, which keeps every account's lamports. */
export const SYSTEM_PROGRAM = '1'.repeat(ADDRESS_BYTES) as Address;

export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112' as Address;

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address;
export const TOKEN_PROGRAMS: ReadonlySet<Address> = new Set([TOKEN_PROGRAM, TOKEN_2022_PROGRAM]);
