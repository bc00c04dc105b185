// Balances in memory, by token and owner. Two maps in a row are three times as fast as one with
// joined keys, and every transfer looks here twice.

import type { Address } from '../model/market-event.ts';
import type { BalanceRecord } from '../model/market-record.ts';

export interface BalanceEntry {
  readonly row: { -readonly [Key in keyof BalanceRecord]: BalanceRecord[Key] };
  /** The last block whose undo image has this row. */
  imagedBlock: number;
}

type Generation = Map<Address, Map<Address, BalanceEntry>>;

/** Forgets like `BoundedCache`: only when trimmed, and what was not used lately. */
export class BalanceCache {
  readonly #generationMax: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #youngSize = 0;

  constructor(sizeMax: number) {
    this.#generationMax = Math.floor(sizeMax / 3);
  }

  get(token: Address, owner: Address): BalanceEntry | undefined {
    const young = this.#young.get(token)?.get(owner);
    if (young !== undefined) return young;
    const old = this.#old.get(token)?.get(owner);
    if (old !== undefined) this.set(old);
    return old;
  }

  /** Takes an entry that is not in memory, or was only in the old generation. */
  set(entry: BalanceEntry): void {
    const { token, owner } = entry.row;
    let owners = this.#young.get(token);
    if (owners === undefined) {
      owners = new Map();
      this.#young.set(token, owners);
    }
    owners.set(owner, entry);
    this.#youngSize += 1;
  }

  trim(): void {
    if (this.#youngSize <= this.#generationMax) return;
    this.#old = this.#youngSize <= 2 * this.#generationMax ? this.#young : new Map();
    this.#young = new Map();
    this.#youngSize = 0;
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngSize = 0;
  }
}
