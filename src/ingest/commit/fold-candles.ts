// Folds a batch of trades into the stored candles.

import { CandleCascade, layOver } from '../../candles/candle-cascade.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type {
  CandleRecord,
  SeriesKey,
  StoredInterval,
  TradeRecord,
} from '../../model/market-record.ts';
import type { CandleKey, MarketReader } from '../../store/store.ts';

/** A key as text, for lookups in memory. */
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

/** Merges the trades into the stored candles. */
export async function foldCandles(
  source: { readonly reader: MarketReader; readonly chain: ChainSlug },
  trades: readonly TradeRecord[],
): Promise<CandleRecord[]> {
  const folded = [];
  const keys: CandleKey[] = [];
  for (const cascade of cascadeTrades(trades)) {
    const { series } = cascade;
    const met = new Set<StoredInterval>();
    for (const candle of cascade.finish()) {
      const { interval, draft } = candle;
      const key: CandleKey = { ...series, interval, openTimeMs: draft.openTimeMs };
      // Stored trades are earlier than these: only an interval's first candle can already hold
      // some.
      const mayBeStored = !met.has(interval);
      met.add(interval);
      if (mayBeStored) keys.push(key);
      folded.push({ candle, series, key: mayBeStored ? toText(key) : null });
    }
  }
  const rows = keys.length === 0 ? [] : await source.reader.readCandles(source.chain, keys);
  const stored = new Map(rows.map((row) => [toText(row), row]));
  return folded.map(({ candle, series, key }) =>
    layOver(key === null ? null : (stored.get(key) ?? null), candle, series),
  );
}
