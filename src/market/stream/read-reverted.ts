// What reorganisations took back of what a stream's reader was told.

import { toOpenTime } from '../../candles/interval.ts';
import type { Checkpoint, KlineInterval } from '../../model/market-record.ts';
import type { RevertedTrade, RollbackRecord } from '../../store/stream-reads.ts';
import type { TokenReference } from '../parse-token.ts';
import type { AnswerReader } from '../read-at.ts';
import {
  comparePositions,
  type StreamPoint,
  type StreamPosition,
  toBlockEnd,
  toTimeBack,
} from './stream-point.ts';

export interface RevertedRequest extends Pick<TokenReference, 'chain' | 'token'> {
  readonly point: StreamPoint;
  readonly intervals: readonly KlineInterval[];
}

export interface Reverted {
  /** Every block that was taken back since lies within these. */
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Trades that the reader was told of. */
  readonly trades: readonly Pick<RevertedTrade, 'txHash' | 'index'>[];
  /** When candles opened that lost trades: the reader may have been told of them. */
  readonly klines: ReadonlyMap<KlineInterval, readonly number[]>;
  /** Where the reader is once it has heard of this. */
  readonly position: StreamPosition;
}

/** Bounds on what one reader's absence may cost; who was away for more begins anew. */
const ROLLBACKS_MAX = 5000;
const REVERTED_TRADES_MAX = 20_000;

/** Null where nothing was taken back since. */
export async function readReverted(
  reader: AnswerReader,
  request: RevertedRequest,
  checkpoint: Checkpoint,
): Promise<Reverted | 'expired' | null> {
  const { chain, token, point } = request;
  const afterVersion = point.version;
  if (afterVersion === checkpoint.version) return null;
  const rollbacks = await reader.readRollbacks(chain, { afterVersion, limit: ROLLBACKS_MAX + 1 });
  if (rollbacks.length === 0) return null;
  const limit = REVERTED_TRADES_MAX + 1;
  const reverted = await reader.readRevertedTrades(chain, token, { afterVersion, limit });
  if (rollbacks.length > ROLLBACKS_MAX || reverted.length === limit) return 'expired';
  return {
    fromBlock: Math.min(...rollbacks.map(({ block }) => block)) + 1,
    toBlock: Math.max(...rollbacks.map(({ tipBlock }) => tipBlock)),
    ...toSeen(rollbacks, reverted, point.position),
    klines: new Map(
      request.intervals.map((interval) => [interval, toOpenTimes(interval, reverted)]),
    ),
  };
}

/**
 * The trades that the reader had seen, and up to where what it saw still stands. Each rollback
 * leaves it with less: what a later one takes back beyond that, it never saw.
 */
function toSeen(
  rollbacks: readonly RollbackRecord[],
  reverted: readonly RevertedTrade[],
  from: StreamPosition,
): Pick<Reverted, 'trades' | 'position'> {
  const byVersion = Map.groupBy(reverted, ({ version }) => version);
  const trades: RevertedTrade[] = [];
  let position = from;
  for (const rollback of rollbacks) {
    const taken = byVersion.get(rollback.version) ?? [];
    trades.push(...taken.filter((trade) => comparePositions(trade, position) <= 0));
    const end = toBlockEnd(rollback);
    // Trades and time went back each for itself: who reads no trades knows no blocks.
    const timeMs = Math.min(end.timeMs, position.timeMs);
    position = comparePositions(end, position) < 0 ? { ...end, timeMs } : { ...position, timeMs };
  }
  return { trades, position: toTimeBack(position, reverted) };
}

/**
 * Whether or not the reader saw them: what a live candle was told as has no id, so nobody knows.
 * Those that still have trades are told again, since none of them had ended by the position's time.
 */
function toOpenTimes(
  interval: KlineInterval,
  reverted: readonly RevertedTrade[],
): readonly number[] {
  const times = new Set(reverted.map(({ timestampMs }) => toOpenTime(interval, timestampMs)));
  return [...times].sort((a, b) => a - b);
}
