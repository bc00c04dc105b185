// Pins that an exported file holds the store's rows, all of them and nothing else.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { BARE_ENV } from '../../test/bare-env.ts';
import { FakeChain } from '../../test/fakes/fake-chain.ts';
import { startIndexer } from '../../test/fakes/indexed-chain.ts';
import { type CarriedCandle, carryCloses, NO_CLOSES } from '../candles/derive-klines.ts';
import { findFamily } from '../engines/chain-families.ts';
import type { CandleRecord, TradeRecord } from '../model/market-record.ts';
import { createSqliteStore } from '../store/sqlite/create-sqlite-store.ts';

const { toShown: toShownAddress } = findFamily('devnet').addresses;

const HOUR_MS = 3_600_000;
const FINALITY_DEPTH = 7;

async function collect<T>(scan: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const rows of scan) all.push(...rows);
  return all;
}

function toTradeRow(trade: TradeRecord) {
  return {
    mint: toShownAddress(trade.token),
    timestamp: trade.timestampMs,
    block: trade.block,
    log_index: trade.logIndex,
    tx_hash: trade.txHash,
    tx_swap_index: trade.index,
    side: trade.side,
    wallet: toShownAddress(trade.wallet),
    venue: trade.venue,
    pool: toShownAddress(trade.pool),
    amount_raw: String(trade.amountRaw),
    quote_mint: toShownAddress(trade.quoteToken),
    quote_amount_raw: String(trade.quoteAmountRaw),
    price_native: trade.priceNative,
    price_usd: trade.priceUsd,
    value_native: trade.valueNative,
    value_usd: trade.valueUsd,
    outlier: trade.outlier,
  };
}

function toKlineRow(candle: CarriedCandle) {
  return {
    mint: toShownAddress(candle.token),
    interval: candle.interval,
    open_time: candle.openTimeMs,
    open_usd: candle.usdClean?.open ?? candle.before.usdClean,
    high_usd: candle.usdClean?.high ?? candle.before.usdClean,
    low_usd: candle.usdClean?.low ?? candle.before.usdClean,
    close_usd: candle.usdClean?.close ?? candle.before.usdClean,
    open_native: candle.nativeClean?.open ?? candle.before.nativeClean,
    high_native: candle.nativeClean?.high ?? candle.before.nativeClean,
    low_native: candle.nativeClean?.low ?? candle.before.nativeClean,
    close_native: candle.nativeClean?.close ?? candle.before.nativeClean,
    volume_raw: String(candle.volumeRaw),
    volume_native: candle.quoteVolumeNative,
    volume_usd: candle.quoteVolumeUsd,
    trades: candle.trades,
    buys: candle.buys,
    sells: candle.sells,
    filled: candle.usdClean === null && candle.nativeClean === null,
  };
}

function toCsv(rows: readonly object[]): string[] {
  return rows.map((row) =>
    Object.values(row)
      .map((value) => value ?? '')
      .join(','),
  );
}

describe('export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-export-'));
  let trades: TradeRecord[] = [];
  let candles: CandleRecord[] = [];
  let finalizedMs = 0;

  before(async () => {
    const store = await createSqliteStore({ file: join(folder, 'market.sqlite') });
    const chain = new FakeChain({ seed: 17, finalityDepth: FINALITY_DEPTH, blockMs: HOUR_MS });
    chain.extend(120);
    const { indexer, settle } = startIndexer(chain, store.market);
    await settle();
    await indexer.stop();
    finalizedMs = chain.header(chain.finalized)!.timestampMs;
    trades = (await collect(store.market.scanTrades('devnet'))).filter(
      ({ block }) => block <= chain.finalized,
    );
    candles = (await collect(store.market.scanCandles('devnet'))).filter(
      ({ pool }) => pool === null,
    );
    await store.close();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(...typed: string[]) {
    return spawnSync(
      process.execPath,
      ['src/cli/main.ts', 'export', '--chain', 'devnet', ...typed],
      {
        env: { ...BARE_ENV, DATA_DIR: folder },
        encoding: 'utf8',
        maxBuffer: 64 * 1024 ** 2,
      },
    );
  }

  test('trades go to standard output as CSV, those that are final, in chain order', () => {
    const { status, stdout, stderr } = run('--table', 'trades', '--format', 'csv', '--out', '-');
    assert.equal(status, 0, stderr);
    assert.equal(stderr, `${trades.length} rows\n`);
    const [head, ...lines] = stdout.trimEnd().split('\n');
    assert.equal(head, Object.keys(toTradeRow(trades[0]!)).join(','));
    assert.deepEqual(lines, toCsv(trades.map(toTradeRow)));
  });

  test('a Parquet file of trades has typed columns and every digit', async () => {
    const out = join(folder, 'trades.parquet');
    const { status, stderr } = run('--table', 'trades', '--format', 'parquet', '--out', out);
    assert.equal(status, 0, stderr);
    const file = await asyncBufferFromFile(out);
    const rows = await parquetReadObjects({ file });
    assert.deepEqual(
      rows,
      trades.map(toTradeRow).map((row) => ({
        ...row,
        timestamp: new Date(row.timestamp),
        block: BigInt(row.block),
        log_index: BigInt(row.log_index),
        tx_swap_index: BigInt(row.tx_swap_index),
      })),
    );
    const { schema } = await parquetMetadataAsync(file);
    const types = Object.fromEntries(schema.map((one) => [one.name, one.converted_type]));
    assert.equal(types['timestamp'], 'TIMESTAMP_MILLIS');
    assert.equal(types['amount_raw'], 'UTF8');
  });

  test('klines of an interval are those that ended before the finalized block', async () => {
    const out = join(folder, 'klines.parquet');
    const { status, stderr } = run(
      ...['--table', 'klines', '--interval', '2h', '--format', 'parquet', '--out', out],
    );
    assert.equal(status, 0, stderr);
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(out) });
    const ended = candles
      .filter(({ interval }) => interval === '2h')
      .filter(({ openTimeMs }) => openTimeMs + 2 * HOUR_MS <= finalizedMs)
      .sort((a, b) => a.openTimeMs - b.openTimeMs);
    const byToken = Map.groupBy(ended, ({ token }) => token);
    const expected = [...byToken.values()]
      .flatMap((own) => carryCloses(own, NO_CLOSES).map(toKlineRow))
      .filter((row) => row.open_usd !== null || row.open_native !== null);
    const toKey = (row: Record<string, unknown>) => `${row['mint']} ${Number(row['open_time'])}`;
    const sort = (list: Record<string, unknown>[]) =>
      list.sort((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
    assert.ok(expected.length > 0);
    assert.deepEqual(
      sort(rows),
      sort(
        expected.map((row) => ({
          ...row,
          open_time: new Date(row.open_time),
          trades: BigInt(row.trades),
          buys: BigInt(row.buys),
          sells: BigInt(row.sells),
        })),
      ),
    );
  });

  test('a token and a span of time leave out the rest', () => {
    const { token, timestampMs } = trades[Math.floor(trades.length / 2)]!;
    const span = { from: timestampMs - 20 * HOUR_MS, to: timestampMs };
    const wanted = trades.filter(
      (trade) =>
        trade.token === token && trade.timestampMs >= span.from && trade.timestampMs < span.to,
    );
    assert.ok(wanted.length > 0);
    const [from, to] = [span.from, span.to].map((ms) => new Date(ms).toISOString());
    const { status, stdout, stderr } = run(
      ...['--table', 'trades', '--format', 'csv', '--out', '-'],
      ...['--token', token, '--from', from!, '--to', to!],
    );
    assert.equal(status, 0, stderr);
    assert.deepEqual(stdout.trimEnd().split('\n').slice(1), toCsv(wanted.map(toTradeRow)));
  });

  test('a failed export prints an error, and no file is left over or lost', () => {
    const kept = join(folder, 'market.sqlite');
    for (const [typed, says] of [
      [['--table', 'pools', '--format', 'csv', '--out', '-'], /--table must be/],
      [['--table', 'trades', '--format', 'xml', '--out', '-'], /--format must be/],
      [['--table', 'trades', '--format', 'parquet', '--out', '-'], /Parquet needs a file/],
      [['--table', 'trades', '--format', 'csv', '--out', kept], /exists already/],
      [['--table', 'klines', '--interval', '7m', '--format', 'csv', '--out', '-'], /--interval/],
      [['--table', 'trades', '--format', 'csv', '--out', '-', '--from', 'May'], /--from/],
    ] as const) {
      const { status, stderr } = run(...typed);
      assert.equal(status, 2, typed.join(' '));
      assert.match(stderr, says);
    }
    const lost = run('--table', 'trades', '--format', 'csv', '--out', join(folder, 'no', 'a.csv'));
    assert.equal(lost.status, 1);
    assert.match(lost.stderr, /mintwire: ENOENT/);
    assert.ok(readFileSync(kept).length > 0);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.part')),
      [],
    );
  });
});
