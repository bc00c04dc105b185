// Candles and trades of a pool of the GeckoTerminal API, newest first.

import type { Ask, CompatRequest } from '../../contract/compat-route.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { getKlines } from '../../contract/operations/get-klines.ts';
import { getTrades } from '../../contract/operations/get-trades.ts';
import { ratioToText, textToDecimal, toRatio } from '../../lib/decimal.ts';
import { type FullPool, readPool } from '../read-pools.ts';
import type { PoolSide } from './build-pool.ts';
import { toFigure, toFigureOrNull, toGtAddress, toIso } from './figure-text.ts';
import { toNetwork, toSlug } from './networks.ts';
import {
  buildNotFound,
  type GtRoute,
  NETWORK,
  pathParameter,
  queryParameter,
  readChoice,
  refuse,
} from './requests.ts';
import { toRequestId } from './token-routes.ts';

type Kline = OutputOf<typeof getKlines>['klines'][number];
type Trade = OutputOf<typeof getTrades>['trades'][number];

const POOL = pathParameter('pool', 'The address of a pool.');
const TOKEN = queryParameter('token', '`base`, `quote`, or the address of one of the two.');

async function readKnownPool({ params }: CompatRequest, ask: Ask): Promise<FullPool> {
  const { network = '', pool = '' } = params;
  return (await readPool(ask, { chain: toSlug(network), pool })) ?? buildNotFound();
}

/** Whether the quote token is the one that is asked for. */
function isTurned({ query }: CompatRequest, { base, quote }: FullPool): boolean {
  const token = query.get('token') ?? 'base';
  const is = ({ mint }: PoolSide) => toGtAddress(mint) === toGtAddress(token);
  if (token === 'quote' || is(quote)) return true;
  if (token === 'base' || token === '' || is(base)) return false;
  return refuse(400, 'Invalid token. Allowed values: base, quote, an address of the pool');
}

const INTERVALS: Readonly<Record<string, readonly (readonly [number, string])[]>> = {
  day: [[1, '1d']],
  hour: [
    [1, '1h'],
    [4, '4h'],
    [12, '12h'],
  ],
  minute: [
    [1, '1m'],
    [5, '5m'],
    [15, '15m'],
  ],
  second: [
    [1, '1s'],
    [15, '15s'],
    [30, '30s'],
  ],
};

function readInterval({ params, query }: CompatRequest): string {
  const { timeframe = '' } = params;
  const known = Object.hasOwn(INTERVALS, timeframe) ? (INTERVALS[timeframe] ?? []) : [];
  if (known.length === 0) {
    return refuse(400, 'Invalid timeframe. Allowed values: day, hour, minute, second');
  }
  const aggregate = Number(query.get('aggregate') || 1);
  const found = known.find(([each]) => each === aggregate);
  const allowed = known.map(([each]) => each).join(', ');
  return found?.[1] ?? refuse(400, `Invalid aggregate. Allowed values: ${allowed}`);
}

const ROWS_MAX = 1000;
const ROWS = 100;

function readRange({ query }: CompatRequest) {
  const limit = Number(query.get('limit') || ROWS);
  if (!Number.isInteger(limit) || limit < 1 || limit > ROWS_MAX) {
    return refuse(400, `Invalid limit. Allowed values: 1 to ${ROWS_MAX}`);
  }
  const before = query.get('before_timestamp');
  if (before === null || before === '') return { limit };
  const seconds = Number(before);
  if (!Number.isSafeInteger(seconds) || seconds < 1) return refuse(400, 'Invalid before_timestamp');
  // Exclusive there, inclusive here.
  return { limit, endTime: seconds * 1000 - 1 };
}

interface PriceRow {
  readonly time: number;
  /** Open, high, low, close. */
  readonly prices: readonly [number, number, number, number];
  readonly volume: number;
}

function toRow({ openTime, open, high, low, close, quoteVolume }: Kline): PriceRow {
  return {
    time: openTime / 1000,
    prices: [Number(open), Number(high), Number(low), Number(close)],
    volume: Number(quoteVolume),
  };
}

/** What a unit of the quote token costs in the base token. */
function turnRow(row: PriceRow, { volume }: Kline): PriceRow {
  const [open, high, low, close] = row.prices.map((price) => 1 / price) as [
    ...[number, number, number, number],
  ];
  return { time: row.time, prices: [open, low, high, close], volume: Number(volume ?? 0) };
}

const isPriced = ({ prices }: PriceRow) =>
  prices.every((price) => price > 0 && Number.isFinite(price));

/** The prices of the quote token in USD, over all its pools, with the volume of this one. */
async function readQuoteRows(
  ask: Ask,
  { chain, quote }: FullPool,
  of: { readonly rows: readonly PriceRow[]; readonly interval: string },
): Promise<PriceRow[]> {
  const { rows, interval } = of;
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const asked = { chain, mint: quote.mint, interval, fill: 'previous', limit: ROWS_MAX };
  const span = { startTime: first.time * 1000, endTime: last.time * 1000 };
  const { klines } = await ask(getKlines, { ...asked, ...span });
  const known = new Map(klines.map((kline) => [kline.openTime / 1000, toRow(kline)]));
  // A stable token that was never traded is a dollar.
  const price = Number(quote.priceUsd ?? Number.NaN);
  const always = known.size === 0 ? ([price, price, price, price] as const) : undefined;
  return rows.flatMap(({ time, volume }) => {
    const prices = known.get(time)?.prices ?? always;
    return prices === undefined ? [] : [{ time, prices, volume }];
  });
}

function showToken({ mint, name, symbol }: PoolSide) {
  return {
    address: toGtAddress(mint),
    ...{ name: name ?? symbol ?? '', symbol: symbol ?? '', coingecko_coin_id: null },
  };
}

const candles: GtRoute = {
  id: 'Ohlcv',
  path: '/networks/{network}/pools/{pool}/ohlcv/{timeframe}',
  asks: getKlines,
  summary: 'List the candles of a pool, newest first',
  parameters: [
    ...[NETWORK, POOL, pathParameter('timeframe', '`day`, `hour`, `minute` or `second`.')],
    queryParameter(
      'aggregate',
      'How many of them: hours 1, 4, 12; minutes 1, 5, 15; seconds 1, 15, 30.',
    ),
    queryParameter('before_timestamp', 'Unix seconds, exclusive.'),
    queryParameter('limit', `Up to ${ROWS_MAX}, ${ROWS} if missing.`),
    queryParameter('currency', '`usd`, or `token` for the other token of the pool.'),
    ...[TOKEN, queryParameter('include_empty_intervals', '`true`: with the price before.')],
  ],
  answer: async (request, ask) => {
    const interval = readInterval(request);
    const range = readRange(request);
    const { params, query } = request;
    const isUsd = readChoice(query, 'currency', ['usd', 'token']) === 'usd';
    const pool = await readKnownPool(request, ask);
    const turned = isTurned(request, pool);
    const { klines } = await ask(getKlines, {
      ...{ chain: pool.chain, mint: pool.base.mint, pool: pool.address, interval, ...range },
      currency: isUsd ? 'usd' : 'quote',
      fill: query.get('include_empty_intervals') === 'true' ? 'previous' : 'none',
    });
    const own = klines.map(toRow);
    const shown = !turned
      ? own
      : isUsd
        ? await readQuoteRows(ask, pool, { rows: own, interval })
        : klines.map((kline, index) => turnRow(own[index] ?? toRow(kline), kline));
    const [base, quote] = turned ? [pool.quote, pool.base] : [pool.base, pool.quote];
    return {
      data: {
        id: toRequestId(`${params['network']} ${params['pool']} ${params['timeframe']}`),
        type: 'ohlcv_request_response',
        attributes: {
          ohlcv_list: shown
            .filter(isPriced)
            .map(({ time, prices, volume }) => [time, ...prices, volume])
            .reverse(),
        },
      },
      meta: { base: showToken(base), quote: showToken(quote) },
    };
  },
};

const TRADES = 300;

function divide(value: string | null, amount: string | null): string | null {
  if (value === null || amount === null || Number(amount) === 0) return null;
  const [worth, units] = [toRatio(textToDecimal(value)), toRatio(textToDecimal(amount))];
  return toFigure(
    ratioToText({
      numerator: worth.numerator * units.denominator,
      denominator: worth.denominator * units.numerator,
    }),
  );
}

function multiply(price: string | null, amount: string | null): string | null {
  if (price === null || amount === null) return null;
  const [each, units] = [toRatio(textToDecimal(price)), toRatio(textToDecimal(amount))];
  const numerator = each.numerator * units.numerator;
  return ratioToText({ numerator, denominator: each.denominator * units.denominator });
}

function buildTrade(trade: Trade, { chain, base }: FullPool, turned: boolean) {
  const { side, amount, quote, valueUsd, block, txHash, index, timestamp } = trade;
  const isBuy = side === 'buy';
  const own = {
    amount: toFigureOrNull(amount),
    usd: toFigureOrNull(trade.priceUsd),
    native: toFigureOrNull(trade.priceNative),
    address: toGtAddress(base.mint),
  };
  const other = {
    amount: toFigureOrNull(quote.amount),
    usd: divide(valueUsd, quote.amount),
    native: divide(multiply(trade.priceNative, amount), quote.amount),
    address: toGtAddress(quote.mint),
  };
  const [from, to] = isBuy ? [other, own] : [own, other];
  const seconds = Math.floor(timestamp / 1000);
  return {
    id: `${toNetwork(chain)}_${block}_${txHash}_${index}_${seconds}`,
    type: 'trade',
    attributes: {
      block_number: block,
      ...{ tx_hash: txHash, tx_from_address: toGtAddress(trade.wallet) },
      ...{ from_token_amount: from.amount, to_token_amount: to.amount },
      price_from_in_currency_token: from.native,
      price_to_in_currency_token: to.native,
      ...{ price_from_in_usd: from.usd, price_to_in_usd: to.usd },
      block_timestamp: toIso(timestamp),
      kind: isBuy === turned ? 'sell' : 'buy',
      volume_in_usd: toFigureOrNull(valueUsd),
      ...{ from_token_address: from.address, to_token_address: to.address },
    },
  };
}

const trades: GtRoute = {
  id: 'Trades',
  path: '/networks/{network}/pools/{pool}/trades',
  asks: getTrades,
  summary: `List the last ${TRADES} trades of a pool, newest first`,
  parameters: [
    ...[NETWORK, POOL, TOKEN],
    queryParameter('trade_volume_in_usd_greater_than', 'Only trades of at least this value.'),
  ],
  answer: async (request, ask) => {
    const pool = await readKnownPool(request, ask);
    const turned = isTurned(request, pool);
    const name = 'trade_volume_in_usd_greater_than';
    const minUsd = request.query.get(name);
    if (minUsd !== null && !/^\d*\.?\d*$/.test(minUsd)) refuse(400, `Invalid ${name}`);
    const { trades: found } = await ask(getTrades, {
      ...{ chain: pool.chain, mint: pool.base.mint, pool: pool.address, limit: TRADES },
      ...(minUsd === null || Number(minUsd) <= 0 ? {} : { minUsd }),
    });
    return { data: found.map((trade) => buildTrade(trade, pool, turned)) };
  },
};

export const HISTORY_ROUTES: readonly GtRoute[] = [candles, trades];
