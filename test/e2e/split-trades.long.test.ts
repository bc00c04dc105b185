// Two hundred random trades over several routers, each in one batch of a wallet.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../fakes/create-random.ts';
import { setUp } from '../root-hooks.ts';
import { runSplitTrades } from '../split-trades.ts';
import { startTradeService, type TradeService } from '../trade-service.ts';

const COUNT = 50;

let service: TradeService;

setUp(async (t) => {
  service = await startTradeService(t, { hasOthers: true });
});

for (const seed of [1, 2, 3, 4]) {
  test(`${COUNT} random batches pay what they say, or nothing happens (seed ${seed})`, async (t) => {
    const tally = await runSplitTrades(service, { count: COUNT, random: createRandom(seed) });
    t.diagnostic(JSON.stringify({ ...tally, routers: [...tally.routers].sort() }));
    assert.ok(tally.moved > 0 && tally.routers.size >= 3, JSON.stringify(tally));
  });
}
