// Answers GET /token/klines.

import type { Candle } from '../candles/derive-klines.ts';
import { computeNextOpenTime, computeOpenTime } from '../candles/interval.ts';
import { findQuoteCurrency, listMarketViews, type PricingAssets } from '../chains/quote-rule.ts';
import { createOpenSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getKlines } from '../contract/operations/get-klines.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import { pow10, ratioToText, toUnits } from '../lib/decimal.ts';
import type { PoolId } from '../model/ids.ts';
import type { Checkpoint, KeptFrom, TokenRecord, TradeRecord } from '../model/market-record.ts';
import type { TimeRange } from '../store/market-reads.ts';
import { ALWAYS, type MadeAnswer, toAnswerKey, type Validity } from './commit-cache.ts';
import { readCoverage, toKlinesKeptFrom } from './coverage.ts';
import { buildKlineRows, fillRows, type KlineRow, type KlineView, pickOhlc } from './kline-rows.ts';
import type { MarketParts } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  chargeRows,
  checkLimit,
  createPrepare,
  parsePoolFilter,
  parseTimeRange,
  parseToken,
  requirePool,
  requireReadable,
  type TokenReference,
  withLookup,
} from './parse-token.ts';
import { type AnswerReader, readAt } from './read-at.ts';
import { CandleReader, type RepriceTrade } from './read-candles.ts';

type KlinesInput = InputOf<typeof getKlines>;
type KlinesAnswer = OutputOf<typeof getKlines>;

const serializeOpen = createOpenSerializer(getKlines.output, 'asOf', asOfSchema);

interface KlineRequest {
  readonly input: KlinesInput;
  readonly reference: TokenReference;
  readonly pool: PoolId | null;
  readonly range: TimeRange;
  readonly assets: PricingAssets;
}

/** Limits the request to times with stored candles; none opens after the chain's own time. */
function clampRange(request: KlineRequest, lastMs: number, kept: KeptFrom) {
  const { interval } = request.input;
  const { toMs } = request.range;
  const fromMs = Math.max(request.range.fromMs, toKlinesKeptFrom(interval, kept));
  const open = computeOpenTime(interval, Math.min(fromMs, lastMs + 1));
  const firstMs = open < fromMs ? computeNextOpenTime(interval, open) : open;
  return { firstMs, lastMs: computeOpenTime(interval, Math.min(toMs - 1, lastMs)) };
}

/** The open time of the first of `limit` intervals that end with the one at `lastMs`. */
function findFirstOpenTime(request: KlineRequest, lastMs: number): number {
  const { interval, limit } = request.input;
  let open = lastMs;
  for (let count = 1; count < limit && open > 0; count += 1)
    open = computeOpenTime(interval, open - 1);
  return Math.max(0, open);
}

async function readFilled(
  candles: CandleReader,
  request: KlineRequest,
  view: KlineView,
  open: { readonly firstMs: number; readonly lastMs: number },
): Promise<KlineRow[]> {
  const { interval, limit } = request.input;
  const isOldestFirst = isOldest(request.input);
  let fromMs = isOldestFirst
    ? open.firstMs
    : Math.max(open.firstMs, findFirstOpenTime(request, open.lastMs));
  const toMs = computeNextOpenTime(interval, open.lastMs);
  if (fromMs >= toMs) return [];
  const pick = (candle: Candle) => pickOhlc(candle, view)?.close ?? null;
  const price = await candles.readPriceBefore(fromMs, pick);
  const end = isOldestFirst ? 'first' : 'last';
  const found = await candles.readCarried({ fromMs, toMs, end, limit });
  // Before the first trade there is no price to fill with.
  if (price === null) fromMs = found[0]?.openTimeMs ?? toMs;
  return fillRows(found, view, { fromMs, lastMs: open.lastMs, limit, price });
}

/** With only a start time the oldest come first; otherwise the newest. */
function isOldest(input: KlinesInput): boolean {
  return input.startTime !== undefined && input.endTime === undefined;
}

interface KlinePricing {
  /** In which candles have the prices that are asked for. */
  readonly currency: KlineView['currency'];
  /** Gives trades those prices, where stored candles lack them. */
  readonly reprice?: RepriceTrade;
}

/** Between two tokens of equal rank no candle is in either: they are folded from trades. */
async function findPricing(
  reader: AnswerReader,
  { input, reference, pool, assets }: KlineRequest,
  base: TokenRecord,
): Promise<KlinePricing> {
  const { currency } = input;
  if (currency !== 'quote') return { currency };
  const stored = pool === null ? [] : await reader.readPools(reference.chain, [pool]);
  const views = stored.flatMap((row) => listMarketViews(assets, row));
  const view = views.find((one) => one.base === reference.token);
  // Its trades in this pool are those of the other token.
  if (view === undefined) return { currency: 'usd' };
  const known = findQuoteCurrency(view);
  if (known !== null) return { currency: known };
  const [quote] = await reader.readTokens(reference.chain, [view.quote]);
  const decimals = { base: base.decimals, quote: quote?.decimals ?? null };
  return { currency: 'native', reprice: (trade) => priceInQuote(trade, decimals) };
}

/** With the quote token in the place of the native coin. */
function priceInQuote(
  trade: TradeRecord,
  { base, quote }: { readonly base: number | null; readonly quote: number | null },
): TradeRecord {
  const { amountRaw, quoteAmountRaw } = trade;
  if (base === null || quote === null || amountRaw === 0n || quoteAmountRaw === 0n) {
    return { ...trade, priceNative: null, valueNative: null };
  }
  const priceNative = ratioToText({
    numerator: quoteAmountRaw * pow10(base),
    denominator: amountRaw * pow10(quote),
  });
  return { ...trade, priceNative, valueNative: toUnits(quoteAmountRaw, quote) };
}

async function readRows(
  reader: AnswerReader,
  request: KlineRequest,
  known: { readonly token: TokenRecord; readonly at: Checkpoint },
): Promise<KlineRow[]> {
  const { input, reference, pool } = request;
  const { interval, outliers, limit } = input;
  const { token, at } = known;
  const chainMs = at.timestampMs;
  const { currency, reprice } = await findPricing(reader, request, token);
  const view: KlineView = { interval, currency, outliers, decimals: token.decimals, chainMs };
  const open = clampRange(request, Math.max(chainMs, token.lastTradeAtMs ?? 0), at);
  const candles = new CandleReader(
    reader,
    reference.chain,
    { token: reference.token, pool, interval },
    at,
    reprice,
  );
  if (input.fill === 'previous') return readFilled(candles, request, view, open);
  const toMs = computeNextOpenTime(interval, open.lastMs);
  if (open.firstMs >= toMs) return [];
  const end = isOldest(input) ? 'first' : 'last';
  const found = await candles.readCarried({ fromMs: open.firstMs, toMs, end, limit });
  return buildKlineRows(found, view);
}

/** Which rows are closed and filled depends on the chain's time. */
function computeValidity(rows: readonly KlineRow[]): Validity {
  let { fromMs, toMs } = ALWAYS;
  for (const { openTime, closeTime, closed, filled } of rows) {
    if (closed) fromMs = Math.max(fromMs, closeTime + 1);
    else toMs = Math.min(toMs, closeTime + 1);
    if (filled) fromMs = Math.max(fromMs, openTime);
  }
  return { ...ALWAYS, fromMs, toMs };
}

async function makeAnswer(parts: MarketParts, request: KlineRequest): Promise<MadeAnswer> {
  const { chain, token, addresses } = request.reference;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    const [record] = await reader.readTokens(chain, [token]);
    if (record === undefined || at === null) return null;
    await requirePool(reader, request.reference, request.pool);
    const klines = await readRows(reader, request, { token: record, at });
    const answer: Omit<KlinesAnswer, 'asOf'> = {
      chain,
      mint: addresses.toShown(token),
      interval: request.input.interval,
      currency: request.input.currency,
      klines,
      coverage: await readCoverage(reader, chain, {
        token: record,
        checkpoint: at,
        interval: request.input.interval,
      }),
    };
    return answer;
  });
  if (value === null || checkpoint === null) throw buildTokenNotFoundError(request.reference);
  return { text: serializeOpen(value), validity: computeValidity(value.klines), checkpoint };
}

export function createGetKlines(parts: MarketParts) {
  const prepare = createPrepare((input: KlinesInput) => {
    const reference = parseToken(parts, input);
    const range = parseTimeRange(input);
    const pool = parsePoolFilter(reference, input.pool);
    if (input.currency === 'quote' && pool === null) {
      throw buildInvalidInputError([{ path: 'pool', message: 'must be given for currency=quote' }]);
    }
    const { interval, limit, startTime, endTime, currency, fill, outliers } = input;
    const asked = [interval, limit, startTime, endTime, currency, fill, pool, outliers];
    const key = toAnswerKey(reference, `klines ${asked.join(' ')}`);
    return { key, request: { input, reference, pool, range } };
  });
  return (input: KlinesInput, context: HandlerContext): ReadyAnswer | Promise<ReadyAnswer> => {
    checkLimit(parts, { limit: input.limit, of: 'klines' }, context);
    const { key, request } = prepare(input);
    const { reference } = request;
    const { assets } = requireReadable(parts, reference);
    const paid = chargeRows(input.limit, context);
    return withLookup(parts, { reference, context, paid }, () =>
      parts.cache.answer(key, () => makeAnswer(parts, { ...request, assets })),
    );
  };
}
