// Which of a token's events a reader wants.

import type { KlineInterval } from '../../model/market-record.ts';

export const STREAM_KINDS = ['trade', 'kline', 'price', 'holders'] as const;

export type StreamKind = (typeof STREAM_KINDS)[number];

export interface StreamFilter {
  readonly kinds: ReadonlySet<StreamKind>;
  readonly interval: KlineInterval;
}

/** The same for all whose streams have the same bytes. */
export function toFilterKey({ kinds, interval }: StreamFilter): string {
  const wanted = STREAM_KINDS.filter((kind) => kinds.has(kind)).join(',');
  return kinds.has('kline') ? `${wanted} ${interval}` : wanted;
}

/** The intervals whose klines must be known for it. */
export function toIntervals({ kinds, interval }: StreamFilter): readonly KlineInterval[] {
  return kinds.has('kline') ? [interval] : [];
}
