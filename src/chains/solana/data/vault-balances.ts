// What a transaction's balance rows say of token accounts.

import type { Address } from '../../../model/ids.ts';
import { listAccountKeys, type RawTransaction } from './raw-transaction.ts';
import { toSolanaAddress } from './solana-ids.ts';

interface BalanceRow {
  readonly mint: string;
  readonly owner: string | null;
  readonly change: bigint;
  readonly after: bigint;
}

export class VaultBalances {
  readonly #rows = new Map<string, BalanceRow>();
  readonly #keys: readonly string[];
  readonly #meta: RawTransaction['meta'];

  constructor(raw: RawTransaction) {
    const keys = listAccountKeys(raw);
    this.#keys = keys;
    this.#meta = raw.meta;
    const add = (rows: typeof pre, sign: bigint) => {
      for (const { accountIndex, mint, owner = null, uiTokenAmount } of rows ?? []) {
        const key = keys[accountIndex] ?? '';
        const amount = BigInt(uiTokenAmount.amount);
        const change = (this.#rows.get(key)?.change ?? 0n) + sign * amount;
        this.#rows.set(key, { mint, owner, change, after: sign > 0n ? amount : 0n });
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

  ownerOf(account: Address): string | null {
    return this.#rows.get(account)?.owner ?? null;
  }

  /** What the account holds after the transaction. */
  afterOf(account: Address): bigint | null {
    return this.#rows.get(account)?.after ?? null;
  }

  /** What the account gained of lamports; null if the transaction has no such rows. */
  lamportsOf(account: Address): bigint | null {
    const index = this.#keys.indexOf(account);
    const [before, after] = [this.#meta?.preBalances?.[index], this.#meta?.postBalances?.[index]];
    return before === undefined || after === undefined ? null : BigInt(after) - BigInt(before);
  }

  /** Over the whole transaction, so it is a trade's only if nothing else touched the account. */
  changeOf(account: Address): bigint | null {
    return this.#rows.get(account)?.change ?? null;
  }
}
