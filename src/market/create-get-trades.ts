// Answers GET /token/trades.

import { buildTradeAnswer } from '../contract/build-trade-answer.ts';
import { createOpenSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getTrades } from '../contract/operations/get-trades.ts';
import { parseAddress } from '../contract/parse-reference.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import type { Checkpoint, TradeRecord } from '../model/market-record.ts';
import type { TradeQuery } from '../store/market-reads.ts';
import { ALWAYS, type MadeAnswer, toAnswerKey } from './commit-cache.ts';
import { readCoverage } from './coverage.ts';
import { computeQueryMark, encodeTradeCursor, parseTradeCursor } from './cursor.ts';
import type { MarketParts } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  chargeRows,
  checkLimit,
  createPrepare,
  parseDecimal,
  parsePoolFilter,
  parseTimeRange,
  parseToken,
  requirePool,
  requireReadable,
  type TokenReference,
  withLookup,
} from './parse-token.ts';
import { readAt } from './read-at.ts';

type TradesAnswer = OutputOf<typeof getTrades>;

const serializeOpen = createOpenSerializer(getTrades.output, 'asOf', asOfSchema);

interface TradePageRequest {
  readonly reference: TokenReference;
  readonly query: TradeQuery;
  readonly mark: string;
}

function parseRequest(parts: MarketParts, input: InputOf<typeof getTrades>): TradePageRequest {
  const reference = parseToken(parts, input);
  const { chain, token, addresses } = reference;
  const range = parseTimeRange(input);
  const wallet =
    input.wallet === undefined
      ? null
      : parseAddress(addresses, { chain, text: input.wallet, field: 'wallet' });
  const minUsd = input.minUsd === undefined ? null : parseDecimal(input.minUsd, 'minUsd');
  const side = input.side ?? null;
  const pool = parsePoolFilter(reference, input.pool);
  const mark = computeQueryMark([
    'trades',
    chain,
    token,
    range.fromMs,
    range.toMs,
    side,
    wallet,
    minUsd,
    pool,
  ]);
  const { limit } = input;
  return {
    reference,
    mark,
    query: {
      token,
      pool,
      range,
      order: 'newest',
      after: input.cursor === undefined ? null : parseTradeCursor(addresses, mark, input.cursor),
      side,
      wallet,
      minUsd,
      limit,
    },
  };
}

/** Each trade has its finality, so an answer is valid until its next trade becomes final. */
function findFinalizedBelow(trades: readonly TradeRecord[], checkpoint: Checkpoint): number {
  const open = trades.filter(({ block }) => block > checkpoint.finalizedBlock);
  return Math.min(Number.POSITIVE_INFINITY, ...open.map(({ block }) => block));
}

/** Excludes rows below the retention floor, of which some may not be deleted yet. */
export function toKeptQuery(query: TradeQuery, { tradesFromMs = 0 }: Checkpoint): TradeQuery {
  const { fromMs, toMs } = query.range;
  return { ...query, range: { fromMs: Math.max(fromMs, tradesFromMs), toMs } };
}

async function makeAnswer(parts: MarketParts, request: TradePageRequest): Promise<MadeAnswer> {
  const { reference, query, mark } = request;
  const { chain, addresses } = reference;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    const [token] = await reader.readTokens(chain, [reference.token]);
    if (token === undefined || at === null) return null;
    await requirePool(reader, reference, query.pool);
    const { trades, next } = await reader.readTradePage(chain, toKeptQuery(query, at));
    const quotes = new Set(trades.map(({ quoteToken }) => quoteToken));
    const tokens = new Map(
      [token, ...(await reader.readTokens(chain, [...quotes]))].map((row) => [row.token, row]),
    );
    const known = { tokens, finalizedBlock: at.finalizedBlock, addresses };
    const answer: Omit<TradesAnswer, 'asOf'> = {
      trades: trades.map((trade) => buildTradeAnswer(chain, trade, known)),
      nextCursor: next === null ? null : encodeTradeCursor(addresses, mark, next),
      coverage: await readCoverage(reader, chain, { token, checkpoint: at }),
    };
    return { answer, finalizedBelow: findFinalizedBelow(trades, at) };
  });
  if (value === null || checkpoint === null) throw buildTokenNotFoundError(reference);
  const validity = { ...ALWAYS, finalizedBelow: value.finalizedBelow };
  return { text: serializeOpen(value.answer), validity, checkpoint };
}

export function createGetTrades(parts: MarketParts) {
  const prepare = createPrepare((input: InputOf<typeof getTrades>) => {
    const request = parseRequest(parts, input);
    const { reference } = request;
    const query = `trades ${request.mark} ${input.limit} ${input.cursor ?? ''}`;
    return { request, reference, key: toAnswerKey(reference, query) };
  });
  return (
    input: InputOf<typeof getTrades>,
    context: HandlerContext,
  ): ReadyAnswer | Promise<ReadyAnswer> => {
    checkLimit(parts, { limit: input.limit, of: 'trades' }, context);
    const { request, reference, key } = prepare(input);
    requireReadable(parts, reference);
    const paid = chargeRows(input.limit, context);
    return withLookup(parts, { reference, context, paid }, () =>
      parts.cache.answer(key, () => makeAnswer(parts, request)),
    );
  };
}
