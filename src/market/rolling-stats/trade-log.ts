// Trades of the last day in typed arrays, about 50 bytes a trade. Entries are numbered; a removed
// entry's number is used again.

import type { PackedDecimal } from './packed-decimal.ts';
import { DecimalColumn } from './packed-decimal.ts';
import type { StatsTrade } from './window-subject.ts';

interface LogEntry extends Omit<StatsTrade, 'wallet'> {
  /** The number of what was traded: a token or a pool. */
  readonly subject: number;
  /** The number of the wallet that traded it. */
  readonly trader: number;
}

const CAPACITY_FIRST = 1024;

function createColumns(size: number) {
  return {
    time: new Float64Array(size),
    block: new Float64Array(size),
    logIndex: new Uint32Array(size),
    subject: new Uint32Array(size),
    trader: new Uint32Array(size),
    isBuy: new Uint8Array(size),
    isValued: new Uint8Array(size),
    valueDigits: new BigUint64Array(size),
    valueExponent: new Int16Array(size),
  };
}

type Columns = ReturnType<typeof createColumns>;

function growColumns(columns: Columns, size: number): Columns {
  const grown = createColumns(size);
  for (const name of Object.keys(columns) as (keyof Columns)[]) {
    (grown[name] as Float64Array).set(columns[name] as Float64Array);
  }
  return grown;
}

export class TradeLog {
  /** In USD; unknown for outliers. */
  readonly prices = new DecimalColumn();
  #columns = createColumns(CAPACITY_FIRST);
  #used = 0;
  readonly #free: number[] = [];

  /** Replaced when the log grows: read it again after each `add`. */
  get columns(): Columns {
    return this.#columns;
  }

  get size(): number {
    return this.#used - this.#free.length;
  }

  /** The number of the new entry. */
  add(entry: LogEntry): number {
    const id = this.#free.pop() ?? this.#used++;
    if (id >= this.#columns.time.length) this.#columns = growColumns(this.#columns, 2 * id);
    const columns = this.#columns;
    columns.time[id] = entry.timestampMs;
    columns.block[id] = entry.block;
    columns.logIndex[id] = entry.logIndex;
    columns.subject[id] = entry.subject;
    columns.trader[id] = entry.trader;
    columns.isBuy[id] = entry.isBuy ? 1 : 0;
    columns.isValued[id] = entry.value === null ? 0 : 1;
    columns.valueDigits[id] = entry.value?.digits ?? 0n;
    columns.valueExponent[id] = entry.value?.exponent ?? 0;
    this.prices.set(id, entry.price);
    return id;
  }

  remove(id: number): void {
    this.#free.push(id);
  }

  /** In USD; null if unknown. */
  valueAt(id: number): PackedDecimal | null {
    const { isValued, valueDigits, valueExponent } = this.#columns;
    if (isValued[id] !== 1) return null;
    return { digits: valueDigits[id] ?? 0n, exponent: valueExponent[id] ?? 0 };
  }

  /** As for `sort`: by time, then by position in the chain. */
  compare(a: number, b: number): number {
    const { time, block, logIndex } = this.#columns;
    return (
      (time[a] ?? 0) - (time[b] ?? 0) ||
      (block[a] ?? 0) - (block[b] ?? 0) ||
      (logIndex[a] ?? 0) - (logIndex[b] ?? 0)
    );
  }
}
