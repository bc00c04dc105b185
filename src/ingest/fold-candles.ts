// The stored candles that a batch of trades brings or changes.

import { CandleCascade, layOver } from '../candles/candle-cascade.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { CandleRecord, SeriesKey, TradeRecord } from '../model/market-record.ts';
import type { CandleKey, MarketReader } from '../store/store.ts';

/** A key as text, for looking candles up in memory. */
function toText(key: CandleKey): string {
  return `${key.token} ${key.pool ?? ''} ${key.interval} ${key.openTimeMs}`;
}

/** Folds the trades once for their token and once for their pool. */
function cascadeTrades(trades: readonly TradeRecord[]): Iterable<CandleCascade> {
  const cascades = new Map<string, CandleCascade>();
  const add = (key: string, series: SeriesKey, trade: TradeRecord): void => {
    let cascade = cascades.get(key);
    if (cascade === undefined) {
      cascade = new CandleCascade(series);
      cascades.set(key, cascade);
    }
    cascade.add(trade);
  };
  for (const trade of trades) {
    const { token, pool } = trade;
    add(token, { token, pool: null }, trade);
    add(token + pool, { token, pool }, trade);
  }
  return cascades.values();
}

/**
 * Lays the trades over the candles that are stored. `storedUntilMs` is the time of the last block
 * in the store (null for an empty one): candles that opened later cannot be there.
 */
export async function foldCandles(
  source: { readonly reader: MarketReader; readonly chain: ChainSlug },
  trades: readonly TradeRecord[],
  storedUntilMs: number | null,
): Promise<CandleRecord[]> {
  const folded = Array.from(cascadeTrades(trades)).flatMap((cascade) =>
    cascade.finish().map((candle) => ({
      candle,
      series: cascade.series,
      key: {
        ...cascade.series,
        interval: candle.interval,
        openTimeMs: candle.draft.openTimeMs,
      },
    })),
  );
  const keys = folded
    .map(({ key }) => key)
    .filter(({ openTimeMs }) => storedUntilMs !== null && openTimeMs <= storedUntilMs);
  const rows = keys.length === 0 ? [] : await source.reader.readCandles(source.chain, keys);
  const stored = new Map(rows.map((row) => [toText(row), row]));
  return folded.map(({ candle, series, key }) =>
    layOver(stored.size === 0 ? null : (stored.get(toText(key)) ?? null), candle, series),
  );
}
