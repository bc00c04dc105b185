// Which events of a token a reader wants.

import type { KlineInterval } from '../../model/market-record.ts';

export const STREAM_KINDS = ['trade', 'kline', 'price', 'holders', 'coverage'] as const;

export type StreamKind = (typeof STREAM_KINDS)[number];

export interface StreamFilter {
  readonly kinds: ReadonlySet<StreamKind>;
  readonly interval: KlineInterval;
}

/** Equal for all readers whose streams have the same bytes. */
export function toFilterKey({ kinds, interval }: StreamFilter): string {
  const wanted = STREAM_KINDS.filter((kind) => kinds.has(kind)).join(',');
  return kinds.has('kline') ? `${wanted} ${interval}` : wanted;
}

/** The intervals whose klines the filter needs. */
export function listIntervals({ kinds, interval }: StreamFilter): readonly KlineInterval[] {
  return kinds.has('kline') ? [interval] : [];
}
