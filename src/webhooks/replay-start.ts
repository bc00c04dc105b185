// Where the events of a webhook since a time begin.

import type { MarketParts } from '../market/market-parts.ts';
import { type StreamPoint, toBlockEnd } from '../market/stream/stream-point.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { WebhookCursor, WebhookPoint, WebhookSettings } from '../model/webhook.ts';
import { fromNewsPoint, fromTokenPoint, toNewsPoint, toTokenPoint } from './webhook-feed.ts';

interface ReplayWanted {
  readonly settings: Pick<WebhookSettings, 'tokens' | 'chains'>;
  readonly cursor: WebhookCursor;
  readonly timeMs: number;
}

const NEWS_PAGE = 1000;

/** A cursor is never moved forward: what was not sent yet comes in any case. */
export async function findReplayStart(
  { store }: Pick<MarketParts, 'store'>,
  { settings, cursor, timeMs }: ReplayWanted,
): Promise<WebhookCursor> {
  const tokens = Object.entries(cursor.tokens).map(async ([chain, point]) => {
    const of = settings.tokens.filter((one) => one.chain === chain);
    let start = toTokenPoint(point);
    for (const { token } of of) {
      const { trades } = await store.readTradePage(chain as ChainSlug, {
        ...{ token, pool: null, side: null, wallet: null, minUsd: null, after: null },
        range: { fromMs: timeMs, toMs: Number.MAX_SAFE_INTEGER },
        ...{ order: 'oldest', limit: 1 },
      });
      const [first] = trades;
      if (first !== undefined) start = pickFirst(start, first);
    }
    return [chain, fromTokenPoint(point.epoch, start)] as const;
  });
  const news = Object.entries(cursor.news).map(
    async ([chain, point]) =>
      [chain, await findNews(store, chain as ChainSlug, { point, timeMs })] as const,
  );
  return {
    tokens: Object.fromEntries(await Promise.all(tokens)),
    news: Object.fromEntries(await Promise.all(news)),
  };
}

function pickFirst(
  start: StreamPoint,
  trade: { readonly block: number; readonly timestampMs: number },
): StreamPoint {
  if (trade.block > start.position.block) return start;
  return { ...start, position: toBlockEnd({ ...trade, block: trade.block - 1 }) };
}

async function findNews(
  store: MarketParts['store'],
  chain: ChainSlug,
  { point, timeMs }: { readonly point: WebhookPoint; readonly timeMs: number },
): Promise<WebhookPoint> {
  const epoch = await store.readEpoch(chain);
  const known = toNewsPoint(point);
  let after = { version: epoch?.newsForgottenVersion ?? 0, index: 2 ** 31 - 1 };
  while (after.version <= known.after.version) {
    const records = await store.readNewsAfter(chain, { after, limit: NEWS_PAGE });
    const first = records.findIndex(({ timestampMs }) => timestampMs >= timeMs);
    const before = records[first - 1];
    if (first === 0) return fromNewsPoint(point.epoch, { ...known, after, timeMs });
    if (before !== undefined) {
      const { version, index, timestampMs } = before;
      return fromNewsPoint(point.epoch, {
        ...known,
        after: { version, index },
        timeMs: timestampMs,
      });
    }
    const last = records.at(-1);
    if (last === undefined || records.length < NEWS_PAGE) return point;
    after = { version: last.version, index: last.index };
  }
  return point;
}
