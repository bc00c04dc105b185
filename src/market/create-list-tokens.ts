// Answers GET /tokens.

import { createSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext } from '../contract/handler.ts';
import type { InputOf } from '../contract/operation.ts';
import { listTokens } from '../contract/operations/list-tokens.ts';
import { buildNotReadyError, parseFollowedChain } from '../contract/parse-reference.ts';
import type { ReadyAnswer } from '../contract/ready-answer.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Checkpoint } from '../model/market-record.ts';
import { computeEtag } from './answer-cache.ts';
import { serializeAsOf } from './as-of.ts';
import { BoardPassedError } from './board/board-passed.ts';
import type { ChainBoard } from './board/chain-board.ts';
import { compareListed } from './board/list-position.ts';
import type { MarketColumns } from './board/market-columns.ts';
import { type PackedDecimal, packDecimal, unpackDecimal } from './board/packed-decimal.ts';
import { type ListQuery, type PickedToken, pickTokens } from './board/pick-tokens.ts';
import { BOARD_WINDOWS } from './board/window-subject.ts';
import { computeCovered, readChainStart } from './coverage.ts';
import { computeQueryMark } from './cursor.ts';
import type { ListCache } from './list-cache.ts';
import { encodeListCursor, parseListCursor } from './list-cursor.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import { parseDecimal } from './parse-decimal.ts';
import { type AnswerReader, readAt } from './read-at.ts';
import { readSummaries } from './token-summary.ts';

interface ListParts extends MarketParts {
  readonly columns: MarketColumns;
  readonly listCache: ListCache;
}

type ListInput = InputOf<typeof listTokens>;

const { tokens: tokensSchema, nextCursor: cursorSchema } = listTokens.output.properties;
const serializeToken = createSerializer(tokensSchema.items);
const serializeCursor = createSerializer(cursorSchema);

const SPARKLINE_POINTS = 48;
const SPARKLINE_STEP_MS = 1_800_000;

interface ListRequest {
  readonly input: ListInput;
  readonly chains: readonly ChainSlug[];
  readonly mark: string;
  /** What is the same for all chains. */
  readonly query: Omit<ListQuery, 'chain' | 'seenFromMs' | 'isCovered' | 'isHidden'>;
}

function parseAmount(input: ListInput, field: 'minLiquidityUsd' | 'minVolumeUsd') {
  const text = input[field];
  return text === undefined ? null : packDecimal(parseDecimal(text, field));
}

function parseRequest(parts: ListParts, input: ListInput): ListRequest {
  const followed = parts.chains.list();
  const given = input.chain?.map((name) => parseFollowedChain(followed, name));
  const chains = [...new Set(given ?? followed)].sort();
  const { limit, cursor, ...asked } = input;
  const mark = computeQueryMark(['tokens', JSON.stringify(asked, Object.keys(asked).sort())]);
  return {
    input,
    chains,
    mark,
    query: {
      sort: input.sort,
      window: BOARD_WINDOWS.findIndex(({ name }) => name === input.window),
      minLiquidity: parseAmount(input, 'minLiquidityUsd'),
      minVolume: parseAmount(input, 'minVolumeUsd'),
      venue: input.venue ?? null,
      isVerified: input.verified ?? null,
      includes: new Set(input.include),
      after: cursor === undefined ? null : parseListCursor(mark, cursor, chains),
      // One more than the page shows whether there is a next one.
      limit: limit + 1,
    },
  };
}

type Sparklines = ReadonlyMap<string, readonly (PackedDecimal | null)[] | null>;

/** At the end of each half hour. */
function readSparklines(
  { tokens }: ChainBoard,
  picked: readonly PickedToken[],
  headMs: number,
): Sparklines {
  const times = Array.from({ length: SPARKLINE_POINTS }, (_, point) => {
    return headMs - (SPARKLINE_POINTS - 1 - point) * SPARKLINE_STEP_MS;
  });
  return new Map(picked.map(({ id }) => [id, tokens.readPricesAt(id, times)]));
}

async function pick(
  parts: ListParts,
  request: ListRequest,
  of: { readonly chain: ChainSlug; readonly at: Checkpoint; readonly reader: AnswerReader },
) {
  const { chain, at } = of;
  const coveredMs = computeCovered(await readChainStart(of.reader, chain, at), at.timestampMs);
  const { maxAgeSeconds, window } = request.input;
  const lengthMs = BOARD_WINDOWS.find(({ name }) => name === window)?.lengthMs ?? 0;
  const query: ListQuery = {
    ...request.query,
    chain,
    seenFromMs:
      maxAgeSeconds === undefined
        ? Number.NEGATIVE_INFINITY
        : at.timestampMs - maxAgeSeconds * 1000,
    isCovered: lengthMs <= coveredMs,
    isHidden: (token) => parts.pauses.isPaused(chain, token),
  };
  await parts.columns.wait(chain, at.version);
  const picked = await parts.board.read(chain, at.version, (board) => {
    const columns = parts.columns.find(chain, at.version);
    if (columns === null) return null;
    const tokens = pickTokens(board, columns, query);
    const hasSparkline = request.input.sparkline === '24h';
    const sparklines = hasSparkline ? readSparklines(board, tokens, at.timestampMs) : null;
    return { tokens, sparklines };
  });
  if (picked === null) throw new BoardPassedError('The lists are past it');
  return picked;
}

interface ListedRow {
  readonly picked: PickedToken;
  readonly text: string;
}

/** The first rows of a chain, as text. */
async function readRows(
  parts: ListParts,
  market: MarketChain,
  request: ListRequest,
): Promise<{ readonly rows: readonly ListedRow[]; readonly at: Checkpoint } | null> {
  const chain = market.slug;
  const { value, checkpoint } = await readAt(parts.store, chain, async (reader, at) => {
    if (at === null) return null;
    const { tokens, sparklines } = await pick(parts, request, { chain, at, reader });
    const summaries = await readSummaries(reader, market, {
      tokens: tokens.map(({ id }) => id),
      ...{ checkpoint: at, directory: parts.lists.directory, board: parts.board },
    });
    return tokens.flatMap((picked): ListedRow[] => {
      const found = summaries.get(picked.id);
      if (found === undefined) return [];
      const { summary, windows } = found;
      const sparkline = sparklines && buildSparkline(sparklines.get(picked.id), summary.priceUsd);
      return [{ picked, text: serializeToken({ ...summary, windows, sparkline }) }];
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

async function makeAnswer(parts: ListParts, request: ListRequest): Promise<ReadyAnswer> {
  let rows: ListedRow[] = [];
  const asOf: string[] = [];
  for (const chain of request.chains) {
    const market = parts.chains.find(chain);
    const read = market && (await readRows(parts, market, request));
    if (!read) throw buildNotReadyError(chain);
    asOf.push(`"${chain}":${serializeAsOf(read.at)}`);
    rows = [...rows, ...read.rows]
      .sort((a, b) => compareListed(a.picked, b.picked))
      .slice(0, request.query.limit);
  }
  const page = rows.slice(0, request.input.limit);
  const last = rows.length > page.length ? page.at(-1) : undefined;
  const nextCursor = last === undefined ? null : encodeListCursor(request.mark, last.picked);
  const tokens = page.map(({ text }) => text).join(',');
  const text = `{"tokens":[${tokens}],"nextCursor":${serializeCursor(nextCursor)}`;
  const bytes = Buffer.from(`${text},"asOf":{${asOf.join(',')}}}`);
  return { kind: 'ready', bytes, etag: computeEtag(text) };
}

export function createListTokens(parts: ListParts) {
  return (input: ListInput, _context: HandlerContext): Promise<ReadyAnswer> => {
    const request = parseRequest(parts, input);
    for (const chain of request.chains) {
      if (parts.chains.find(chain) === null || parts.states.current(chain) === null) {
        throw buildNotReadyError(chain);
      }
    }
    const { limit, cursor } = input;
    const key = `${request.mark} ${limit} ${cursor ?? ''}`;
    return parts.listCache.answer(key, request.chains, () => makeAnswer(parts, request));
  };
}
