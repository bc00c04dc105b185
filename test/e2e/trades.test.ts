// A hundred random trades, from the quote to the block: what was promised is what arrives.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../fakes/fake-chain.ts';
import { runRandomTrades } from '../random-trades.ts';
import { startTradeService } from '../trade-service.ts';

const COUNT = 100;

test('behavior: random trades over all venues, sides, sizes and tokens pay what they promised', async (t) => {
  const service = await startTradeService(t);
  const tally = await runRandomTrades(service, { count: COUNT, random: createRandom(3) });
  assert.ok(tally.executed >= COUNT);
  // Taxed, hooked and unsellable tokens are six of the thirty and more that are drawn from.
  assert.ok(tally.exact >= COUNT * 0.6, `only ${tally.exact} promised`);
  assert.ok(tally.rerouted <= COUNT / 10, `${tally.rerouted} built along other routes than quoted`);
  assert.ok(tally.divided >= 3, `only ${tally.divided} divided`);
  for (const name of [
    'uniswap-v2',
    'uniswap-v3',
    'uniswap-v4',
    'buy',
    'sell',
    '2 hops',
    '3 hops',
  ]) {
    assert.ok((tally.seen.get(name) ?? 0) >= 8, `${name}: ${tally.seen.get(name)}`);
  }
  for (const size of ['dust', 'small', 'usual', 'large', 'draining']) {
    assert.ok((tally.seen.get(size) ?? 0) >= 2, `${size}: ${tally.seen.get(size)}`);
  }
});
