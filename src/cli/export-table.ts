// The tables that can be exported: their columns, and their rows page by page.
//
// Only final rows are exported, so that pages read one after the other are consistent while the
// indexer continues.

import { computeNextOpenTime } from '../candles/interval.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { CandleRecord, StoredInterval, TradeRecord } from '../model/market-record.ts';
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
  readonly toShown: AddressCodec['toShown'];
  /** Blocks above this one are left out. */
  readonly finalizedBlock: number;
}

function define(type: ExportColumn['type'], names: string): ExportColumn[] {
  return names.split(' ').map((name) => ({ name, type }));
}

export const EXPORT_COLUMNS: Readonly<Record<ExportRequest['table'], readonly ExportColumn[]>> = {
  trades: [
    ...define('text', 'mint'),
    ...define('time', 'timestamp'),
    ...define('integer', 'block log_index'),
    ...define('text', 'tx_hash'),
    ...define('integer', 'tx_swap_index'),
    ...define('text', 'side wallet venue pool amount_raw quote_mint quote_amount_raw'),
    ...define('text', 'price_native price_usd value_native value_usd'),
    ...define('boolean', 'outlier'),
  ],
  klines: [
    ...define('text', 'mint interval'),
    ...define('time', 'open_time'),
    ...define('text', 'open_usd high_usd low_usd close_usd'),
    ...define('text', 'open_native high_native low_native close_native'),
    ...define('text', 'volume_raw volume_native volume_usd'),
    ...define('integer', 'trades buys sells'),
  ],
};

function toTradeValues(trade: TradeRecord, toShown: AddressCodec['toShown']): ExportValue[] {
  return [
    toShown(trade.token),
    trade.timestampMs,
    ...[trade.block, trade.logIndex, trade.txHash, trade.index],
    ...[trade.side, toShown(trade.wallet), trade.venue, toShown(trade.pool)],
    ...[trade.amountRaw.toString(), toShown(trade.quoteToken)],
    trade.quoteAmountRaw.toString(),
    ...[trade.priceNative, trade.priceUsd, trade.valueNative, trade.valueUsd],
    trade.outlier,
  ];
}

/** Prices without outliers, as `/token/klines` returns by default. */
function toCandleValues(candle: CandleRecord, toShown: AddressCodec['toShown']): ExportValue[] {
  const { usdClean: usd, nativeClean: native } = candle;
  const prices = [usd, native].flatMap((ohlc) =>
    ohlc === null ? [null, null, null, null] : [ohlc.open, ohlc.high, ohlc.low, ohlc.close],
  );
  return [
    ...[toShown(candle.token), candle.interval, candle.openTimeMs, ...prices],
    ...[candle.volumeRaw.toString(), candle.quoteVolumeNative, candle.quoteVolumeUsd],
    ...[candle.trades, candle.buys, candle.sells],
  ];
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
      .map((trade) => toTradeValues(trade, request.toShown));
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
    let { fromMs } = range;
    for (;;) {
      const page = { fromMs, toMs: range.toMs, end: 'first', limit: PAGE_SIZE } as const;
      const candles = await store.readCandlePage(chain, { token, pool: null, interval }, page);
      yield {
        rows: candles.map((candle) => toCandleValues(candle, request.toShown)),
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
