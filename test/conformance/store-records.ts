// Arbitrary records for the store's property tests.

import {
  type BalanceRecord,
  type CandleRecord,
  STORED_INTERVALS,
  type TickRecord,
  type TokenRecord,
  type TradeRecord,
} from '../../src/model/market-record.ts';
import type { PoolRecord } from '../../src/model/pool.ts';
import type { PositionRecord, TradeFigures } from '../../src/model/position.ts';
import { fc } from '../fast-check.ts';
import { poolId, transactionId } from '../test-ids.ts';
import { toAddress, toHash, UINT256_MAX } from './store-samples.ts';

const anyAddress = fc.integer({ min: 1, max: 2 ** 31 - 1 }).map(toAddress);
const anyHash = fc.integer({ min: 1, max: 2 ** 31 - 1 }).map(toHash);
const poolOfAddress = anyAddress.map(poolId);
const block = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const timestampMs = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const count = fc.integer({ min: 0, max: 2 ** 40 });
const price = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.bigInt({ min: 0n, max: 10n ** 18n }))
  .map(([whole, fraction]) => `${whole}.${fraction}1`);
/** Records with the same prototype as the store's own. */
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record<T>(model, { noNullPrototype: true });
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
/** Any text except what no store can hold: U+0000 and lone surrogates. */
const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\u0000', ''));
const sqlText = fc.constantFrom("Robert'); DROP TABLE tokens;--", '{"a":1}', '\\', 'NULL', '', '"');

export const uint256 = fc.oneof(
  fc.bigInt({ min: 0n, max: UINT256_MAX }),
  fc.bigInt({ min: 0n, max: 1000n }),
  fc.constantFrom(0n, UINT256_MAX, 10n ** 18n, 10n ** 18n - 1n, 10n ** 77n),
);

const launch = record({
  venue: fc.constantFrom('pump', 'meteora-dbc'),
  progressPct: nullable(fc.integer({ min: 0, max: 10_000 }).map((steps) => steps / 100)),
  graduatedAtMs: nullable(timestampMs),
});

const unlaunched: fc.Arbitrary<TokenRecord> = record({
  token: anyAddress,
  symbol: nullable(fc.oneof(text, sqlText)),
  name: nullable(fc.oneof(text, sqlText)),
  decimals: nullable(fc.integer({ min: 0, max: 255 })),
  firstSeenBlock: block,
  firstSeenAtMs: timestampMs,
  balanceSumRaw: fc.bigInt({ min: 0n, max: UINT256_MAX * 8n }),
  holders: count,
  balancesBroken: fc.boolean(),
  supplyRaw: nullable(uint256),
  supplyBlock: nullable(block),
  supplyBalanceSumRaw: nullable(fc.bigInt({ min: 0n, max: UINT256_MAX * 8n })),
  priceNative: nullable(price),
  priceUsd: nullable(price),
  lastTradeAtMs: nullable(timestampMs),
  tradeCount: count,
  liquidityUsdE18: nullable(uint256),
  pairedPool: nullable(poolOfAddress),
  pairedUsdE18: nullable(uint256),
});

export const tokenRecord: fc.Arbitrary<TokenRecord> = fc
  .tuple(unlaunched, nullable(launch))
  .map(([row, found]) => (found === null ? row : { ...row, launch: found }));

const anyPool = {
  pool: fc.oneof(poolOfAddress, anyHash.map(poolId)),
  venue: fc.constantFrom('uniswap-v2', 'uniswap-v3', 'uniswap-v4'),
  token0: anyAddress,
  token1: anyAddress,
  feePips: fc.integer({ min: 0, max: 1_000_000 }),
  vault: anyAddress,
  createdBlock: block,
  createdAtMs: timestampMs,
  complete: fc.boolean(),
  lastSwapAtMs: nullable(timestampMs),
  liquidityUsdE18: nullable(uint256),
};

export const poolRecord: fc.Arbitrary<PoolRecord> = fc.oneof(
  record({
    ...anyPool,
    kind: fc.constant('constantProduct' as const),
    terms: fc.constant(null),
    state: record({ reserve0: nullable(uint256), reserve1: nullable(uint256) }),
  }),
  record({
    ...anyPool,
    kind: fc.constant('concentrated' as const),
    terms: record({
      tickSpacing: fc.integer({ min: 1, max: 32_767 }),
      custody: fc.oneof(
        record({ kind: fc.constant('own' as const) }),
        record({ kind: fc.constant('singleton' as const), hooks: nullable(anyAddress) }),
      ),
    }),
    state: record({
      sqrtPriceX96: nullable(uint256),
      liquidity: nullable(uint256),
      tick: nullable(fc.integer({ min: -887_272, max: 887_272 })),
      protocolFee: fc.integer({ min: 0, max: 2 ** 24 - 1 }),
      amount0: nullable(uint256),
      amount1: nullable(uint256),
    }),
  }),
);

export const tickRecord: fc.Arbitrary<TickRecord> = record({
  pool: poolOfAddress,
  tick: fc.integer({ min: -887_272, max: 887_272 }),
  liquidityGross: fc.bigInt({ min: 1n, max: 2n ** 128n - 1n }),
  liquidityNet: fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }),
});

export const balanceRecord: fc.Arbitrary<BalanceRecord> = record({
  token: fc.constantFrom(toAddress(1), toAddress(2), toAddress(3)),
  owner: anyAddress,
  amountRaw: uint256.filter((amount) => amount > 0n),
});

const ohlc = nullable(record({ open: price, high: price, low: price, close: price }));

export const candleRecord: fc.Arbitrary<CandleRecord> = fc
  .record(
    {
      token: anyAddress,
      pool: nullable(poolOfAddress),
      interval: fc.constantFrom(...STORED_INTERVALS),
      openTimeMs: timestampMs,
      volumeRaw: fc.bigInt({ min: 0n, max: UINT256_MAX * 8n }),
      quoteVolumeNative: price,
      quoteVolumeUsd: price,
      trades: count,
      buys: count,
      sells: count,
      native: ohlc,
      usd: ohlc,
      nativeClean: ohlc,
      usdClean: ohlc,
      clean: fc.boolean(),
    },
    { noNullPrototype: true },
  )
  .map(({ clean, ...candle }) =>
    clean ? { ...candle, nativeClean: candle.native, usdClean: candle.usd } : candle,
  );

export const tradeRecord: fc.Arbitrary<TradeRecord> = record({
  token: anyAddress,
  block,
  logIndex: fc.integer({ min: 0, max: 100_000 }),
  txHash: anyHash.map(transactionId),
  index: fc.integer({ min: 0, max: 1000 }),
  timestampMs,
  side: fc.constantFrom('buy', 'sell'),
  wallet: anyAddress,
  venue: fc.constantFrom('uniswap-v2', 'uniswap-v4'),
  pool: poolOfAddress,
  amountRaw: uint256,
  quoteToken: anyAddress,
  quoteAmountRaw: uint256,
  priceNative: nullable(price),
  priceUsd: nullable(price),
  valueNative: nullable(price),
  valueUsd: nullable(price),
  outlier: fc.boolean(),
});

export function uniqueBy<T>(arbitrary: fc.Arbitrary<T>, toKey: (record: T) => string) {
  return fc.uniqueArray(arbitrary, { selector: toKey, minLength: 1, maxLength: 8 });
}

const DAY_MS = 86_400_000;

const tradeFigures: fc.Arbitrary<TradeFigures> = record({
  volumeUsdE6: fc.bigInt({ min: 0n, max: 10n ** 40n }),
  realisedUsdE6: fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  buys: fc.integer({ min: 1, max: 2 ** 40 }),
  sells: count,
});

/** Days, then the hours of later ones. */
const periods = fc
  .tuple(fc.array(tradeFigures, { maxLength: 4 }), fc.array(tradeFigures, { maxLength: 4 }))
  .map(([days, hours]) => [
    ...days.map((figures, index) => ({
      ...{ length: 'day' as const, startMs: (19_000 + index) * DAY_MS },
      ...figures,
    })),
    ...hours.map((figures, index) => ({
      ...{ length: 'hour' as const, startMs: 19_010 * DAY_MS + index * 3_600_000 },
      ...figures,
    })),
  ]);

export const positionRecord: fc.Arbitrary<PositionRecord> = record({
  token: anyAddress,
  wallet: anyAddress,
  boughtRaw: uint256,
  costUsdE6: fc.bigInt({ min: 0n, max: 10n ** 40n }),
  otherRaw: uint256,
  isCostKnown: fc.boolean(),
  firstTradeAtMs: timestampMs,
  lastTradeAtMs: timestampMs,
  older: tradeFigures,
  periods,
});
