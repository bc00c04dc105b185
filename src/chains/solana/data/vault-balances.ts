// What a transaction's balance rows say of token accounts.

import type { Address } from '../../../model/ids.ts';
import { listAccountKeys, type RawTransaction } from './raw-transaction.ts';
import { toSolanaAddress } from './solana-ids.ts';

export class VaultBalances {
  readonly #rows = new Map<string, { mint: string; change: bigint; after: bigint }>();

  constructor(raw: RawTransaction) {
    const keys = listAccountKeys(raw);
    const add = (rows: typeof pre, sign: bigint) => {
      for (const { accountIndex, mint, uiTokenAmount } of rows ?? []) {
        const key = keys[accountIndex] ?? '';
        const amount = BigInt(uiTokenAmount.amount);
        const change = (this.#rows.get(key)?.change ?? 0n) + sign * amount;
        this.#rows.set(key, { mint, change, after: sign > 0n ? amount : 0n });
      }
    };
    const pre = raw.meta?.preTokenBalances;
    add(pre, -1n);
    add(raw.meta?.postTokenBalances, 1n);
  }

  mintOf(account: Address): Address | null {
    const mint = this.#rows.get(account)?.mint;
    return mint === undefined ? null : toSolanaAddress(mint);
  }

  /** What the account holds after the transaction. */
  afterOf(account: Address): bigint | null {
    return this.#rows.get(account)?.after ?? null;
  }

  /** Over the whole transaction, so it is a trade's only if nothing else touched the account. */
  changeOf(account: Address): bigint | null {
    return this.#rows.get(account)?.change ?? null;
  }
}
