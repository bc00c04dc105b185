// A wallet's token accounts, as a node has them.

import type { Address } from '../../../model/ids.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { TOKEN_PROGRAM, TOKEN_PROGRAMS } from '../data/solana-ids.ts';
import { findHeldAccount, TOKEN_ACCOUNT_BYTES } from '../data/token-instructions.ts';
import type { SolanaAccount, SolanaAccounts } from '../rpc/read-accounts.ts';

export const AMOUNT_OFFSET = 64;

/** Anyone can send lamports to the address of an account that is not open. */
export function isTokenAccount(account: SolanaAccount | undefined): account is SolanaAccount {
  if (account === undefined || !TOKEN_PROGRAMS.has(account.owner)) return false;
  return account.data.length >= TOKEN_ACCOUNT_BYTES;
}

export function readAmount(account: SolanaAccount | undefined): bigint {
  return isTokenAccount(account) ? new AccountBytes(account.data).u64(AMOUNT_OFFSET) : 0n;
}

/** The wallet's accounts of some tokens, by mint. */
export function listHeld(user: Address, mints: readonly Address[], accounts: SolanaAccounts) {
  return new Map(
    mints.map((mint) => {
      const tokenProgram = accounts.get(mint)?.owner ?? TOKEN_PROGRAM;
      return [mint, findHeldAccount({ owner: user, mint, tokenProgram })] as const;
    }),
  );
}
