// A page of a list over several chains, each read as of one commit.

import { createSerializer } from '../contract/create-serializer.ts';
import type { ReadyAnswer } from '../contract/handler.ts';
import { buildNotReadyError } from '../contract/parse-reference.ts';
import { nextCursor as cursorSchema } from '../contract/schemas/market-schemas.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Checkpoint } from '../model/market-record.ts';
import { type CommitCache, computeEtag } from './commit-cache.ts';
import { encodeListCursor } from './list-cursor.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import type { AnswerReader } from './read-at.ts';
import { serializeAsOf } from './read-at.ts';
import type { ChainColumns } from './rolling-stats/chain-columns.ts';
import type { ChainStats } from './rolling-stats/chain-stats.ts';
import { isInSnapshot, StatsPassedError } from './rolling-stats/chain-stats.ts';
import type { MarketColumns } from './rolling-stats/market-columns.ts';
import { compareListed, type ListPosition } from './rolling-stats/top-rows.ts';

const serializeCursor = createSerializer(cursorSchema);

export interface ListParts extends MarketParts {
  readonly columns: MarketColumns;
  readonly listCache: CommitCache;
  /** Of single pools, which are small and many. */
  readonly poolCache: CommitCache;
}

/** A row of a list, as text. */
export interface ListedRow {
  readonly position: ListPosition;
  readonly text: string;
}

interface ChainRows {
  readonly rows: readonly ListedRow[];
  readonly at: Checkpoint;
}

interface ListPage {
  /** The member of the answer that has the rows. */
  readonly name: 'tokens' | 'pools';
  readonly chains: readonly ChainSlug[];
  /** Of the query, for its cursors. */
  readonly mark: string;
  readonly limit: number;
  /** One more than `limit` rows shows that there is a next page. Null before the first commit. */
  readonly readRows: (market: MarketChain) => Promise<ChainRows | null>;
}

export async function buildListAnswer(parts: ListParts, page: ListPage): Promise<ReadyAnswer> {
  let rows: ListedRow[] = [];
  const asOf: string[] = [];
  for (const chain of page.chains) {
    const market = parts.chains.find(chain);
    const read = market && (await page.readRows(market));
    if (!read) throw buildNotReadyError(chain);
    asOf.push(`"${chain}":${serializeAsOf(read.at)}`);
    rows = [...rows, ...read.rows]
      .sort((a, b) => compareListed(a.position, b.position))
      .slice(0, page.limit + 1);
  }
  const shown = rows.slice(0, page.limit);
  const last = rows.length > shown.length ? shown.at(-1) : undefined;
  const nextCursor = last === undefined ? null : encodeListCursor(page.mark, last.position);
  const texts = shown.map(({ text }) => text).join(',');
  const text = `{"${page.name}":[${texts}],"nextCursor":${serializeCursor(nextCursor)}`;
  const bytes = Buffer.from(`${text},"asOf":{${asOf.join(',')}}}`);
  return { kind: 'ready', bytes, etag: computeEtag(text) };
}

/**
 * The chains that can be read. One that cannot must not hide the others, unless the client named
 * it; `asOf` says which ones were listed.
 */
export function pickReadyChains(
  parts: ListParts,
  chains: readonly ChainSlug[],
  { isNamed }: { readonly isNamed: boolean },
): readonly ChainSlug[] {
  const ready = chains.filter(
    (chain) => parts.chains.find(chain) !== null && parts.states.current(chain) !== null,
  );
  const missing = chains.find((chain) => !ready.includes(chain));
  if (missing !== undefined && (isNamed || ready.length === 0)) throw buildNotReadyError(missing);
  return ready;
}

/** Runs `pick` while rolling stats and columns both are those of a commit. */
export async function pickAt<T>(
  parts: ListParts,
  of: { readonly chain: ChainSlug; readonly at: Checkpoint; readonly reader: AnswerReader },
  pick: (stats: ChainStats, columns: ChainColumns) => T,
): Promise<T> {
  const { chain } = of;
  const at = { version: of.at.version, isInSnapshot: isInSnapshot(of.reader) };
  await parts.columns.read(chain, at, () => undefined);
  const picked = await parts.stats.read(chain, at, (stats) => {
    const columns = parts.columns.findAt(chain, at.version);
    return columns && { value: pick(stats, columns) };
  });
  if (picked === null) throw new StatsPassedError('The lists are past it');
  return picked.value;
}
