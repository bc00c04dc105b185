// The trades of the tape, newest first, each once: what was read and what the stream changed.

import type { TradeRow } from '../../api/contract-types.ts';

export interface TapeFilter {
  readonly side: 'buy' | 'sell' | null;
  readonly minUsd: string | null;
  readonly wallet: string | null;
}

/** As the API filters. Addresses are compared in any case. */
export function matchesTapeFilter(trade: TradeRow, filter: TapeFilter): boolean {
  if (filter.side !== null && trade.side !== filter.side) return false;
  if (filter.wallet !== null && trade.wallet.toLowerCase() !== filter.wallet.toLowerCase()) {
    return false;
  }
  if (filter.minUsd === null) return true;
  return trade.valueUsd !== null && Number(trade.valueUsd) >= Number(filter.minUsd);
}

/** A tape that is open for a day keeps no more; the oldest go. */
export const TAPE_ROWS_MAX = 500;

export class TradeTape {
  #rows: readonly TradeRow[] = [];

  get rows(): readonly TradeRow[] {
    return this.#rows;
  }

  /** `arrived`: trades of the stream since the read began, oldest first. */
  replace(read: readonly TradeRow[], arrived: readonly TradeRow[]): void {
    this.#rows = read;
    for (const trade of arrived) this.add(trade);
  }

  add(trade: TradeRow): void {
    if (this.#rows.some(({ id }) => id === trade.id)) return;
    this.#rows = [trade, ...this.#rows].slice(0, TAPE_ROWS_MAX);
  }

  append(older: readonly TradeRow[]): void {
    const known = new Set(this.#rows.map(({ id }) => id));
    const rows = [...this.#rows, ...older.filter(({ id }) => !known.has(id))];
    this.#rows = rows.slice(0, TAPE_ROWS_MAX);
  }

  remove(ids: ReadonlySet<string>): void {
    this.#rows = this.#rows.filter(({ id }) => !ids.has(id));
  }
}
