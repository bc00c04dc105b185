// Whether a reader that stands at an older commit has everything up to the channel's.

import { computeNextOpenTime, computeOpenTime } from '../../candles/interval.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { ChannelStep, Joiner } from './channel-options.ts';
import { type StreamSeries, toSeriesKey } from './stream-filter.ts';

/** Whether nothing but the chain's time advances for the token. */
export function isQuietStep(
  { checkpoint, kind, trades }: ChannelStep,
  before: Checkpoint,
): boolean {
  const isNext = checkpoint.version === before.version + 1 && kind === 'append';
  return isNext && trades.length === 0 && checkpoint.timestampMs >= before.timestampMs;
}

/**
 * Whether the klines are known, and none has ended since the reader's point. Requires that there
 * were only quiet steps since.
 */
export function isSeriesCurrent(
  series: StreamSeries,
  { point, page }: Joiner,
  channel: { readonly checkpoint: Checkpoint; readonly series: ReadonlyMap<string, unknown> },
): boolean {
  const { interval } = series;
  const { version, timestampMs } = channel.checkpoint;
  const key = toSeriesKey(series);
  const state = page?.series?.get(key);
  if (state === undefined && !channel.series.has(key)) return false;
  if (point.version === version) return true;
  if (state === undefined) {
    const { timeMs } = point.position;
    return computeOpenTime(interval, timeMs) === computeOpenTime(interval, timestampMs);
  }
  return state.open.every((candle) => {
    return computeNextOpenTime(interval, candle.openTimeMs) > timestampMs;
  });
}
