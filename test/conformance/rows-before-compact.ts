// Rows as they were stored before migration 12, and the records that they hold.

import type { BalanceRecord, CandleRecord, TradeRecord } from '../../src/model/market-record.ts';
import type { Store } from '../../src/store/store.ts';
import { address, poolId, transactionId } from '../test-ids.ts';
import { buildInsert, type Cell } from './store-before.ts';
import { buildTrade, toAddress, toHash } from './store-samples.ts';

const CHAIN = 'devnet';
const POOL = poolId(toHash(500));

/** Not hexadecimal: 19, 31 and 20 bytes, which a mark must tell from an address and a hash. */
const OTHER_WALLET = address('x'.repeat(19));
const OTHER_HASH = transactionId('y'.repeat(31));
const OTHER_OWNER = address('z'.repeat(20));

export const TRADES: readonly TradeRecord[] = [
  buildTrade({ block: 7, logIndex: 3, pool: POOL, side: 'sell', index: 2, outlier: true }),
  buildTrade({ block: 7, logIndex: 4, wallet: OTHER_WALLET, txHash: OTHER_HASH }),
  buildTrade({ block: 8, token: toAddress(2), priceUsd: '1.5', valueUsd: '3' }),
];

export const BALANCES: readonly BalanceRecord[] = [
  { token: toAddress(1), owner: toAddress(20), amountRaw: 5n },
  { token: toAddress(1), owner: toAddress(21), amountRaw: 10n ** 18n },
  { token: toAddress(2), owner: OTHER_OWNER, amountRaw: 6n },
];

function buildCandle(fields: Partial<CandleRecord>): CandleRecord {
  return {
    ...{ token: toAddress(1), pool: null, interval: '5s', openTimeMs: 5000 },
    ...{ volumeRaw: 9n, quoteVolumeNative: '0.5', quoteVolumeUsd: '0' },
    ...{ trades: 2, buys: 1, sells: 1 },
    ...{ native: null, usd: null, nativeClean: null, usdClean: null },
    ...fields,
  };
}

const [ONE, FOUR] = [
  { open: '1.5', high: '1.5', low: '1.5', close: '1.5' },
  { open: '2', high: '11', low: '1', close: '3' },
];

export const CANDLES: readonly CandleRecord[] = [
  buildCandle({ native: ONE, nativeClean: ONE, usd: FOUR, usdClean: ONE }),
  buildCandle({ pool: POOL, interval: '1d', native: FOUR, nativeClean: FOUR }),
];

/** SQLite kept names as numbers already; PostgreSQL kept their text. */
class NameWriter {
  readonly #engine: Store['engine'];
  readonly #ids = new Map<string, number>();

  constructor(engine: Store['engine']) {
    this.#engine = engine;
  }

  write(name: string): Cell {
    if (this.#engine === 'postgres') return name;
    const id = this.#ids.get(name) ?? this.#ids.size + 1;
    this.#ids.set(name, id);
    return id;
  }

  toStatements(): string[] {
    return Array.from(this.#ids, ([name, id]) => buildInsert('names', [id, name]));
  }
}

function toSortable(amount: bigint): string {
  const digits = amount.toString();
  return `${String(digits.length).padStart(2, '0')}${digits}`;
}

function toTradeCells(names: NameWriter, trade: TradeRecord): Cell[] {
  return [
    ...[names.write(CHAIN), names.write(trade.token)],
    ...[trade.timestampMs, trade.block, trade.logIndex, trade.txHash, trade.index],
    ...[trade.side === 'buy' ? 1 : 0, trade.wallet],
    ...[names.write(trade.venue), names.write(trade.pool), toSortable(trade.amountRaw)],
    ...[names.write(trade.quoteToken), toSortable(trade.quoteAmountRaw)],
    ...[trade.priceNative, trade.priceUsd, trade.valueNative, trade.valueUsd],
    trade.outlier ? 1 : 0,
  ];
}

function toCandleCells(names: NameWriter, candle: CandleRecord): Cell[] {
  const join = (ohlc: CandleRecord['native']) => ohlc && Object.values(ohlc).join(' ');
  const [native, usd] = [join(candle.native), join(candle.usd)];
  const clean = (ohlc: CandleRecord['native'], all: string | null) =>
    ohlc !== null && join(ohlc) === all ? '=' : join(ohlc);
  return [
    ...[CHAIN, candle.token, candle.pool ?? '', candle.interval].map((name) => names.write(name)),
    ...[candle.openTimeMs, candle.volumeRaw.toString()],
    ...[candle.quoteVolumeNative, candle.quoteVolumeUsd, candle.trades, candle.buys, candle.sells],
    ...[native, usd, clean(candle.nativeClean, native), clean(candle.usdClean, usd)],
  ];
}

/** A trade that a rollback of version 4 had removed. */
export const REVERTED = TRADES[2]!;

export function buildRowsBeforeCompact(engine: Store['engine']): readonly string[] {
  const names = new NameWriter(engine);
  const { token, timestampMs, block, logIndex, txHash, index } = REVERTED;
  const rows = [
    ...TRADES.map((trade) => buildInsert('trades', toTradeCells(names, trade))),
    ...CANDLES.map((candle) => buildInsert('candles', toCandleCells(names, candle))),
    ...BALANCES.map((balance) =>
      buildInsert('balances', [
        ...[names.write(CHAIN), names.write(balance.token), balance.owner],
        toSortable(balance.amountRaw),
      ]),
    ),
    buildInsert('reverted_trades', [
      ...[names.write(CHAIN), names.write(token), 4, timestampMs, block, logIndex, txHash, index],
    ]),
  ];
  return [...names.toStatements(), ...rows];
}
