// What reorganisations removed of what a stream's reader had seen.

import { computeOpenTime } from '../../candles/interval.ts';
import type { Checkpoint, KlineInterval } from '../../model/market-record.ts';
import type { RevertedTrade, RollbackRecord } from '../../store/stream-reads.ts';
import type { TokenReference } from '../parse-token.ts';
import type { AnswerReader } from '../read-at.ts';
import type { StreamSeries } from './stream-filter.ts';
import {
  comparePositions,
  type StreamPoint,
  type StreamPosition,
  toBlockEnd,
  turnTimeBack,
} from './stream-point.ts';

export interface RevertedRequest extends Pick<TokenReference, 'chain' | 'token'> {
  readonly point: StreamPoint;
  readonly series: readonly StreamSeries[];
}

export interface Reverted {
  /** All removed blocks are within this range. */
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Removed trades that the reader had seen. */
  readonly trades: readonly Pick<RevertedTrade, 'txHash' | 'index'>[];
  /** The open times of candles that lost trades: the reader may have seen them. */
  readonly klines: ReadonlyMap<KlineInterval, readonly number[]>;
  /** The reader's position after the revert. */
  readonly position: StreamPosition;
}

/** Limits the cost of resuming one reader; beyond them it starts over. */
const ROLLBACKS_MAX = 5000;
const REVERTED_TRADES_MAX = 20_000;

/** Null if nothing was removed since. */
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
    ...findSeen(rollbacks, reverted, point.position),
    klines: new Map(
      request.series.map(({ interval }) => [interval, listOpenTimes(interval, reverted)]),
    ),
  };
}

/**
 * The trades that the reader had seen, and the position up to which its data is still valid. Each
 * rollback lowers that position: what a later one removes above it, the reader never saw.
 */
function findSeen(
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
    // Trades and time go back separately: a reader without trades has no block position.
    const timeMs = Math.min(end.timeMs, position.timeMs);
    position = comparePositions(end, position) < 0 ? { ...end, timeMs } : { ...position, timeMs };
  }
  return { trades, position: turnTimeBack(position, reverted) };
}

/**
 * Includes klines that the reader may not have seen: live candles are sent without an id, so that
 * is unknown. Those that still have trades are sent again, since none had ended by the position's
 * time.
 */
function listOpenTimes(
  interval: KlineInterval,
  reverted: readonly RevertedTrade[],
): readonly number[] {
  const times = new Set(reverted.map(({ timestampMs }) => computeOpenTime(interval, timestampMs)));
  return [...times].sort((a, b) => a - b);
}
