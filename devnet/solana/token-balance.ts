// What a token account of either token program holds.

import { encodeBase58Data } from '../../src/chains/solana/data/base58-data.ts';
import type { ChainAccount } from './svm.ts';

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

const ACCOUNT_BYTES = 165;
/** After the 165 bytes that both programs share, Token-2022 has the account's type. */
const ACCOUNT_TYPE = 2;
const KEY_BYTES = 32;

interface TokenBalance {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
}

function isTokenAccount({ owner, data }: ChainAccount): boolean {
  if (owner !== TOKEN_PROGRAM && owner !== TOKEN_2022) return false;
  if (data.length === ACCOUNT_BYTES) return true;
  return owner === TOKEN_2022 && data[ACCOUNT_BYTES] === ACCOUNT_TYPE;
}

/** Null if the account is not a token account. */
export function readTokenBalance(account: ChainAccount): TokenBalance | null {
  if (!isTokenAccount(account)) return null;
  const { data } = account;
  return {
    mint: encodeBase58Data(data.subarray(0, KEY_BYTES)),
    owner: encodeBase58Data(data.subarray(KEY_BYTES, 2 * KEY_BYTES)),
    amount: data.readBigUInt64LE(2 * KEY_BYTES),
  };
}
