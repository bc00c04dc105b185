// A tip for Jito's block engine: a transfer to one of eight accounts that validators share, as an
// instruction of the wallet's own transaction. Without it the block engine takes no transaction.

import type { Address } from '../../../model/ids.ts';
import type { ProgramInstruction } from './program-instruction.ts';
import { toSolanaAddress } from './solana-ids.ts';
import { transferSol } from './token-instructions.ts';

/** As the block engine's `getTipAccounts` answers; the same since 2022. */
const TIP_ACCOUNTS = [
  '96gYZGLnJYVFmbjzopPSU6QiEV5fGqZNyN9nmNhvrZU5',
  'HFqU5x63VTqvQss8hp11i4wVV8bD44PvwucfZ2bU7gRe',
  'Cw8CFyM9FkoMi7K7Crf6HNQqf4uEMzpKw6QNghXLvLkY',
  'ADaUMid9yfUytqMBgopwjb2DTLSokTSzL1zt6iGPaS49',
  'DfXygSm4jCyNCybVYYK6DwvWqjKee8pbDmJGcLWNDXjh',
  'ADuUkR4vqLUMWXxW9gh6D6L8pMSawimctcNZ5pGwDcEt',
  'DttWaMuVvTiduZRnguLF7jNxTgiMBZ1hyAumKUiL2KRL',
  '3AVi9Tg9Uo68tJfuvoKvqKNWKkC5wPdSSdeBnizKZ6jT',
] as const;

/** By the block hash, so that not all transactions lock the same one. */
export function pickTipAccount(blockhash: string): Address {
  const [first] = TIP_ACCOUNTS;
  const picked = TIP_ACCOUNTS[blockhash.charCodeAt(0) % TIP_ACCOUNTS.length];
  return toSolanaAddress(picked ?? first);
}

export function payTip(user: Address, blockhash: string, lamports: bigint): ProgramInstruction {
  return transferSol(user, pickTipAccount(blockhash), lamports);
}
