// Which events of a token a reader wants, and how klines are shown to it.

import type { PoolId } from '../../model/ids.ts';
import type { KlineInterval } from '../../model/market-record.ts';
import type { KlineView } from '../kline-rows.ts';

export const STREAM_KINDS = ['trade', 'kline', 'price', 'holders', 'coverage'] as const;

export type StreamKind = (typeof STREAM_KINDS)[number];

/** Klines of a token, over all its pools or in one. */
export interface StreamSeries {
  readonly interval: KlineInterval;
  readonly pool: PoolId | null;
}

export interface StreamFilter extends StreamSeries, Pick<KlineView, 'currency' | 'outliers'> {
  readonly kinds: ReadonlySet<StreamKind>;
}

/** How klines are shown, as text. */
export function toViewKey({ interval, pool, currency, outliers }: Omit<StreamFilter, 'kinds'>) {
  return `${interval} ${pool ?? ''} ${currency} ${outliers}`;
}

/** Equal for all readers whose streams have the same bytes. */
export function toFilterKey(filter: StreamFilter): string {
  const { kinds, pool } = filter;
  const wanted = STREAM_KINDS.filter((kind) => kinds.has(kind)).join(',');
  if (kinds.has('kline')) return `${wanted} ${toViewKey(filter)}`;
  return kinds.has('trade') && pool !== null ? `${wanted} ${pool}` : wanted;
}

/** The klines that the filter needs. */
export function listSeries({ kinds, interval, pool }: StreamFilter): readonly StreamSeries[] {
  return kinds.has('kline') ? [{ interval, pool }] : [];
}

export function toSeriesKey({ interval, pool }: StreamSeries): string {
  return `${interval} ${pool ?? ''}`;
}
