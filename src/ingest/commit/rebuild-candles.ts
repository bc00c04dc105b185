// Rebuilds the candles that lost trades in a rollback, from the remaining trades. All candles of an
// interval are read and written at once: a rollback of many tokens takes no more statements than
// one of a single token.

import { foldTrades, mergeCandles } from '../../candles/derive-klines.ts';
import { computeNextOpenTime, computeOpenTime } from '../../candles/interval.ts';
import type { ChainSlug } from '../../model/chain.ts';
import {
  type CandleRecord,
  STORED_INTERVALS,
  type StoredInterval,
  type TradeRecord,
} from '../../model/market-record.ts';
import type { CandleSeries, TimeRange } from '../../store/market-reads.ts';
import type { CandleKey, MarketTransaction } from '../../store/store.ts';

/** A candle that lost trades. */
type Affected = CandleSeries & TimeRange;

/** What one candle is built from. */
type ReadParts = (candle: Affected) => CandleRecord | undefined;

function toKey({ token, pool }: Pick<Affected, 'token' | 'pool'>, openTimeMs: number): string {
  return `${token} ${pool ?? ''} ${openTimeMs}`;
}

function findAffected(removed: readonly TradeRecord[], interval: StoredInterval): Affected[] {
  const affected = new Map<string, Affected>();
  for (const { token, pool: ofTrade, timestampMs } of removed) {
    const fromMs = computeOpenTime(interval, timestampMs);
    for (const pool of [null, ofTrade]) {
      const key = toKey({ token, pool }, fromMs);
      if (affected.has(key)) continue;
      const toMs = computeNextOpenTime(interval, fromMs);
      affected.set(key, { token, pool, interval, fromMs, toMs });
    }
  }
  return [...affected.values()];
}

async function readTrades(
  transaction: MarketTransaction,
  chain: ChainSlug,
  affected: readonly Affected[],
): Promise<ReadParts> {
  // Those of a pool are among those of its token.
  const ranges = affected.filter(({ pool }) => pool === null);
  const trades = await transaction.readTradeRanges(chain, ranges);
  const [first] = affected;
  const toTime = ({ timestampMs }: TradeRecord) =>
    first === undefined ? 0 : computeOpenTime(first.interval, timestampMs);
  const byCandle = Map.groupBy(
    trades.flatMap((trade) => [
      { key: toKey({ token: trade.token, pool: null }, toTime(trade)), trade },
      { key: toKey(trade, toTime(trade)), trade },
    ]),
    ({ key }) => key,
  );
  return (candle) => {
    const own = byCandle.get(toKey(candle, candle.fromMs)) ?? [];
    return foldTrades(
      candle,
      own.map(({ trade }) => trade),
    )[0];
  };
}

async function readFiner(
  transaction: MarketTransaction,
  chain: ChainSlug,
  of: { readonly affected: readonly Affected[]; readonly finer: StoredInterval },
): Promise<ReadParts> {
  const { affected, finer } = of;
  const ranges = affected.map((candle) => ({ ...candle, interval: finer }));
  const candles = await transaction.readCandleRanges(chain, ranges);
  const byCandle = Map.groupBy(candles, (one) =>
    toKey(one, computeOpenTime(affected[0]?.interval ?? finer, one.openTimeMs)),
  );
  return (candle) => {
    const own = byCandle.get(toKey(candle, candle.fromMs)) ?? [];
    return mergeCandles(
      candle,
      own.toSorted((a, b) => a.openTimeMs - b.openTimeMs),
    )[0];
  };
}

/** The finest interval is built from trades, every other one from the next finer one. */
export async function rebuildCandles(
  transaction: MarketTransaction,
  chain: ChainSlug,
  removed: readonly TradeRecord[],
): Promise<void> {
  for (const [level, interval] of STORED_INTERVALS.entries()) {
    const affected = findAffected(removed, interval);
    const finer = STORED_INTERVALS[level - 1];
    const rebuild =
      finer === undefined
        ? await readTrades(transaction, chain, affected)
        : await readFiner(transaction, chain, { affected, finer });
    const kept: CandleRecord[] = [];
    const emptied: CandleKey[] = [];
    for (const candle of affected) {
      const { token, pool, fromMs: openTimeMs } = candle;
      const rebuilt = rebuild(candle);
      if (rebuilt === undefined) emptied.push({ token, pool, interval, openTimeMs });
      else kept.push(rebuilt);
    }
    await transaction.deleteCandles(emptied);
    await transaction.putCandles(kept);
  }
}
