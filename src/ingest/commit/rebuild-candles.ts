// Rebuilds the candles that lost trades in a rollback, from the remaining trades.

import { foldTrades, mergeCandles } from '../../candles/derive-klines.ts';
import { computeNextOpenTime, computeOpenTime } from '../../candles/interval.ts';
import type { ChainSlug } from '../../model/chain.ts';
import {
  type CandleRecord,
  type SeriesKey,
  STORED_INTERVALS,
  type StoredInterval,
  type TradeRecord,
} from '../../model/market-record.ts';
import type { TimeRange } from '../../store/market-reads.ts';
import type { CandleKey, MarketTransaction } from '../../store/store.ts';

/** The candles of one series and interval that lost trades. */
interface Affected {
  readonly series: SeriesKey & { readonly interval: StoredInterval };
  readonly openTimes: Set<number>;
}

function findAffected(removed: readonly TradeRecord[], interval: StoredInterval): Affected[] {
  const affected = new Map<string, Affected>();
  for (const { token, pool, timestampMs } of removed) {
    for (const seriesPool of [null, pool]) {
      const key = token + (seriesPool ?? '');
      let entry = affected.get(key);
      if (entry === undefined) {
        entry = { series: { token, pool: seriesPool, interval }, openTimes: new Set() };
        affected.set(key, entry);
      }
      entry.openTimes.add(computeOpenTime(interval, timestampMs));
    }
  }
  return [...affected.values()];
}

async function rebuildCandle(
  transaction: MarketTransaction,
  chain: ChainSlug,
  candle: { series: Affected['series']; range: TimeRange; finer: StoredInterval | undefined },
): Promise<CandleRecord | null> {
  const { series, range, finer } = candle;
  const rebuilt =
    finer === undefined
      ? foldTrades(series, await transaction.readTradeRange(chain, series, range))
      : mergeCandles(
          series,
          await transaction.readCandleRange(chain, { ...series, interval: finer }, range),
        );
  return rebuilt[0] ?? null;
}

/** The finest interval is built from trades, every other one from the next finer one. */
export async function rebuildCandles(
  transaction: MarketTransaction,
  chain: ChainSlug,
  removed: readonly TradeRecord[],
): Promise<void> {
  for (const [level, interval] of STORED_INTERVALS.entries()) {
    const finer = level === 0 ? undefined : STORED_INTERVALS[level - 1];
    const kept: CandleRecord[] = [];
    const emptied: CandleKey[] = [];
    for (const { series, openTimes } of findAffected(removed, interval)) {
      for (const openTimeMs of openTimes) {
        const range = { fromMs: openTimeMs, toMs: computeNextOpenTime(interval, openTimeMs) };
        const candle = await rebuildCandle(transaction, chain, { series, range, finer });
        if (candle === null) emptied.push({ ...series, openTimeMs });
        else kept.push(candle);
      }
    }
    await transaction.deleteCandles(emptied);
    await transaction.putCandles(kept);
  }
}
