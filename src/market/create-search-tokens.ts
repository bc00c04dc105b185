// Answers GET /tokens/search.

import Type from 'typebox';
import {
  createOpenSerializer,
  createSerializer,
  type OpenText,
} from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import { createLookupCaller, lookUpToken } from '../contract/look-up-token.ts';
import { COSTS, type InputOf } from '../contract/operation.ts';
import { searchTokens } from '../contract/operations/search-tokens.ts';
import { buildNotReadyError, parseFollowedChain } from '../contract/parse-reference.ts';
import { warningsSchema } from '../contract/schemas/market-schemas.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint } from '../model/market-record.ts';
import { ALWAYS, type CommitCache, computeEtag } from './commit-cache.ts';
import {
  computeQueryMark,
  encodeSearchCursor,
  FOUND_MAX,
  hashSeen,
  parseSearchCursor,
} from './cursor.ts';
import type { TokenDirectory } from './lists/token-lists.ts';
import type { MarketParts } from './market-parts.ts';
import { readAt, serializeAsOf } from './read-at.ts';
import type { MatchKind } from './search/match-text.ts';
import { parseSearchQuery, type SearchQuery } from './search/search-query.ts';
import type { TokenSearch } from './token-search.ts';
import { findLookalike, type ListedDanger, listDangers, readSummaries } from './token-summary.ts';

interface SearchParts extends MarketParts {
  readonly search: TokenSearch;
  readonly summaries: CommitCache;
}

/** An answer is composed of parts, each serialised by its part of the declared schema. */
const { tokens: tokensSchema, nextCursor: cursorSchema } = searchTokens.output.properties;
const { match: matchSchema } = tokensSchema.items.properties;
const { warnings: _, ...summaryFields } = tokensSchema.items.properties;
const serializeSummary = createOpenSerializer(Type.Object(summaryFields), 'match', matchSchema);
const serializeWarnings = createSerializer(warningsSchema);
const serializeMatch = createSerializer(matchSchema);
const serializeCursor = createSerializer(cursorSchema);

interface TokenMatch {
  readonly chain: ChainSlug;
  readonly token: Address;
  readonly kind: MatchKind;
}

interface SearchRequest {
  readonly text: string;
  readonly query: SearchQuery;
  readonly chains: readonly ChainSlug[];
  readonly limit: number;
  readonly mark: string;
  readonly seen: Set<string>;
}

function parseRequest(parts: SearchParts, input: InputOf<typeof searchTokens>): SearchRequest {
  const chain = input.chain === undefined ? null : parseFollowedChain(parts.chains, input.chain);
  const query = parseSearchQuery(input.q);
  if (query === null) {
    throw buildInvalidInputError([{ path: 'q', message: 'must have a visible character' }]);
  }
  const mark = computeQueryMark(['search', query.text, chain]);
  return {
    text: input.q.trim(),
    query,
    chains: chain === null ? parts.chains.list() : [chain],
    limit: input.limit,
    mark,
    seen: input.cursor === undefined ? new Set() : parseSearchCursor(mark, input.cursor),
  };
}

/** The matches after those shown, in order: at most one more than the page size. */
function findMatches(parts: SearchParts, request: SearchRequest): readonly TokenMatch[] {
  const { chains, text, seen, limit } = request;
  const ofFormat = chains.flatMap((chain) => {
    const token = parts.chains.findAddresses(chain).parse(text);
    return token === null ? [] : [{ chain, token, kind: 'address' as const }];
  });
  if (ofFormat.length > 0) {
    return ofFormat
      .filter(({ chain, token }) => !parts.pauses.isPaused(chain, token))
      .filter(({ chain, token }) => !seen.has(hashSeen(chain, token)));
  }
  const found = parts.search.find(chains, request.query, {
    limit: Math.min(FOUND_MAX, seen.size + limit + 1),
    isHidden: (chain, token) => parts.pauses.isPaused(chain, token),
  });
  return found
    .filter(({ chain, token }) => !seen.has(hashSeen(chain, token)))
    .map(({ chain, token, kind }) => ({ chain, token, kind }));
}

/** What a match and its warnings are added to when it is sent. */
interface FoundSummary {
  readonly text: OpenText;
  /** For what is measured meanwhile. */
  readonly danger: ListedDanger;
  readonly checkpoint: Checkpoint;
  /** The token lists that it reflects. */
  readonly directory: TokenDirectory;
}

type Summaries = Map<string, FoundSummary>;

function toKey(chain: ChainSlug, token: Address): string {
  return `${chain} ${token}`;
}

/** The summaries of a chain's tokens as text: cached ones, and the rest from one read. */
async function addSummaries(
  parts: SearchParts,
  chain: ChainSlug,
  wanted: { readonly tokens: readonly Address[]; readonly texts: Summaries },
): Promise<Checkpoint | null> {
  const { texts } = wanted;
  const { directory } = parts.lists;
  const commits = parts.states.commits(chain);
  let latest = commits.last;
  const missing: Address[] = [];
  for (const token of wanted.tokens) {
    const key = toKey(chain, token);
    const kept = parts.summaries.find<FoundSummary>(key);
    if (kept?.directory !== directory) missing.push(token);
    else {
      texts.set(key, kept);
      if (kept.checkpoint.version > (latest?.version ?? 0)) latest = kept.checkpoint;
    }
  }
  const market = parts.chains.find(chain);
  if (missing.length === 0 || market === null) return latest;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) =>
    at === null
      ? null
      : readSummaries(reader, market, {
          ...{ tokens: missing, checkpoint: at, directory },
          stats: parts.stats,
        }),
  );
  if (value === null || checkpoint === null) return latest;
  for (const [token, { summary, span, topPool, token: row }] of value) {
    const text = serializeSummary(summary);
    const isLookalike = findLookalike(parts.lists, market, row) !== null;
    const found: FoundSummary = { text, danger: { topPool, isLookalike }, checkpoint, directory };
    const key = toKey(chain, token);
    texts.set(key, found);
    const made = { value: found, validity: { ...ALWAYS, ...span } };
    parts.summaries.keep(key, { commits, token }, made);
  }
  return checkpoint.version > (latest?.version ?? 0) ? checkpoint : latest;
}

function buildAnswer(
  tokens: readonly string[],
  nextCursor: string | null,
  asOf: ReadonlyMap<ChainSlug, Checkpoint>,
): ReadyAnswer {
  const text = `{"tokens":[${tokens.join(',')}],"nextCursor":${serializeCursor(nextCursor)}`;
  const states = Array.from(asOf, ([chain, at]) => `"${chain}":${serializeAsOf(at)}`);
  const bytes = Buffer.from(`${text},"asOf":{${states.join(',')}}}`);
  return { kind: 'ready', bytes, etag: computeEtag(text) };
}

/** Whether an address that no chain's index has was found on one of the chains. */
async function lookUpAddress(
  { lookups, chains }: SearchParts,
  page: readonly TokenMatch[],
  context: HandlerContext,
): Promise<boolean> {
  if (lookups === undefined) return false;
  const caller = createLookupCaller(context, COSTS.search);
  const settled = await Promise.allSettled(
    page.map(({ chain, token }) => {
      const mint = chains.findAddresses(chain).toShown(token);
      return lookUpToken(lookups, { chain, token, mint, isKnown: false }, caller);
    }),
  );
  if (settled.some((one) => one.status === 'fulfilled' && one.value)) return true;
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return false;
}

async function readPage(
  parts: SearchParts,
  chains: readonly ChainSlug[],
  page: readonly TokenMatch[],
): Promise<{ readonly texts: Summaries; readonly asOf: ReadonlyMap<ChainSlug, Checkpoint> }> {
  const texts: Summaries = new Map();
  const asOf = new Map<ChainSlug, Checkpoint>();
  for (const chain of chains) {
    const tokens = page.filter((match) => match.chain === chain).map(({ token }) => token);
    const at = await addSummaries(parts, chain, { tokens, texts });
    if (at !== null) asOf.set(chain, at);
  }
  return { texts, asOf };
}

async function search(
  parts: SearchParts,
  request: SearchRequest,
  context: HandlerContext,
): Promise<ReadyAnswer> {
  const { chains, limit, seen } = request;
  const matches = findMatches(parts, request);
  const page = matches.slice(0, limit);
  let { texts, asOf } = await readPage(parts, chains, page);
  const isUnknown = texts.size === 0 && page.some(({ kind }) => kind === 'address');
  if (isUnknown && (await lookUpAddress(parts, page, context))) {
    ({ texts, asOf } = await readPage(parts, chains, page));
  }
  for (const { chain, token } of page) seen.add(hashSeen(chain, token));
  const hasMore = matches.length > limit && seen.size < FOUND_MAX;
  return buildAnswer(
    page.flatMap(({ chain, token, kind }) => {
      const found = texts.get(toKey(chain, token));
      if (found === undefined) return [];
      const warnings = listDangers(parts.findSafety(chain), token, found.danger);
      const late = `"match":${serializeMatch(kind)},"warnings":${serializeWarnings(warnings)}`;
      return [`${found.text},${late}}`];
    }),
    hasMore ? encodeSearchCursor(request.mark, seen) : null,
    asOf,
  );
}

export function createSearchTokens(parts: SearchParts) {
  return (input: InputOf<typeof searchTokens>, context: HandlerContext): Promise<ReadyAnswer> => {
    const request = parseRequest(parts, input);
    const isReady = (chain: ChainSlug) =>
      parts.chains.find(chain) !== null && parts.search.isLoaded(chain);
    const chains = request.chains.filter(isReady);
    const [missing] = request.chains.filter((chain) => !isReady(chain));
    // One chain that is not ready must not hide the others; `asOf` names those that were searched.
    if (chains.length === 0 && missing !== undefined) throw buildNotReadyError(missing);
    return search(parts, { ...request, chains }, context);
  };
}
