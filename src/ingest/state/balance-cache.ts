// Balances in memory, by token and owner. Two nested maps are three times as fast as one with
// joined keys, and every transfer makes two lookups.

import type { Address } from '../../model/ids.ts';
import type { BalanceRecord } from '../../model/market-record.ts';

export interface BalanceEntry {
  readonly row: { -readonly [Key in keyof BalanceRecord]: BalanceRecord[Key] };
  /** Whether the store has a row of it; a balance of zero has none. */
  isStored: boolean;
  /** The last block whose undo image includes this row. */
  imagedBlock: number;
  /** The last batch that changed it. */
  batch: number;
  /** The last block that changed it, and what it was before that. */
  changedBlock: number;
  beforeRaw: bigint;
}

export class BalanceCache {
  readonly #byToken = new Map<Address, Map<Address, BalanceEntry>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(token: Address, owner: Address): BalanceEntry | undefined {
    return this.#byToken.get(token)?.get(owner);
  }

  /** Takes an entry that is not in memory. */
  set(entry: BalanceEntry): void {
    const { token, owner } = entry.row;
    let owners = this.#byToken.get(token);
    if (owners === undefined) {
      owners = new Map();
      this.#byToken.set(token, owners);
    }
    owners.set(owner, entry);
    this.#size += 1;
  }

  /**
   * Evicts whole tokens, the ones that came first, until at most `sizeMax` balances are left.
   * Returns the evicted tokens.
   */
  trim(sizeMax: number): Address[] {
    const evicted: Address[] = [];
    for (const [token, owners] of this.#byToken) {
      if (this.#size <= sizeMax) break;
      this.#byToken.delete(token);
      this.#size -= owners.size;
      evicted.push(token);
    }
    return evicted;
  }

  clear(): void {
    this.#byToken.clear();
    this.#size = 0;
  }
}
