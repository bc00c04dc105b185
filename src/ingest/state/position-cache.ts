// Positions in memory, by token and wallet, bounded by the bytes that they take: a position has up
// to 54 periods, so their number says little.

import type { Address } from '../../model/ids.ts';
import type { PositionKey, PositionRecord } from '../../model/position.ts';

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

function toKey({ token, wallet }: PositionKey): string {
  return `${token} ${wallet}`;
}

export class PositionCache {
  readonly #entries = new Map<string, PositionEntry & { row: PositionRecord | null }>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  find(key: PositionKey): PositionEntry | undefined {
    return this.#entries.get(toKey(key));
  }

  /** Adds a position that is not in memory, without a row until it is loaded. */
  add({ token, wallet }: PositionKey): PositionEntry {
    const entry = { token, wallet, row: null, isStored: false, imagedBlock: -1 };
    this.#entries.set(toKey(entry), entry);
    this.#bytes += ENTRY_BYTES;
    return entry;
  }

  /** Gives a position that was added its stored row. */
  load(row: PositionRecord): void {
    this.setRow(row, row).isStored = true;
  }

  setRow(key: PositionKey, row: PositionRecord): PositionEntry {
    const entry = this.#entries.get(toKey(key));
    if (entry === undefined) throw new Error('The position was not loaded');
    this.#bytes += estimateBytes(row) - estimateBytes(entry.row);
    entry.row = row;
    return entry;
  }

  /**
   * Evicts those that came first until at most `bytesMax` are left. Returns the tokens that have
   * lost positions.
   */
  trim(bytesMax: number): Set<Address> {
    const evicted = new Set<Address>();
    for (const [key, { row, token }] of this.#entries) {
      if (this.#bytes <= bytesMax) break;
      this.#entries.delete(key);
      this.#bytes -= ENTRY_BYTES + estimateBytes(row);
      evicted.add(token);
    }
    return evicted;
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}
