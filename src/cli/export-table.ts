// The tables that can be exported: their columns, and their rows page by page.
//
// Only final rows are exported, so that pages read one after the other are consistent while the
// indexer continues.

import type { CarriedCandle } from '../candles/derive-klines.ts';
import { computeNextOpenTime } from '../candles/interval.ts';
import { CandleReader } from '../market/read-candles.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Ohlc, StoredInterval, TradeRecord } from '../model/market-record.ts';
import type { TimeRange, TradePosition } from '../store/market-reads.ts';
import type { MarketStore } from '../store/store.ts';

export type ExportValue = string | number | boolean | null;

export interface ExportColumn {
  readonly name: string;
  /** A `time` is in Unix milliseconds. Amounts and prices are text: decimal digits, all of them. */
  readonly type: 'text' | 'integer' | 'boolean' | 'time';
}

export interface ExportPage {
  readonly rows: readonly (readonly ExportValue[])[];
  /** How much of the export has been read, from 0 to 1. */
  readonly share: number;
}

export interface ExportRequest {
  readonly chain: ChainSlug;
  readonly table: 'trades' | 'klines';
  readonly interval: StoredInterval;
  readonly token: Address | null;
  readonly range: TimeRange;
  readonly toShown: ToShown;
  /** Blocks above this one are left out. */
  readonly finalizedBlock: number;
}

type ToShown = AddressCodec['toShown'];

/** A column with its value of a row. */
interface FilledColumn<Row> extends ExportColumn {
  readonly read: (row: Row, toShown: ToShown) => ExportValue;
}

/** Columns of one type, by name. */
function define<Row>(
  type: ExportColumn['type'],
  columns: Readonly<Record<string, FilledColumn<Row>['read']>>,
): FilledColumn<Row>[] {
  return Object.entries(columns).map(([name, read]) => ({ name, type, read }));
}

const TRADE_COLUMNS: readonly FilledColumn<TradeRecord>[] = [
  ...define<TradeRecord>('text', { mint: ({ token }, toShown) => toShown(token) }),
  ...define<TradeRecord>('time', { timestamp: ({ timestampMs }) => timestampMs }),
  ...define<TradeRecord>('integer', {
    block: ({ block }) => block,
    log_index: ({ logIndex }) => logIndex,
  }),
  ...define<TradeRecord>('text', { tx_hash: ({ txHash }) => txHash }),
  ...define<TradeRecord>('integer', { tx_swap_index: ({ index }) => index }),
  ...define<TradeRecord>('text', {
    side: ({ side }) => side,
    wallet: ({ wallet }, toShown) => toShown(wallet),
    venue: ({ venue }) => venue,
    pool: ({ pool }, toShown) => toShown(pool),
    amount_raw: ({ amountRaw }) => amountRaw.toString(),
    quote_mint: ({ quoteToken }, toShown) => toShown(quoteToken),
    quote_amount_raw: ({ quoteAmountRaw }) => quoteAmountRaw.toString(),
    price_native: ({ priceNative }) => priceNative,
    price_usd: ({ priceUsd }) => priceUsd,
    value_native: ({ valueNative }) => valueNative,
    value_usd: ({ valueUsd }) => valueUsd,
  }),
  ...define<TradeRecord>('boolean', { outlier: ({ outlier }) => outlier }),
];

interface ExportedKline extends CarriedCandle {
  /** Their own, or the last close before. */
  readonly shown: { readonly usd: Ohlc | null; readonly native: Ohlc | null };
}

function toExported(candle: CarriedCandle): ExportedKline {
  const { usdClean, nativeClean, before } = candle;
  const repeat = (price: string | null): Ohlc | null =>
    price === null ? null : { open: price, high: price, low: price, close: price };
  const usd = usdClean ?? repeat(before.usdClean);
  return { ...candle, shown: { usd, native: nativeClean ?? repeat(before.nativeClean) } };
}

/** Prices without outliers, as `/token/klines` returns by default. */
const CANDLE_COLUMNS: readonly FilledColumn<ExportedKline>[] = [
  ...define<ExportedKline>('text', {
    mint: ({ token }, toShown) => toShown(token),
    interval: ({ interval }) => interval,
  }),
  ...define<ExportedKline>('time', { open_time: ({ openTimeMs }) => openTimeMs }),
  ...define<ExportedKline>('text', {
    open_usd: ({ shown }) => shown.usd?.open ?? null,
    high_usd: ({ shown }) => shown.usd?.high ?? null,
    low_usd: ({ shown }) => shown.usd?.low ?? null,
    close_usd: ({ shown }) => shown.usd?.close ?? null,
    open_native: ({ shown }) => shown.native?.open ?? null,
    high_native: ({ shown }) => shown.native?.high ?? null,
    low_native: ({ shown }) => shown.native?.low ?? null,
    close_native: ({ shown }) => shown.native?.close ?? null,
    volume_raw: ({ volumeRaw }) => volumeRaw.toString(),
    volume_native: ({ quoteVolumeNative }) => quoteVolumeNative,
    volume_usd: ({ quoteVolumeUsd }) => quoteVolumeUsd,
  }),
  ...define<ExportedKline>('integer', {
    trades: ({ trades }) => trades,
    buys: ({ buys }) => buys,
    sells: ({ sells }) => sells,
  }),
  ...define<ExportedKline>('boolean', {
    filled: ({ usdClean, nativeClean }) => usdClean === null && nativeClean === null,
  }),
];

export const EXPORT_COLUMNS: Readonly<Record<ExportRequest['table'], readonly ExportColumn[]>> = {
  trades: TRADE_COLUMNS,
  klines: CANDLE_COLUMNS,
};

function readRow<Row>(
  columns: readonly FilledColumn<Row>[],
  row: Row,
  toShown: ToShown,
): ExportValue[] {
  return columns.map(({ read }) => read(row, toShown));
}

const PAGE_SIZE = 2000;

async function* readTokenTrades(
  store: MarketStore,
  { chain, range }: ExportRequest,
  token: Address,
): AsyncGenerator<readonly TradeRecord[]> {
  let after: TradePosition | null = null;
  do {
    const { trades, next } = await store.readTradePage(chain, {
      ...{ token, pool: null, side: null, wallet: null, minUsd: null },
      ...{ range, order: 'oldest', after, limit: PAGE_SIZE },
    });
    yield trades;
    after = next;
  } while (after !== null);
}

/** In the order of the chain. */
async function* readTrades(store: MarketStore, request: ExportRequest): AsyncGenerator<ExportPage> {
  const { chain, range, token, finalizedBlock } = request;
  const pages = token === null ? store.scanTrades(chain) : readTokenTrades(store, request, token);
  let firstBlock: number | null = null;
  for await (const trades of pages) {
    const last = trades.at(-1);
    if (last === undefined) continue;
    firstBlock ??= trades[0]?.block ?? 0;
    const rows = trades
      .filter(
        ({ block, timestampMs }) =>
          block <= finalizedBlock && timestampMs >= range.fromMs && timestampMs < range.toMs,
      )
      .map((trade) => readRow(TRADE_COLUMNS, trade, request.toShown));
    yield { rows, share: (last.block - firstBlock) / Math.max(1, finalizedBlock - firstBlock) };
    if (last.block > finalizedBlock) return;
  }
}

async function* listTokens(
  store: MarketStore,
  { chain, token }: ExportRequest,
): AsyncGenerator<Address> {
  if (token !== null) yield token;
  else for await (const page of store.scanListings(chain)) for (const one of page) yield one.token;
}

/** Token by token, over all pools of each, by time. */
async function* readKlines(store: MarketStore, request: ExportRequest): AsyncGenerator<ExportPage> {
  const { chain, interval, range } = request;
  const count = request.token === null ? await store.countTokens(chain) : 1;
  let done = 0;
  for await (const token of listTokens(store, request)) {
    const reader = new CandleReader(store, chain, { token, pool: null, interval }, {});
    let { fromMs } = range;
    for (;;) {
      const page = { fromMs, toMs: range.toMs, end: 'first', limit: PAGE_SIZE } as const;
      const candles = await reader.readCarried(page);
      // Before its first price a token has nothing to show.
      const priced = candles.map(toExported).filter(({ shown }) => shown.usd ?? shown.native);
      yield {
        rows: priced.map((candle) => readRow(CANDLE_COLUMNS, candle, request.toShown)),
        share: done / count,
      };
      const last = candles.at(-1);
      if (last === undefined || candles.length < PAGE_SIZE) break;
      fromMs = computeNextOpenTime(interval, last.openTimeMs);
    }
    done += 1;
  }
}

export function readExport(store: MarketStore, request: ExportRequest): AsyncGenerator<ExportPage> {
  return request.table === 'trades' ? readTrades(store, request) : readKlines(store, request);
}
