// Encodes pages of news as text of a stream.

import type { WalletId } from '../../model/ids.ts';
import type { NewsKind, NewsRecord } from '../../model/news.ts';
import { buildAlertEvent } from '../alert-answers.ts';
import { encodeEvent } from './encode-events.ts';
import { encodeNewsId, type NewsName, type NewsPoint } from './news-point.ts';
import { findOwner, type NewsEvent, type NewsItem, type NewsPage } from './read-news.ts';

interface EncodedNews {
  readonly kind: NewsKind;
  /** Who is told; null for everybody. */
  readonly owner: WalletId | null;
  readonly text: string;
}

/** What readers see of the news. */
interface NewsReaders {
  readonly kinds: ReadonlySet<string>;
  readonly owner: WalletId | null;
}

function encodeOne({ kind, data }: NewsEvent, id: string): string {
  // The switch keeps each event with its own data.
  switch (kind) {
    case 'pool':
      return encodeEvent(kind, data, id);
    case 'token':
      return encodeEvent(kind, data, id);
    case 'alert':
      return encodeEvent(kind, data, id);
    default:
      return encodeEvent(kind, data, id);
  }
}

function encodeItem({ point, event, owner }: NewsItem, name: NewsName): EncodedNews {
  return { kind: event.kind, owner, text: encodeOne(event, encodeNewsId(name, point)) };
}

/** Alerts are taken back one by one; the last event has the id. */
function encodeRemoved(removed: readonly NewsRecord[], name: NewsName, point: NewsPoint): string {
  const id = encodeNewsId(name, point);
  const alerts = removed.filter((one) => one.kind === 'alert');
  const texts = alerts.map((one, index) => {
    const isLast = index === alerts.length - 1;
    return encodeEvent('alert.reverted', buildAlertEvent(one, name), isLast ? id : undefined);
  });
  const others = removed.filter((one) => one.kind !== 'alert');
  if (others.length === 0) return texts.join('');
  const blocks = others.map(({ block }) => block);
  const { addresses, chain } = name;
  const news = others.map((one) => ({
    event: one.kind,
    address: addresses.toShown(one.kind === 'token' ? one.token : one.pool),
  }));
  const fromBlock = blocks.reduce((a, b) => Math.min(a, b));
  const toBlock = blocks.reduce((a, b) => Math.max(a, b));
  const data = { chain, fromBlock, toBlock, tradeIds: [], klines: [], news };
  return encodeEvent('revert', data, alerts.length === 0 ? id : undefined) + texts.join('');
}

function isFor({ kinds, owner }: NewsReaders, kind: NewsKind, whose: WalletId | null): boolean {
  return kinds.has(kind) && (whose === null || whose === owner);
}

/** The text for readers of some kinds; each item is encoded once for all of them. */
export function encodeNewsPage(page: NewsPage, name: NewsName): (readers: NewsReaders) => string {
  const items = page.items.map((item) => encodeItem(item, name));
  return (readers) => {
    const removed = page.removed.filter((one) => isFor(readers, one.kind, findOwner(one)));
    const wanted = items.filter(({ kind, owner }) => isFor(readers, kind, owner));
    return encodeRemoved(removed, name, page.from) + wanted.map(({ text }) => text).join('');
  };
}
