// Encodes pages of news as text of a stream.

import type { NewsKind, NewsRecord } from '../../model/news.ts';
import { encodeEvent } from './encode-events.ts';
import { encodeNewsId, type NewsName, type NewsPoint } from './news-point.ts';
import type { NewsEvent, NewsItem, NewsPage } from './read-news.ts';

interface EncodedNews {
  readonly kind: NewsKind;
  readonly text: string;
}

function encodeOne({ kind, data }: NewsEvent, id: string): string {
  // The switch keeps each event with its own data.
  switch (kind) {
    case 'pool':
      return encodeEvent(kind, data, id);
    case 'token':
      return encodeEvent(kind, data, id);
    default:
      return encodeEvent(kind, data, id);
  }
}

function encodeItem({ point, event }: NewsItem, name: NewsName): EncodedNews {
  return { kind: event.kind, text: encodeOne(event, encodeNewsId(name, point)) };
}

function encodeRemoved(removed: readonly NewsRecord[], name: NewsName, point: NewsPoint): string {
  if (removed.length === 0) return '';
  const blocks = removed.map(({ block }) => block);
  const { addresses, chain } = name;
  const news = removed.map((one) => ({
    event: one.kind,
    address: addresses.toShown(one.kind === 'token' ? one.token : one.pool),
  }));
  const fromBlock = blocks.reduce((a, b) => Math.min(a, b));
  const toBlock = blocks.reduce((a, b) => Math.max(a, b));
  const data = { chain, fromBlock, toBlock, tradeIds: [], klines: [], news };
  return encodeEvent('revert', data, encodeNewsId(name, point));
}

/** The text for readers of some kinds; each item is encoded once for all of them. */
export function encodeNewsPage(
  page: NewsPage,
  name: NewsName,
): (kinds: ReadonlySet<string>) => string {
  const items = page.items.map((item) => encodeItem(item, name));
  return (kinds) => {
    const removed = page.removed.filter(({ kind }) => kinds.has(kind));
    const wanted = items.filter(({ kind }) => kinds.has(kind));
    return encodeRemoved(removed, name, page.from) + wanted.map(({ text }) => text).join('');
  };
}
