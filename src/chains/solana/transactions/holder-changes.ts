// How a transaction changed what owners hold, from its balance rows: over all token accounts of an
// owner, in both token programs.
//
// A row that is missing before was zero; one that is missing afterwards was closed. An account that
// changed hands is a loss of one owner and a gain of the other.

import type { Address } from '../../../model/ids.ts';
import { toSolanaAddress } from '../solana-ids.ts';
import type { RawTokenBalance, RawTransaction } from './raw-transaction.ts';

export interface HolderChange {
  readonly token: Address;
  readonly owner: Address;
  readonly deltaRaw: bigint;
}

/** Nothing of a transaction that failed. Changes of zero are left out. */
export function readHolderChanges({ meta }: RawTransaction): HolderChange[] {
  if (meta === null || meta.err !== null) return [];
  const sums = new Map<string, { mint: string; owner: string; delta: bigint }>();
  const add = (rows: readonly RawTokenBalance[] | null | undefined, sign: bigint) => {
    for (const { mint, owner, uiTokenAmount } of rows ?? []) {
      if (owner == null) continue;
      const key = `${mint} ${owner}`;
      const sum = sums.get(key) ?? { mint, owner, delta: 0n };
      sum.delta += sign * BigInt(uiTokenAmount.amount);
      sums.set(key, sum);
    }
  };
  add(meta.preTokenBalances, -1n);
  add(meta.postTokenBalances, 1n);
  return [...sums.values()]
    .filter(({ delta }) => delta !== 0n)
    .map(({ mint, owner, delta }) => ({
      token: toSolanaAddress(mint),
      owner: toSolanaAddress(owner),
      deltaRaw: delta,
    }));
}
