// Answers GET /udf/…: tokens, candles and search in the form that TradingView's charts ask for
// (https://www.tradingview.com/charting-library-docs/latest/connecting_data/UDF/).

import { computeNextOpenTime } from '../candles/interval.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import type { getKlines } from '../contract/operations/get-klines.ts';
import type { getToken } from '../contract/operations/get-token.ts';
import {
  type getUdfConfig,
  type getUdfHistory,
  type getUdfMarks,
  type getUdfSymbol,
  type searchUdf,
  UDF_RESOLUTION_LIST,
  UDF_RESOLUTIONS,
  type UdfResolution,
} from '../contract/operations/udf-operations.ts';
import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { KlineInterval } from '../model/market-record.ts';
import type { Market } from './create-market.ts';

// The reads behind the chart feed: the handlers of other operations, called as a transport calls
// them, so that limits, lookups and pauses hold here, too.

type UdfTokenAnswer = OutputOf<typeof getToken>;

type UdfToken = Pick<UdfTokenAnswer, 'chain' | 'mint' | 'symbol' | 'name' | 'priceUsd'>;

interface UdfKline {
  readonly openTime: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

interface KlinesQuery {
  readonly chain: string;
  readonly mint: string;
  readonly interval: KlineInterval;
  readonly startTime?: number;
  readonly endTime: number;
  readonly limit: number;
}

interface UdfReads {
  isAddress(chain: string, text: string): boolean;
  readToken(of: { chain: string; mint: string }, context: HandlerContext): Promise<UdfToken>;
  readPools(of: UdfToken, context: HandlerContext): Promise<UdfTokenAnswer['pools']>;
  /** The best matches; for an empty text the tokens with the highest volume. */
  search(
    query: { q: string; limit: number; chain?: string },
    context: HandlerContext,
  ): Promise<readonly UdfToken[]>;
  /** The newest of the range, ascending. */
  readKlines(query: KlinesQuery, context: HandlerContext): Promise<readonly UdfKline[]>;
  /** The most that the caller may read at once. */
  countKlinesMax(context: HandlerContext): number;
}

function parse<Answer>({ bytes }: ReadyAnswer): Answer {
  return JSON.parse(bytes.toString('utf8')) as Answer;
}

function toUdfKlines({ klines }: OutputOf<typeof getKlines>): UdfKline[] {
  return klines.map(({ openTime, open, high, low, close, volume }) => {
    const [o, h, l, c] = [Number(open), Number(high), Number(low), Number(close)];
    return { openTime, open: o, high: h, low: l, close: c, volume: Number(volume ?? 0) };
  });
}

export function createUdfReads({ handlers, parts }: Pick<Market, 'handlers' | 'parts'>): UdfReads {
  const readToken = async (of: { chain: string; mint: string }, context: HandlerContext) =>
    parse<UdfTokenAnswer>(await handlers.getToken(of, context));
  return {
    isAddress: (chain, text) => {
      const slug = parts.chains.known.find(chain)?.slug;
      if (slug === undefined || !parts.chains.list().includes(slug)) return false;
      return parts.chains.findAddresses(slug).parse(text) !== null;
    },
    readToken,
    readPools: async ({ chain, mint }, context) =>
      (await readToken({ chain, mint }, context)).pools,
    search: async ({ q, limit, chain }, context) => {
      const only = chain === undefined ? {} : { chain };
      const answer =
        q === ''
          ? await handlers.listTokens(
              {
                ...{ sort: 'volume', window: '24h', sparkline: 'none', limit },
                ...(chain === undefined ? {} : { chain: [chain] }),
              } as never,
              context,
            )
          : await handlers.searchTokens({ q, limit, ...only }, context);
      return parse<{ tokens: UdfToken[] }>(answer).tokens;
    },
    readKlines: async (query, context) => {
      const shown = { currency: 'usd', fill: 'none', outliers: 'exclude' } as const;
      return toUdfKlines(parse(await handlers.getKlines({ ...query, ...shown }, context)));
    },
    countKlinesMax: ({ identity }) => parts.depthOf(identity).klines,
  };
}

// Symbols, resolutions and price scales as charts write them.

/** Digits that are shown of a price. */
const DIGITS = 6;
const SCALE_DIGITS_MIN = 2;
/** The most that charts support. */
const SCALE_DIGITS_MAX = 15;

/** Null for a resolution that is not supported. A letter alone means one of it. */
export function findUdfInterval(resolution: string): KlineInterval | null {
  const whole = /^[SDWM]$/.test(resolution) ? `1${resolution}` : resolution;
  return Object.hasOwn(UDF_RESOLUTIONS, whole) ? UDF_RESOLUTIONS[whole as UdfResolution] : null;
}

/** `chain:mint`, `chain:symbol`, or a symbol alone. CAIP-2 names of chains have a colon, too. */
export function splitUdfSymbol(symbol: string): { chain: string | null; text: string } {
  const at = symbol.lastIndexOf(':');
  if (at < 0) return { chain: null, text: symbol };
  const chain = symbol.slice(0, at);
  // Charts write exchanges in capitals; parts of CAIP-2 names differ by case.
  return { chain: chain.includes(':') ? chain : chain.toLowerCase(), text: symbol.slice(at + 1) };
}

/** A power of ten; a price has as many digits after the point as it has zeros. */
export function pickPriceScale(price: string | null): number {
  const value = Number(price ?? 1);
  const leading = value > 0 ? Math.floor(Math.log10(value)) : 0;
  const digits = DIGITS - 1 - leading;
  return 10 ** Math.min(SCALE_DIGITS_MAX, Math.max(SCALE_DIGITS_MIN, digits));
}

interface UdfParts {
  readonly reads: UdfReads;
  readonly listChains: () => readonly { readonly slug: string; readonly name: string }[];
  readonly clock: Clock;
}

type UdfFault = Extract<OutputOf<typeof getUdfSymbol>, { s: unknown }>;
type History = OutputOf<typeof getUdfHistory>;

/** What charts expect for a symbol that does not exist. */
const UNKNOWN_SYMBOL: UdfFault = { s: 'error', errmsg: 'unknown_symbol' };
const UNKNOWN_CODES: ReadonlySet<string> = new Set([
  ...['UNKNOWN_CHAIN', 'CHAIN_NOT_FOLLOWED', 'INVALID_ADDRESS', 'INVALID_INPUT'],
  ...['TOKEN_NOT_FOUND', 'TOKEN_PAUSED'],
]);
const TYPE = 'crypto';
const VOLUME_PRECISION = 2;

const toSeconds = (ms: number) => Math.floor(ms / 1000);
const toTicker = ({ chain, mint }: UdfToken) => `${chain}:${mint}`;
const listMultipliers = (pattern: RegExp) =>
  UDF_RESOLUTION_LIST.flatMap((one) => pattern.exec(one)?.[1] ?? []);
const SECONDS = listMultipliers(/^(\d+)S$/);
const MINUTES = listMultipliers(/^(\d+)$/);
const DAYS = listMultipliers(/^(\d+)D$/);

function buildSymbol(token: UdfToken): OutputOf<typeof getUdfSymbol> {
  const { chain, mint, symbol, name, priceUsd } = token;
  return {
    name: symbol ?? mint,
    ticker: toTicker(token),
    description: name ?? symbol ?? mint,
    type: TYPE,
    session: '24x7',
    timezone: 'Etc/UTC',
    exchange: chain,
    listed_exchange: chain,
    format: 'price',
    minmov: 1,
    pricescale: pickPriceScale(priceUsd),
    has_intraday: true,
    has_seconds: true,
    has_daily: true,
    has_weekly_and_monthly: true,
    seconds_multipliers: SECONDS,
    intraday_multipliers: MINUTES,
    daily_multipliers: DAYS,
    supported_resolutions: [...UDF_RESOLUTION_LIST],
    volume_precision: VOLUME_PRECISION,
    data_status: 'streaming',
    currency_code: 'USD',
  };
}

function isUnknown(error: unknown): boolean {
  return error instanceof AppError && UNKNOWN_CODES.has(error.code);
}

/** The token behind a symbol; null if there is none. */
async function findUdfToken(
  { reads }: UdfParts,
  symbol: string,
  context: HandlerContext,
): Promise<UdfToken | null> {
  const { chain, text } = splitUdfSymbol(symbol);
  try {
    if (chain !== null && reads.isAddress(chain, text)) {
      return await reads.readToken({ chain, mint: text }, context);
    }
    const [first] = await reads.search({ q: text, limit: 1, ...(chain && { chain }) }, context);
    return first ?? null;
  } catch (error) {
    if (isUnknown(error)) return null;
    throw error;
  }
}

type ReadUdfKlines = (range: {
  readonly startTime?: number;
  readonly endTime: number;
  readonly limit: number;
}) => ReturnType<UdfReads['readKlines']>;

interface FoundKlines {
  readonly rows: readonly UdfKline[];
  /** If there are none: when the newest candle before them opened; null if there is none. */
  readonly nextMs: number | null;
}

/** Those of a range, or what comes before it. */
async function readRange(
  read: ReadUdfKlines,
  range: { readonly startTime: number; readonly endTime: number; readonly limit: number },
): Promise<FoundKlines> {
  const { startTime, endTime } = range;
  const rows = startTime > endTime ? [] : await read(range);
  if (rows.length > 0 || startTime <= 0) return { rows, nextMs: null };
  const [older] = await read({ endTime: startTime - 1, limit: 1 });
  return { rows, nextMs: older?.openTime ?? null };
}

/** A request pays for the rows that it asks for: no more than a range has room for. */
function countCandlesMax(
  interval: KlineInterval,
  { startTime, endTime }: { readonly startTime: number; readonly endTime: number },
): number {
  // From February on, the shortest month.
  const february = Date.UTC(1970, 1);
  const lengthMs = computeNextOpenTime(interval, february) - february;
  return Math.max(1, Math.ceil((endTime - startTime) / lengthMs) + 1);
}

async function readHistory(
  parts: UdfParts,
  input: InputOf<typeof getUdfHistory>,
  context: HandlerContext,
): Promise<History> {
  const { reads } = parts;
  const interval = findUdfInterval(input.resolution);
  if (interval === null) return { s: 'error', errmsg: 'unknown_resolution' };
  const token = await findUdfToken(parts, input.symbol, context);
  if (token === null) return UNKNOWN_SYMBOL;
  const { from = 0, to, countback } = input;
  const { chain, mint } = token;
  const cap = reads.countKlinesMax(context);
  const read: ReadUdfKlines = (range) =>
    reads.readKlines({ chain, mint, interval, ...range }, context);
  const endTime = to * 1000 - 1;
  const startTime = Math.min(from, to) * 1000;
  const room = countCandlesMax(interval, { startTime, endTime });
  const limit = Math.min(countback ?? room, cap);
  const { rows, nextMs } =
    countback === undefined
      ? await readRange(read, { startTime, endTime, limit })
      : { rows: endTime < 0 ? [] : await read({ endTime, limit }), nextMs: null };
  if (rows.length === 0) {
    return { s: 'no_data', ...(nextMs === null ? {} : { nextTime: toSeconds(nextMs) }) };
  }
  return {
    s: 'ok',
    t: rows.map(({ openTime }) => toSeconds(openTime)),
    o: rows.map(({ open }) => open),
    h: rows.map(({ high }) => high),
    l: rows.map(({ low }) => low),
    c: rows.map(({ close }) => close),
    v: rows.map(({ volume }) => volume),
  };
}

export function createUdf(parts: UdfParts) {
  const { reads, listChains, clock } = parts;
  return {
    getUdfConfig: (): OutputOf<typeof getUdfConfig> => ({
      supports_search: true,
      supports_group_request: false,
      supports_marks: true,
      supports_timescale_marks: false,
      supports_time: true,
      supported_resolutions: [...UDF_RESOLUTION_LIST],
      exchanges: [
        { value: '', name: 'All chains', desc: '' },
        ...listChains().map(({ slug, name }) => ({ value: slug, name, desc: slug })),
      ],
      symbols_types: [{ name: 'Tokens', value: TYPE }],
    }),
    getUdfSymbol: async (input: InputOf<typeof getUdfSymbol>, context: HandlerContext) => {
      const token = await findUdfToken(parts, input.symbol, context);
      return token === null ? UNKNOWN_SYMBOL : buildSymbol(token);
    },
    searchUdf: async (
      { query, exchange, limit }: InputOf<typeof searchUdf>,
      context: HandlerContext,
    ): Promise<OutputOf<typeof searchUdf>> => {
      const chain = exchange === '' ? {} : { chain: exchange };
      const found = await reads.search({ q: query.trim(), limit, ...chain }, context);
      return found.map((token) => ({
        symbol: token.symbol ?? token.mint,
        full_name: toTicker(token),
        description: token.name ?? '',
        exchange: token.chain,
        ticker: toTicker(token),
        type: TYPE,
      }));
    },
    getUdfHistory: (input: InputOf<typeof getUdfHistory>, context: HandlerContext) =>
      readHistory(parts, input, context),
    getUdfTime: () => toSeconds(clock.nowMs()),
    getUdfMarks: async (
      { symbol, from, to }: InputOf<typeof getUdfMarks>,
      context: HandlerContext,
    ): Promise<OutputOf<typeof getUdfMarks>> => {
      const found = await findUdfToken(parts, symbol, context);
      if (found === null) return [];
      const pools = await reads.readPools(found, context);
      return pools.flatMap(({ address, venue, createdAt }) => {
        const time = createdAt === null ? -1 : toSeconds(createdAt);
        if (time < from || time > to) return [];
        const text = `A pool on ${venue} was created.`;
        const look = { color: 'blue', label: 'P', labelFontColor: 'white', minSize: 14 };
        return [{ id: address, time, text, ...look }];
      });
    },
  };
}
