// Answers GET /token.

import { listMarketViews } from '../chains/quote-rule.ts';
import { createOpenSerializer } from '../contract/create-open-serializer.ts';
import type { HandlerContext } from '../contract/handler.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getToken } from '../contract/operations/get-token.ts';
import type { ReadyAnswer } from '../contract/ready-answer.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { CandleRecord } from '../model/market-record.ts';
import type { PoolRecord } from '../model/pool.ts';
import { ALWAYS, type MadeAnswer, toAnswerKey } from './answer-cache.ts';
import { toUsdText } from './board/token-columns.ts';
import { readCoverage } from './coverage.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  parseToken,
  requireReadable,
  type TokenReference,
} from './parse-token.ts';
import { createPrepare } from './prepare.ts';
import { type AnswerReader, readAt } from './read-at.ts';
import { readSummaries } from './token-summary.ts';
import { withLookup } from './with-lookup.ts';

type TokenAnswer = OutputOf<typeof getToken>;

const serializeOpen = createOpenSerializer(getToken.output, 'asOf', asOfSchema);

const POOLS_SHOWN_MAX = 50;

function toSeriesKey(token: Address, pool: PoolId | ''): string {
  return `${token} ${pool}`;
}

/** The pools with the last price in each. */
async function readPools(
  reader: AnswerReader,
  market: MarketChain,
  token: Address,
): Promise<TokenAnswer['pools']> {
  const top = await reader.readTopPools(market.slug, [token], POOLS_SHOWN_MAX);
  const rows = top.get(token) ?? [];
  market.noteIncomplete(rows.filter(({ complete }) => !complete).map(({ pool }) => pool));
  const views = rows.flatMap((pool) => {
    const of = listMarketViews(market.assets, pool);
    // Between two tokens of equal rank, the requested one is priced.
    const view = of.find(({ base }) => base === token) ?? of[0];
    return view === undefined ? [] : [{ pool, view }];
  });
  const series = views.map(({ pool, view }) => ({
    token: view.base,
    pool: pool.pool,
    interval: '1d' as const,
    beforeMs: Number.MAX_SAFE_INTEGER,
  }));
  const last = new Map<string, CandleRecord>();
  for (const candle of await reader.readCandlesBefore(market.slug, series, 1)) {
    last.set(toSeriesKey(candle.token, candle.pool ?? ''), candle);
  }
  return views.map(({ pool, view }) => {
    const candle = last.get(toSeriesKey(view.base, pool.pool));
    return buildPoolAnswer(
      market,
      { pool, view },
      (candle?.nativeClean ?? candle?.native)?.close ?? null,
    );
  });
}

function buildPoolAnswer(
  { addresses }: MarketChain,
  of: {
    readonly pool: PoolRecord;
    readonly view: { readonly base: Address; readonly quote: Address };
  },
  priceNative: string | null,
): TokenAnswer['pools'][number] {
  const { pool, view } = of;
  return {
    address: addresses.toShown(pool.pool),
    venue: pool.venue,
    feePips: pool.feePips,
    base: addresses.toShown(view.base),
    quote: addresses.toShown(view.quote),
    liquidityUsd: toUsdText(pool.liquidityUsdE18),
    priceNative,
  };
}

async function makeAnswer(
  parts: MarketParts,
  market: MarketChain,
  reference: TokenReference,
): Promise<MadeAnswer> {
  const { chain, token } = reference;
  const { value, checkpoint } = await readAt(parts.store, chain, async (reader, at) => {
    if (at === null) return null;
    const { directory } = parts.lists;
    const wanted = { tokens: [token], checkpoint: at, directory, board: parts.board };
    const summaries = await readSummaries(reader, market, wanted);
    const found = summaries.get(token);
    if (found === undefined) return null;
    // A chain that is indexed from its beginning has no older pools.
    if (at.startBlock > 1) parts.lookups?.noteKnown(chain, token);
    const pools = await readPools(reader, market, token);
    const coverage = await readCoverage(reader, chain, { token: found.token, checkpoint: at });
    if (at.startBlock > 1 && coverage.backfill === null) market.requestHistory(token);
    const answer: Omit<TokenAnswer, 'asOf'> = {
      ...found.summary,
      match: null,
      windows: found.windows,
      totalSupplyRaw: found.token.supplyRaw?.toString() ?? null,
      pools,
      status: 'active',
      coverage,
    };
    return { answer, span: found.span };
  });
  if (value === null || checkpoint === null) throw buildTokenNotFoundError(reference);
  const validity = { ...ALWAYS, ...value.span };
  return { text: serializeOpen(value.answer), validity, checkpoint };
}

export function createGetToken(parts: MarketParts) {
  const prepare = createPrepare((input: InputOf<typeof getToken>) => {
    const reference = parseToken(parts, input);
    return { reference, key: toAnswerKey(reference, 'token') };
  });
  return (
    input: InputOf<typeof getToken>,
    context: HandlerContext,
  ): ReadyAnswer | Promise<ReadyAnswer> => {
    const { reference, key } = prepare(input);
    const market = requireReadable(parts, reference);
    return withLookup(parts, { reference, context }, () =>
      parts.cache.answer(key, () => makeAnswer(parts, market, reference)),
    );
  };
}
