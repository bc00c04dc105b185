// The ids of streams ↔ the cursors of webhooks.

import type { MarketChains } from '../market/market-parts.ts';
import { parseNewsId } from '../market/stream/news-point.ts';
import {
  comparePositions,
  encodeEventId,
  parseEventId,
  type StreamPoint,
} from '../market/stream/stream-point.ts';
import { createSet, encodeSetId, parseSetId, type StreamSet } from '../market/stream/stream-set.ts';
import type { WebhookCursor, WebhookSettings } from '../model/webhook.ts';
import { fromNewsPoint, fromTokenPoint, toTokenPoint } from './webhook-feed.ts';

function buildSet(
  chains: MarketChains,
  { tokens }: Pick<WebhookSettings, 'tokens'>,
  cursor: WebhookCursor,
): StreamSet {
  return createSet(
    tokens.map(({ chain, token }) => ({
      ...{ chain, token, addresses: chains.findAddresses(chain) },
      epoch: cursor.tokens[chain]?.epoch ?? '',
    })),
  );
}

/** The id that resumes a stream of the webhook's tokens; null without tokens. */
export function encodeCursorId(
  chains: MarketChains,
  settings: Pick<WebhookSettings, 'tokens'>,
  cursor: WebhookCursor,
): string | null {
  const set = buildSet(chains, settings, cursor);
  const points = set.names.flatMap(({ chain }) => {
    const point = cursor.tokens[chain];
    return point === undefined ? [] : [toTokenPoint(point)];
  });
  const [only] = set.names;
  const [first] = points;
  if (only === undefined || first === undefined || points.length < set.names.length) return null;
  return set.names.length === 1 ? encodeEventId(only, first) : encodeSetId(set, points);
}

function isBefore(a: StreamPoint, b: StreamPoint): boolean {
  return a.version < b.version || comparePositions(a.position, b.position) < 0;
}

/** The cursor moved to an id of one of its streams; null for another id. */
export function parseCursorId(
  chains: MarketChains,
  settings: Pick<WebhookSettings, 'tokens' | 'chains'>,
  { cursor, text }: { readonly cursor: WebhookCursor; readonly text: string },
): WebhookCursor | null {
  for (const chain of settings.chains) {
    const epoch = cursor.news[chain]?.epoch;
    if (epoch === undefined) continue;
    const point = parseNewsId({ chain, epoch, addresses: chains.findAddresses(chain) }, text);
    if (point === null) continue;
    return { ...cursor, news: { ...cursor.news, [chain]: fromNewsPoint(epoch, point) } };
  }
  const set = buildSet(chains, settings, cursor);
  const [only] = set.names;
  if (only === undefined) return null;
  const single = set.names.length === 1 ? parseEventId(only, text) : null;
  const points = set.names.length === 1 ? single && [single] : parseSetId(set, text);
  if (points === null) return null;
  const byChain = new Map<string, StreamPoint>();
  // A stream may be at another place for each token; the first of them misses nothing.
  for (const [index, point] of points.entries()) {
    const chain = set.names[index]?.chain ?? '';
    const known = byChain.get(chain);
    if (known === undefined || isBefore(point, known)) byChain.set(chain, point);
  }
  const moved = Array.from(byChain, ([chain, point]) => [
    chain,
    fromTokenPoint(cursor.tokens[chain]?.epoch ?? '', point),
  ]);
  return { ...cursor, tokens: Object.fromEntries(moved) };
}
