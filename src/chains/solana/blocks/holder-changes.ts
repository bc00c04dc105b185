// How a transaction changed what owners hold, from its balance rows: over all token accounts of an
// owner, in both token programs.
//
// A row that is missing before was zero; one that is missing afterwards was closed. An account that
// changed hands is a loss of one owner and a gain of the other. What Token-2022 withholds of
// transfers counts as held by the mint.

import type { Address } from '../../../model/ids.ts';
import type { RawTokenBalance, RawTransaction } from '../data/raw-transaction.ts';
import { TOKEN_2022_PROGRAM, toSolanaAddress } from '../data/solana-ids.ts';
import { readWithheldChanges } from './withheld-fees.ts';

export interface HolderChange {
  readonly token: Address;
  readonly owner: Address;
  readonly deltaRaw: bigint;
}

/** Nothing of a transaction that failed. Changes of zero are left out. */
export function readHolderChanges(raw: RawTransaction): HolderChange[] {
  const { meta } = raw;
  if (meta === null || meta.err !== null) return [];
  const sums = new Map<string, { mint: string; owner: string; delta: bigint }>();
  const sumsOf2022 = new Map<Address, bigint>();
  const add = (mint: string, owner: string, delta: bigint) => {
    const key = `${mint} ${owner}`;
    const sum = sums.get(key) ?? { mint, owner, delta: 0n };
    sum.delta += delta;
    sums.set(key, sum);
  };
  const addRows = (rows: readonly RawTokenBalance[] | null | undefined, sign: bigint) => {
    for (const { mint, owner, programId, uiTokenAmount } of rows ?? []) {
      if (owner == null) continue;
      const delta = sign * BigInt(uiTokenAmount.amount);
      add(mint, owner, delta);
      if (programId !== TOKEN_2022_PROGRAM) continue;
      const token = toSolanaAddress(mint);
      sumsOf2022.set(token, (sumsOf2022.get(token) ?? 0n) + delta);
    }
  };
  addRows(meta.preTokenBalances, -1n);
  addRows(meta.postTokenBalances, 1n);
  for (const [mint, delta] of readWithheldChanges(raw, sumsOf2022)) add(mint, mint, delta);
  return [...sums.values()]
    .filter(({ delta }) => delta !== 0n)
    .map(({ mint, owner, delta }) => ({
      token: toSolanaAddress(mint),
      owner: toSolanaAddress(owner),
      deltaRaw: delta,
    }));
}
