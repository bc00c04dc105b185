// Stored candles, of a token over all its pools and of each pool.

import type { ChainSlug } from '../../model/chain.ts';
import {
  type CandleRecord,
  type Ohlc,
  STORED_INTERVALS,
  type StoredInterval,
} from '../../model/market-record.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { CandleSeries } from '../market-reads.ts';
import type { SqlRow } from '../sql.ts';
import type { CandleKey } from '../store.ts';
import { defineTable } from '../table.ts';
import {
  addressAt,
  bigintAt,
  buildDamageError,
  numberAt,
  poolAt,
  textAt,
  textOrNullAt,
} from './column-value.ts';

/** The pool column of candles over all pools: a key column cannot be null. */
export const ALL_POOLS = '';

// The four prices share one column because a candle is only ever read as a whole, and a trade
// touches up to ten candles: four columns instead of sixteen cost a third to write.
export const CANDLE_TABLE = defineTable('candles', {
  key: {
    chain: 'name',
    token: 'name',
    pool: 'name',
    interval: 'name',
    open_time_ms: 'integer',
  },
  data: {
    volume_raw: 'text',
    quote_volume_native: 'text',
    quote_volume_usd: 'text',
    trades: 'integer',
    buys: 'integer',
    sells: 'integer',
    native: 'text',
    usd: 'text',
    native_clean: 'text',
    usd_clean: 'text',
  },
});
const { at } = CANDLE_TABLE;
const writeRow = createRowWriter(CANDLE_TABLE);

export function toCandleKey(chain: ChainSlug, key: CandleKey): SqlRow {
  return [chain, key.token, key.pool ?? ALL_POOLS, key.interval, key.openTimeMs];
}

export function toCandleRow(chain: ChainSlug, record: CandleRecord): SqlRow {
  const native = encodeOhlc(record.native);
  const usd = encodeOhlc(record.usd);
  return writeRow({
    chain,
    token: record.token,
    pool: record.pool ?? ALL_POOLS,
    interval: record.interval,
    open_time_ms: record.openTimeMs,
    volume_raw: record.volumeRaw.toString(),
    quote_volume_native: record.quoteVolumeNative,
    quote_volume_usd: record.quoteVolumeUsd,
    trades: record.trades,
    buys: record.buys,
    sells: record.sells,
    native,
    usd,
    native_clean: encodeClean(record.nativeClean, native),
    usd_clean: encodeClean(record.usdClean, usd),
  });
}

export function toCandleRecord(row: SqlRow): CandleRecord {
  const pool = poolAt(row, at.pool);
  const native = textOrNullAt(row, at.native);
  const usd = textOrNullAt(row, at.usd);
  return {
    token: addressAt(row, at.token),
    pool: pool === ALL_POOLS ? null : pool,
    interval: parseStoredInterval(textAt(row, at.interval)),
    openTimeMs: numberAt(row, at.open_time_ms),
    volumeRaw: bigintAt(row, at.volume_raw),
    quoteVolumeNative: textAt(row, at.quote_volume_native),
    quoteVolumeUsd: textAt(row, at.quote_volume_usd),
    trades: numberAt(row, at.trades),
    buys: numberAt(row, at.buys),
    sells: numberAt(row, at.sells),
    native: decodeOhlc(native),
    usd: decodeOhlc(usd),
    nativeClean: decodeOhlc(fromCleanText(textOrNullAt(row, at.native_clean), native)),
    usdClean: decodeOhlc(fromCleanText(textOrNullAt(row, at.usd_clean), usd)),
  };
}

/** Of a row of token, pool and interval. */
export function toCandleSeries(row: SqlRow): CandleSeries {
  const pool = poolAt(row, 1);
  return {
    token: addressAt(row, 0),
    pool: pool === ALL_POOLS ? null : pool,
    interval: parseStoredInterval(textAt(row, 2)),
  };
}

/** Most candles hold no outlier: their clean prices are the same ones and need not be repeated. */
const SAME = '=';

function encodeClean(clean: Ohlc | null, all: string | null): string | null {
  const text = encodeOhlc(clean);
  return text !== null && text === all ? SAME : text;
}

function fromCleanText(clean: string | null, all: string | null): string | null {
  return clean === SAME ? all : clean;
}

/** Prices that are the candle's first or last one. */
const FIRST = '<';
const LAST = '>';

/** A candle's prices repeat: of one trade there is one price, of two there are two. */
function encodeOhlc(ohlc: Ohlc | null): string | null {
  if (ohlc === null) return null;
  const { open, high, low, close } = ohlc;
  if (open === high && open === low && open === close) return open;
  const shorten = (price: string) => (price === open ? FIRST : price === close ? LAST : price);
  return `${open} ${shorten(high)} ${shorten(low)} ${close}`;
}

function decodeOhlc(text: string | null): Ohlc | null {
  if (text === null) return null;
  const [open = '', high, low, close] = text.split(' ');
  if (high === undefined) return { open, high: open, low: open, close: open };
  if (low === undefined || close === undefined) {
    throw buildDamageError(`The store holds ${JSON.stringify(text)} where prices belong`);
  }
  const expand = (price: string) => (price === FIRST ? open : price === LAST ? close : price);
  return { open, high: expand(high), low: expand(low), close };
}

const INTERVALS: ReadonlySet<string> = new Set(STORED_INTERVALS);

function parseStoredInterval(text: string): StoredInterval {
  if (!INTERVALS.has(text)) throw buildDamageError(`The store holds an unknown interval ${text}`);
  return text as StoredInterval;
}
