// Positions in memory, by token and wallet, bounded by the bytes that they take: a position has up
// to 54 periods, so their number says little.

import type { Address } from '../../model/ids.ts';
import type { BalanceRecord } from '../../model/market-record.ts';
import type { PositionKey, PositionRecord } from '../../model/position.ts';

// Balances in memory, by token and owner. Two nested maps are three times as fast as one with
// joined keys, and every transfer makes two lookups.

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

/** A position's row is replaced, never changed in place. */
export interface PositionEntry extends PositionKey {
  /** Null before the wallet's first trade. */
  readonly row: PositionRecord | null;
  /** Whether the store has a row of it. */
  isStored: boolean;
  /** The last block whose undo image includes this row. */
  imagedBlock: number;
}

/** What V8 needs, roughly: of an entry with its key, of a row, and of each of its periods. */
const ENTRY_BYTES = 300;
const ROW_BYTES = 500;
const PERIOD_BYTES = 160;

function estimateBytes(row: PositionRecord | null): number {
  return row === null ? 0 : ROW_BYTES + row.periods.length * PERIOD_BYTES;
}

type HeldEntry = PositionEntry & { row: PositionRecord | null };

/** Two nested maps, as of balances: a joined key would be built and hashed for every lookup. */
export class PositionCache {
  readonly #byToken = new Map<Address, Map<Address, HeldEntry>>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  find(token: Address, wallet: Address): PositionEntry | undefined {
    return this.#byToken.get(token)?.get(wallet);
  }

  /** Adds a position that is not in memory, without a row until it is loaded. */
  add(token: Address, wallet: Address): PositionEntry {
    const entry = { token, wallet, row: null, isStored: false, imagedBlock: -1 };
    let wallets = this.#byToken.get(token);
    if (wallets === undefined) {
      wallets = new Map();
      this.#byToken.set(token, wallets);
    }
    wallets.set(wallet, entry);
    this.#bytes += ENTRY_BYTES;
    return entry;
  }

  /** Gives a position that was added its stored row. */
  load(row: PositionRecord): void {
    const entry = this.find(row.token, row.wallet);
    if (entry === undefined) throw new Error('The position was not loaded');
    this.setRow(entry, row);
    entry.isStored = true;
  }

  /** Replaces the row of an entry of this cache. */
  setRow(entry: PositionEntry, row: PositionRecord): void {
    this.#bytes += estimateBytes(row) - estimateBytes(entry.row);
    (entry as HeldEntry).row = row;
  }

  /**
   * Evicts until at most `bytesMax` are left: of the token that came first, those that came first.
   * Returns the tokens that have lost positions.
   */
  trim(bytesMax: number): Set<Address> {
    const evicted = new Set<Address>();
    for (const [token, wallets] of this.#byToken) {
      for (const [wallet, { row }] of wallets) {
        if (this.#bytes <= bytesMax) return evicted;
        wallets.delete(wallet);
        this.#bytes -= ENTRY_BYTES + estimateBytes(row);
        evicted.add(token);
      }
      this.#byToken.delete(token);
    }
    return evicted;
  }

  clear(): void {
    this.#byToken.clear();
    this.#bytes = 0;
  }
}
