// Reads the news since a point from the store, one page at a time: what a rollback removed of what
// the reader had seen, then what is new, each as it is at the commit of the page.

import type { Address, PoolId, WalletId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { NewsKind, NewsPosition, NewsRecord } from '../../model/news.ts';
import { buildAlertEvent } from '../alert-answers.ts';
import type { MarketChain, MarketParts } from '../market-parts.ts';
import { type ReadPool, readPoolAnswers } from '../pool-answers.ts';
import type { AnswerReader } from '../read-at.ts';
import { readSummaries, type SummaryRead } from '../token-summary.ts';
import type { EventData } from './encode-events.ts';
import { isWithinCommit, type NewsName, type NewsPoint, toNewsTip } from './news-point.ts';

/** An event with its data. */
export type NewsEvent = { [Kind in NewsKind]: { kind: Kind; data: EventData[Kind] } }[NewsKind];

export interface NewsItem {
  /** Where a reader is that has it. */
  readonly point: NewsPoint;
  readonly event: NewsEvent;
  /** Who is told; null for everybody. */
  readonly owner: WalletId | null;
}

/** An alert is told to its owner alone. */
export function findOwner(record: NewsRecord): WalletId | null {
  return record.kind === 'alert' ? record.firing.owner : null;
}

export interface NewsPage {
  readonly checkpoint: Checkpoint;
  /** Where the reader is once it knows what was removed. */
  readonly from: NewsPoint;
  /** What the reader had seen and is no longer true. */
  readonly removed: readonly NewsRecord[];
  readonly items: readonly NewsItem[];
  /** How many were read, including those that are not sent. */
  readonly readCount: number;
  readonly point: NewsPoint;
  readonly isLast: boolean;
}

export interface NewsRequest extends NewsName {
  readonly point: NewsPoint;
  /** Others are left out. */
  readonly kinds: ReadonlySet<string>;
  readonly limit: number;
}

interface NewsParts extends Pick<MarketParts, 'lists' | 'stats' | 'pauses'> {
  readonly market: MarketChain;
}

/** Limits the cost of resuming one reader; beyond it the reader starts over. */
const REMOVED_MAX = 20_000;

/** Commits are deleted as a whole, also while a reader is in the middle of one. */
function isForgotten(after: NewsPosition, upTo: number): boolean {
  return after.version < upTo || (after.version === upTo && isWithinCommit(after));
}

export async function readNews(
  reader: AnswerReader,
  parts: NewsParts,
  request: NewsRequest & { readonly checkpoint: Checkpoint | null },
): Promise<NewsPage | 'unknown' | 'expired'> {
  const { chain, point, limit, kinds, checkpoint } = request;
  const epoch = await reader.readEpoch(chain);
  if (checkpoint === null || epoch?.epoch !== request.epoch) return 'unknown';
  if (point.version > checkpoint.version) return 'unknown';
  if (isForgotten(point.after, epoch.newsForgottenVersion)) return 'expired';
  const removed = await reader.readRevertedNews(chain, {
    ...{ upTo: point.after, afterVersion: point.version, limit: REMOVED_MAX + 1 },
  });
  if (removed.length > REMOVED_MAX) return 'expired';
  const records = await reader.readNewsAfter(chain, { after: point.after, limit });
  const wanted = records.filter(({ kind }) => kinds.has(kind));
  const items = await readItems(reader, parts, { records: wanted, checkpoint });
  const last = records.at(-1);
  const isLast = last === undefined || records.length < limit;
  return {
    checkpoint,
    from: { ...point, version: checkpoint.version },
    removed: removed.filter(({ kind }) => kinds.has(kind)),
    items,
    readCount: records.length,
    point: isLast ? toNewsTip(checkpoint) : toPoint(last, checkpoint),
    isLast,
  };
}

function toPoint({ version, index, timestampMs }: NewsRecord, checkpoint: Checkpoint): NewsPoint {
  return { version: checkpoint.version, after: { version, index }, timeMs: timestampMs };
}

interface FoundNews {
  readonly market: MarketChain;
  readonly tokens: ReadonlyMap<Address, SummaryRead>;
  readonly pools: ReadonlyMap<PoolId, ReadPool>;
  readonly isPaused: (token: Address) => boolean;
}

async function readItems(
  reader: AnswerReader,
  parts: NewsParts,
  of: { readonly records: readonly NewsRecord[]; readonly checkpoint: Checkpoint },
): Promise<NewsItem[]> {
  const { market, stats, pauses } = parts;
  const { records, checkpoint } = of;
  if (records.length === 0) return [];
  const { slug: chain } = market;
  const shared = { checkpoint, directory: parts.lists.directory, stats };
  const tokens = records.flatMap((one) => (one.kind === 'token' ? one.token : []));
  const ids = records.flatMap((one) => ('pool' in one ? one.pool : []));
  const pools = await reader.readPools(chain, [...new Set(ids)]);
  const answers = await readPoolAnswers(reader, market, { ...shared, pools, base: null });
  const found: FoundNews = {
    market,
    tokens: await readSummaries(reader, market, { ...shared, tokens: [...new Set(tokens)] }),
    pools: new Map(answers.map((one) => [one.row.pool, one])),
    isPaused: (token) => pauses.isPaused(chain, token),
  };
  return records.flatMap((record) => {
    const event = buildEvent(record, found);
    return event === null
      ? []
      : [{ point: toPoint(record, checkpoint), event, owner: findOwner(record) }];
  });
}

/** Null for what is paused. */
function buildEvent(record: NewsRecord, found: FoundNews): NewsEvent | null {
  const { block, timestampMs: timestamp } = record;
  if (record.kind === 'alert') {
    const { slug: chain, addresses } = found.market;
    return { kind: 'alert', data: buildAlertEvent(record, { chain, addresses }) };
  }
  if (record.kind === 'token') {
    const summary = found.tokens.get(record.token)?.summary;
    if (summary === undefined || found.isPaused(record.token)) return null;
    return { kind: 'token', data: { ...summary, match: null, block, timestamp } };
  }
  const pool = found.pools.get(record.pool);
  if (pool === undefined) return null;
  const { answer, view } = pool;
  if (found.isPaused(view.base) || found.isPaused(view.quote)) return null;
  const { chain, address, venue } = answer;
  const { mint } = answer.base;
  if (record.kind === 'pool') {
    return { kind: 'pool', data: { ...answer, mint, block, timestamp } };
  }
  return { kind: record.kind, data: { chain, mint, pool: address, venue, block, timestamp } };
}
