// A client's state from a stream: trades and klines, updated by events.

import type { Json } from './market-scene.ts';

export interface StreamEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: Json;
}

/** Parses the text of an event stream incrementally, as the standard says. */
export class EventParser {
  #text = '';
  lastEventId = '';

  /** Complete events of the text so far; comments and lone fields are not events. */
  push(text: string): StreamEvent[] {
    this.#text += text;
    const events: StreamEvent[] = [];
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end < 0) return events;
      const block = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      const fields = new Map(
        block.split('\n').map((line) => {
          const colon = line.indexOf(': ');
          return [line.slice(0, colon), line.slice(colon + 2)] as const;
        }),
      );
      const id = fields.get('id') ?? null;
      const data = fields.get('data');
      if (data !== undefined) {
        events.push({ event: fields.get('event') ?? 'message', id, data: JSON.parse(data) });
      } else if (id !== null) {
        events.push({ event: '', id, data: null });
      }
    }
  }
}

/** A client that folds `trade`, `kline` and `revert`, and tracks its position. */
export class StreamFold {
  readonly trades = new Map<string, Json>();
  readonly klines = new Map<number, Json>();
  readonly problems: string[] = [];
  readonly counts = new Map<string, number>();
  lastEventId: string | null = null;
  /** The time from which its klines are complete. */
  klinesFrom = Number.POSITIVE_INFINITY;

  apply({ event, id, data: named }: StreamEvent): void {
    if (id !== null) this.lastEventId = id;
    if (event === '') return;
    // Rows of the reads do not say which token they are of.
    const { chain: _chain, mint: _mint, ...data } = named;
    this.counts.set(event, (this.counts.get(event) ?? 0) + 1);
    if (event === 'snapshot') this.#begin(data);
    if (event === 'trade') {
      if (this.trades.has(data.id)) this.problems.push(`trade ${data.id} came twice`);
      this.trades.set(data.id, data);
    }
    if (event === 'kline') this.klines.set(data.kline.openTime, data.kline);
    if (event === 'revert') {
      for (const tradeId of data.tradeIds) {
        if (!this.trades.delete(tradeId)) this.problems.push(`${tradeId} was never sent`);
      }
      for (const { openTime } of data.klines) this.klines.delete(openTime);
    }
  }

  #begin(data: Json): void {
    this.trades.clear();
    this.klines.clear();
    for (const trade of data.trades) this.trades.set(trade.id, trade);
    if (data.kline !== null) this.klines.set(data.kline.openTime, data.kline);
    this.klinesFrom = data.asOf.timestamp;
  }
}

/** Finality changes without an event. */
export function dropFinality(trades: Iterable<Json>): Json[] {
  return Array.from(trades, ({ finality: _finality, ...rest }) => rest).sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
}
