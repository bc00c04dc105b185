// The windows of a chain's tokens and pools, as of one commit.

import type { Address, PoolId } from '../../model/ids.ts';
import type { SeriesKey, TradeRecord } from '../../model/market-record.ts';
import { WindowStats } from './window-stats.ts';
import { packTrade } from './window-subject.ts';

// Waiting for a commit to reach what is kept in memory.

/** It is already past the commit that was to be read, or too late: read again at a later one. */
export class StatsPassedError extends Error {}

/** The commit is not there yet, and the caller must not wait for it. */
export class StatsBehindError extends StatsPassedError {
  /** Settles when it is there, or will not come. */
  readonly arrived: Promise<unknown>;

  constructor(arrived: Promise<unknown>) {
    super('The commit has not arrived yet');
    this.arrived = arrived.catch(() => undefined);
  }
}

const snapshotReaders = new WeakSet<object>();

/** Marks the reader of a snapshot: it holds a connection of the store, so nobody waits with it. */
export function markInSnapshot<T extends object>(reader: T): T {
  snapshotReaders.add(reader);
  return reader;
}

export function isInSnapshot(reader: object): boolean {
  return snapshotReaders.has(reader);
}

/** The last price of a series before its first trade in the rolling stats, by `toSeriesName`. */
export type BasePrices = ReadonlyMap<string, string>;

export function toSeriesName({ token, pool }: SeriesKey): string {
  return pool === null ? token : `${token} ${pool}`;
}

/**
 * A swap between two tokens is a trade of each, but one trade of the pool: that of the token with
 * the lower address.
 */
function* listPoolTrades(trades: readonly TradeRecord[]): Generator<TradeRecord> {
  const lowest = new Map<string, TradeRecord>();
  for (const trade of trades) {
    const place = `${trade.block} ${trade.logIndex}`;
    const other = lowest.get(place);
    if (other === undefined || trade.token < other.token) lowest.set(place, trade);
  }
  yield* lowest.values();
}

export class ChainStats {
  readonly tokens = new WindowStats<Address>();
  readonly pools = new WindowStats<PoolId>();
  /** By token, the first block of its history that is in the rolling stats. */
  readonly history = new Map<Address, number>();

  /** The series of trades not in the rolling stats yet: their base prices must be known. */
  listNewSeries(trades: readonly TradeRecord[]): SeriesKey[] {
    const series = new Map<string, SeriesKey>();
    for (const { token } of trades) {
      if (!this.tokens.has(token)) series.set(token, { token, pool: null });
    }
    for (const { token, pool } of listPoolTrades(trades)) {
      if (!this.pools.has(pool)) series.set(toSeriesName({ token, pool }), { token, pool });
    }
    return [...series.values()];
  }

  /** All trades of a block must be in one call. */
  add(trades: readonly TradeRecord[], bases: BasePrices): void {
    // A trade is packed once for both.
    const packed = new Map(trades.map((trade) => [trade, packTrade(trade)]));
    for (const [{ token }, trade] of packed) {
      this.tokens.add(token, trade, () => bases.get(token) ?? null);
    }
    for (const trade of listPoolTrades(trades)) {
      const counted = packed.get(trade) ?? packTrade(trade);
      this.pools.add(trade.pool, counted, () => bases.get(toSeriesName(trade)) ?? null);
    }
  }

  /**
   * Trades from before the index, which are known of some tokens only: so they count for the token
   * and not for the pool. Those that the index made itself were judged again.
   */
  addHistory(trades: readonly TradeRecord[], startBlock: number): void {
    for (const trade of trades) {
      const packed = packTrade(trade);
      const isOwn = trade.block >= startBlock;
      if (isOwn) this.pools.replace(trade.pool, packed);
      if (isOwn && this.tokens.replace(trade.token, packed)) continue;
      this.tokens.add(trade.token, packed, () => null);
    }
  }

  remove(trades: readonly TradeRecord[]): void {
    for (const trade of trades) this.tokens.remove(trade.token, trade);
    for (const trade of listPoolTrades(trades)) this.pools.remove(trade.pool, trade);
  }

  /** False if the chain's time went back too far: then the rolling stats must be loaded again. */
  advance(headMs: number): boolean {
    const areTokensMoved = this.tokens.advance(headMs);
    return this.pools.advance(headMs) && areTokensMoved;
  }
}
