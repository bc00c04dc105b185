// The start of a stream of news: a snapshot of the chain, or the first page of what was missed.

import { buildNotReadyError } from '../../contract/parse-reference.ts';
import type { ChainSlug } from '../../model/chain.ts';
import { toAsOf } from '../as-of.ts';
import type { MarketChain } from '../market-parts.ts';
import { readAt } from '../read-at.ts';
import { encodeEvent, encodeReset } from './encode-events.ts';
import { encodeNewsPage } from './encode-news.ts';
import type { NewsFilter } from './news-channel.ts';
import { encodeNewsId, type NewsName, parseNewsId, toNewsTip } from './news-point.ts';
import type { NewsOpening } from './news-source.ts';
import type { OpenParts } from './open-stream.ts';
import { readNews } from './read-news.ts';

interface NewsStreamRequest {
  readonly chain: ChainSlug;
  readonly market: MarketChain;
  readonly filter: NewsFilter;
  readonly lastEventId: string | null;
}

export interface OpenedNews extends NewsOpening {
  readonly text: string;
  readonly name: NewsName;
}

async function readFresh(
  parts: OpenParts,
  { chain, market }: NewsStreamRequest,
): Promise<OpenedNews> {
  const { addresses } = market;
  const { value } = await readAt(parts, chain, async (reader, checkpoint) => {
    const epoch = (await reader.readEpoch(chain))?.epoch;
    if (checkpoint === null || epoch === undefined) return null;
    const name = { chain, addresses, epoch };
    const point = toNewsTip(checkpoint);
    const status = parts.hub.news.findStatus(chain);
    const data = { chain, ...status, asOf: toAsOf(checkpoint) };
    const text = encodeEvent('snapshot', data, encodeNewsId(name, point));
    return { text, name, point, page: null };
  });
  if (value === null) throw buildNotReadyError(chain);
  return value;
}

/** The first page of what the reader missed, or why it cannot resume. */
async function readResumed(
  parts: OpenParts,
  request: NewsStreamRequest,
): Promise<OpenedNews | 'unknown' | 'expired'> {
  const { chain, market, filter, lastEventId } = request;
  const { resumeMs, resumeEventsMax, pageEvents: limit } = parts.hub.limits;
  const epoch = (await parts.store.readEpoch(chain))?.epoch;
  if (epoch === undefined) return 'unknown';
  const name = { chain, addresses: market.addresses, epoch };
  const point = parseNewsId(name, lastEventId ?? '');
  if (point === null) return 'unknown';
  const { value } = await readAt(parts, chain, async (reader, checkpoint) => {
    if (checkpoint === null) return 'unknown';
    if (point.timeMs < checkpoint.timestampMs - resumeMs) return 'expired';
    const counted = { after: point.after, limit: resumeEventsMax + 1 };
    if ((await reader.countNewsAfter(chain, counted)) > resumeEventsMax) return 'expired';
    const wanted = { ...name, point, kinds: filter, limit, checkpoint };
    return readNews(reader, { ...parts, market }, wanted);
  });
  if (typeof value === 'string') return value;
  const { isLast, readCount } = value;
  const text = encodeNewsPage(value, name)(filter);
  return { text, name, point: value.point, page: { isLast, readCount } };
}

export async function openNews(parts: OpenParts, request: NewsStreamRequest): Promise<OpenedNews> {
  const { chain, filter, lastEventId } = request;
  if (lastEventId === null) return readFresh(parts, request);
  const key = `news ${chain} ${[...filter].sort().join()} ${lastEventId}`;
  const resumed = await parts.openings.get(key, [chain], async (discard) => {
    const made = await parts.openingGate.run(() => readResumed(parts, request));
    if (typeof made === 'string') discard();
    return made;
  });
  parts.hub.count(typeof resumed === 'string' ? 'reset' : 'resumed');
  if (typeof resumed !== 'string') return resumed;
  const fresh = await readFresh(parts, request);
  return { ...fresh, text: encodeReset(resumed) + fresh.text };
}
