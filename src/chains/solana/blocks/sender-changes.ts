// What a transaction changed of the wallet that sent it: tokens from the balance rows, SOL from the
// lamports.
//
// The wallet's lamports are those of its own account and of its token accounts, less wrapped SOL,
// which is a token of its own. So the rent of a token account that is opened is not spent, nor is
// that of other accounts, which programs keep for the wallet.

import type { BalanceChange } from '../../chain-transactions.ts';
import type { RawTransaction } from '../data/raw-transaction.ts';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from '../data/solana-ids.ts';
import { readHolderChanges } from './holder-changes.ts';

/** An account of some bytes keeps this for each of them, and for 128 more. */
const RENT_PER_BYTE = 6960;
const RENT_BYTES_MIN = 128;

function isRent(lamports: number): boolean {
  return lamports % RENT_PER_BYTE === 0 && lamports >= RENT_PER_BYTE * RENT_BYTES_MIN;
}

/** Without the fee; null if the record does not tell. */
function readLamports(sender: string, { meta }: RawTransaction): bigint | null {
  const { fee, preBalances: before, postBalances: after } = meta ?? {};
  if (fee == null || before == null || after == null || before.length !== after.length) return null;
  const rows = [...(meta?.preTokenBalances ?? []), ...(meta?.postTokenBalances ?? [])];
  const own = rows.filter(({ owner }) => owner === sender).map((row) => row.accountIndex);
  const counted = new Set([0, ...own]);
  for (const [index, lamports] of after.entries()) {
    if (before[index] === 0 && isRent(lamports)) counted.add(index);
  }
  let sum = BigInt(fee);
  for (const index of counted) sum += BigInt(after[index] ?? 0) - BigInt(before[index] ?? 0);
  return sum;
}

/** Nothing of a transaction that failed. Changes of zero are left out. */
export function readSenderChanges(raw: RawTransaction): BalanceChange[] {
  const [sender] = raw.transaction.message.accountKeys;
  if (sender === undefined || raw.meta === null || raw.meta.err !== null) return [];
  const tokens = readHolderChanges(raw).filter(({ owner }) => owner === sender);
  const changes = tokens.map(({ token, deltaRaw }) => ({ token, deltaRaw }));
  const lamports = readLamports(sender, raw);
  if (lamports === null) return changes;
  const wrapped = changes.find(({ token }) => token === WRAPPED_SOL)?.deltaRaw ?? 0n;
  const deltaRaw = lamports - wrapped;
  return deltaRaw === 0n ? changes : [...changes, { token: SYSTEM_PROGRAM, deltaRaw }];
}
