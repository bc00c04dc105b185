// The tape equals a fresh read after trades, repeated trades and reorganisations.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TradeRow } from '../../api/contract-types.ts';
import { matchesTapeFilter, TAPE_ROWS_MAX, TradeTape } from './trade-tape.ts';

function buildTapeTrade(id: string, changes: Partial<TradeRow> = {}): TradeRow {
  return {
    id,
    txHash: id,
    block: 1,
    index: 0,
    timestamp: 1,
    side: 'buy',
    wallet: '0xAb',
    venue: 'v',
    pool: 'p',
    amountRaw: '1',
    amount: '1',
    quote: { mint: 'm', symbol: null, decimals: null, amountRaw: '1', amount: null },
    priceNative: null,
    priceUsd: null,
    valueNative: null,
    valueUsd: null,
    outlier: false,
    finality: 'confirmed',
    ...changes,
  };
}

const listIds = (tape: TradeTape) => tape.rows.map(({ id }) => id).join(' ');

test('a trade that was read and also arrived is there once', () => {
  const tape = new TradeTape();
  const arrived = ['b', 'c', 'd'].map((id) => buildTapeTrade(id));
  tape.replace(
    ['c', 'b', 'a'].map((id) => buildTapeTrade(id)),
    arrived,
  );
  assert.equal(listIds(tape), 'd c b a');
  tape.append(['a', '0'].map((id) => buildTapeTrade(id)));
  assert.equal(listIds(tape), 'd c b a 0');
});

test('a full tape drops its oldest trades', () => {
  const tape = new TradeTape();
  for (let id = 0; id <= TAPE_ROWS_MAX; id += 1) tape.add(buildTapeTrade(`${id}`));
  tape.append([buildTapeTrade('older')]);
  assert.equal(tape.rows.length, TAPE_ROWS_MAX);
  assert.equal(tape.rows[0]?.id, `${TAPE_ROWS_MAX}`);
  assert.equal(tape.rows.at(-1)?.id, '1');
});

test('a reverted trade goes and may come again on the new branch', () => {
  const tape = new TradeTape();
  tape.replace(
    ['c', 'b', 'a'].map((id) => buildTapeTrade(id)),
    [],
  );
  tape.remove(new Set(['c', 'b', 'unseen']));
  assert.equal(listIds(tape), 'a');
  tape.add(buildTapeTrade('c'));
  assert.equal(listIds(tape), 'c a');
});

test('filters are those of the API', () => {
  const all = { side: null, minUsd: null, wallet: null };
  const trade = buildTapeTrade('a', { valueUsd: '250.5' });
  assert.ok(matchesTapeFilter(trade, all));
  assert.ok(!matchesTapeFilter(trade, { ...all, side: 'sell' }));
  assert.ok(matchesTapeFilter(trade, { ...all, wallet: '0xaB' }));
  assert.ok(matchesTapeFilter(trade, { ...all, minUsd: '250.5' }));
  assert.ok(!matchesTapeFilter(trade, { ...all, minUsd: '250.6' }));
  assert.ok(!matchesTapeFilter(buildTapeTrade('b'), { ...all, minUsd: '0.1' }));
});
