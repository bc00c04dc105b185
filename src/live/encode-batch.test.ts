// Trades of a batch are the same however they are decoded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCheckpoint, buildTrade } from '../../test/conformance/store-samples.ts';
import type { TradeRecord } from '../model/market-record.ts';
import { decodeBatch, encodeBatch, parseBatch, serializeCommit } from './encode-batch.ts';
import type { FeedBatch } from './feed.ts';

/** Texts with what separates the fields of trades. */
const VENUES = ['uniswap-v3', '"},{"token":"', '[{},{}]', 'é":"é', '{"', '},'];

function buildTrades(count: number): TradeRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const venue = VENUES[index % VENUES.length] ?? '';
    return buildTrade({ block: index, amountRaw: 2n ** 200n + BigInt(index), venue });
  });
}

function buildCommit(trades: readonly TradeRecord[]) {
  const checkpoint = { ...buildCheckpoint(1), block: 1, finalizedBlock: 1 };
  const tokens = [...new Set(trades.map(({ token }) => token))];
  const rows = { tokens, pools: [], listed: [], complete: true };
  const place = { chain: 'devnet', epoch: 'first', version: 1, fromBlock: 1, toBlock: 1 } as const;
  return { ...place, checkpoint, trades, ...rows };
}

function openBatch(trades: readonly TradeRecord[]): FeedBatch {
  return decodeBatch(encodeBatch(buildCommit(trades)));
}

test('parts give the same trades as one reading, at any length', () => {
  for (const count of [0, 1, 2, 199, 200, 201, 400, 401, 1234]) {
    const trades = buildTrades(count);
    assert.deepEqual(openBatch(trades).readTrades(), trades);
    const batch = openBatch(trades);
    let parts = 0;
    while (batch.decodeSome()) parts += 1;
    assert.equal(parts, Math.max(0, Math.ceil(count / 200) - 1));
    assert.deepEqual(batch.readTrades(), trades);
    assert.ok(!batch.decodeSome());
    assert.equal(batch.readTrades(), batch.readTrades());
  }
});

test('trades may be read before all parts are decoded', () => {
  const trades = buildTrades(1000);
  const batch = openBatch(trades);
  assert.ok(batch.decodeSome());
  assert.deepEqual(batch.readTrades(), trades);
  assert.ok(!batch.decodeSome());
});

test('a commit whose trades were left out is incomplete unless the store has just these', async () => {
  const trades = buildTrades(300);
  const row = serializeCommit(buildCommit(trades));
  assert.ok(row.length < 1000);
  // As a version reads it that does not know of trades that are left out.
  assert.equal(JSON.parse(row).complete, false);
  const read = (stored: readonly TradeRecord[]) => parseBatch(row, async () => stored);
  const whole = await read(trades);
  assert.equal(whole.complete, true);
  assert.deepEqual(whole.readTrades(), trades);
  const filledIn = await read([...trades, buildTrade({ block: 1, logIndex: 9 })]);
  assert.equal(filledIn.complete, false);
});
