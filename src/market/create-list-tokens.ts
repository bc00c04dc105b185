// Answers GET /tokens.

import { createSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf } from '../contract/operation.ts';
import { listTokens } from '../contract/operations/list-tokens.ts';
import { parseFollowedChain } from '../contract/parse-reference.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Checkpoint } from '../model/market-record.ts';
import { computeCovered, readChainStart } from './coverage.ts';
import { computeQueryMark } from './cursor.ts';
import {
  buildListAnswer,
  type ListedRow,
  type ListParts,
  pickAt,
  pickReadyChains,
} from './list-answer.ts';
import { parseListCursor } from './list-cursor.ts';
import type { MarketChain } from './market-parts.ts';
import { parseDecimal } from './parse-token.ts';
import { type AnswerReader, readAt } from './read-at.ts';
import type { ChainStats } from './rolling-stats/chain-stats.ts';
import { type PackedDecimal, packDecimal, unpackDecimal } from './rolling-stats/packed-decimal.ts';
import { type ListQuery, type PickedToken, pickTokens } from './rolling-stats/pick-tokens.ts';
import { STATS_WINDOWS } from './rolling-stats/window-subject.ts';
import { findLookalike, listDangers, readSummaries } from './token-summary.ts';

type ListInput = InputOf<typeof listTokens>;

const serializeToken = createSerializer(listTokens.output.properties.tokens.items);

const SPARKLINE_POINTS = 48;
const SPARKLINE_STEP_MS = 1_800_000;

interface ListRequest {
  readonly input: ListInput;
  readonly chains: readonly ChainSlug[];
  readonly mark: string;
  /** What is the same for all chains. */
  readonly query: Omit<
    ListQuery,
    'chain' | 'seenFromMs' | 'startMs' | 'windowStartMs' | 'isHidden'
  >;
}

function parseAmount(input: ListInput, field: 'minLiquidityUsd' | 'minVolumeUsd') {
  const text = input[field];
  return text === undefined ? null : packDecimal(parseDecimal(text, field));
}

function parseRequest(parts: ListParts, input: ListInput): ListRequest {
  const given = input.chain?.map((name) => parseFollowedChain(parts.chains, name));
  const chains = [...new Set(given ?? parts.chains.list())].sort();
  const { limit, cursor, ...asked } = input;
  const mark = computeQueryMark(['tokens', JSON.stringify(asked, Object.keys(asked).sort())]);
  return {
    input,
    chains,
    mark,
    query: {
      sort: input.sort,
      window: STATS_WINDOWS.findIndex(({ name }) => name === input.window),
      minLiquidity: parseAmount(input, 'minLiquidityUsd'),
      minVolume: parseAmount(input, 'minVolumeUsd'),
      venue: input.venue ?? null,
      isVerified: input.verified ?? null,
      launchpad: input.launchpad ?? null,
      includes: new Set(input.include),
      after: cursor === undefined ? null : parseListCursor(mark, cursor, chains),
      // One more than the page shows whether there is a next one.
      limit: limit + 1,
    },
  };
}

type Sparklines = ReadonlyMap<string, readonly (PackedDecimal | null)[] | null>;

/** At the end of each half hour; the last one has not ended. */
function readSparklines(
  { tokens }: ChainStats,
  picked: readonly PickedToken[],
  headMs: number,
): Sparklines {
  const endMs = (Math.floor(headMs / SPARKLINE_STEP_MS) + 1) * SPARKLINE_STEP_MS;
  const times = Array.from({ length: SPARKLINE_POINTS }, (_, point) => {
    return endMs - (SPARKLINE_POINTS - 1 - point) * SPARKLINE_STEP_MS;
  });
  return new Map(picked.map(({ id }) => [id, tokens.readPricesBefore(id, times)]));
}

async function pick(
  parts: ListParts,
  request: ListRequest,
  of: { readonly chain: ChainSlug; readonly at: Checkpoint; readonly reader: AnswerReader },
) {
  const { chain, at } = of;
  const start = await readChainStart(of.reader, chain, at);
  const { maxAgeSeconds, window } = request.input;
  const lengthMs = STATS_WINDOWS.find(({ name }) => name === window)?.lengthMs ?? 0;
  const query: ListQuery = {
    ...request.query,
    chain,
    seenFromMs:
      maxAgeSeconds === undefined
        ? Number.NEGATIVE_INFINITY
        : at.timestampMs - maxAgeSeconds * 1000,
    windowStartMs: at.timestampMs - lengthMs,
    startMs: at.timestampMs - computeCovered(start, at.timestampMs),
    isHidden: (token) => parts.pauses.isPaused(chain, token),
  };
  return pickAt(parts, of, (stats, columns) => {
    const tokens = pickTokens(stats, columns, query);
    const hasSparkline = request.input.sparkline === '24h';
    const sparklines = hasSparkline ? readSparklines(stats, tokens, at.timestampMs) : null;
    return { tokens, sparklines };
  });
}

/** The first rows of a chain, as text. */
async function readRows(
  parts: ListParts,
  market: MarketChain,
  request: ListRequest,
): Promise<{ readonly rows: readonly ListedRow[]; readonly at: Checkpoint } | null> {
  const chain = market.slug;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    if (at === null) return null;
    const { tokens, sparklines } = await pick(parts, request, { chain, at, reader });
    const summaries = await readSummaries(reader, market, {
      tokens: tokens.map(({ id }) => id),
      ...{ checkpoint: at, directory: parts.lists.directory, stats: parts.stats },
    });
    return tokens.flatMap((picked): ListedRow[] => {
      const found = summaries.get(picked.id);
      if (found === undefined) return [];
      const { summary, windows, topPool, token } = found;
      const isLookalike = findLookalike(parts.lists, market, token) !== null;
      const danger = { topPool, isLookalike };
      const warnings = listDangers(parts.findSafety(chain), picked.id, danger);
      const row = { ...summary, match: null, windows, warnings };
      if (sparklines === null) return [{ position: picked, text: serializeToken(row) }];
      const sparkline = buildSparkline(sparklines.get(picked.id), summary.priceUsd);
      return [{ position: picked, text: serializeToken({ ...row, sparkline }) }];
    });
  });
  return value === null || checkpoint === null ? null : { rows: value, at: checkpoint };
}

/** A token that was not traded for longer than that has had its price all the time. */
function buildSparkline(
  prices: readonly (PackedDecimal | null)[] | null | undefined,
  priceUsd: string | null,
): (string | null)[] {
  if (prices == null) return new Array<string | null>(SPARKLINE_POINTS).fill(priceUsd);
  return prices.map((price) => (price === null ? null : unpackDecimal(price)));
}

export function createListTokens(parts: ListParts) {
  return (input: ListInput, _context: HandlerContext): Promise<ReadyAnswer> => {
    const request = parseRequest(parts, input);
    const { mark } = request;
    const isNamed = input.chain !== undefined;
    const chains = pickReadyChains(parts, request.chains, { isNamed });
    const { limit, cursor } = input;
    return parts.listCache.get(`${mark} ${limit} ${cursor ?? ''} ${chains}`, chains, () =>
      buildListAnswer(parts, {
        name: 'tokens',
        ...{ chains, mark, limit },
        readRows: (market) => readRows(parts, market, request),
      }),
    );
  };
}
