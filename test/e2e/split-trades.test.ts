// A trade over several routers in one batch, offered by POST /trade/build beside the transactions.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../fakes/create-random.ts';
import { setUp } from '../root-hooks.ts';
import { runSplitTrades } from '../split-trades.ts';
import { startTradeService, type TradeService } from '../trade-service.ts';

const SEED = 41;

let service: TradeService;

setUp(async (t) => {
  service = await startTradeService(t, { hasOthers: true });
});

test('random batches over several routers pay what they say, or nothing happens', async (t) => {
  const tally = await runSplitTrades(service, { count: 8, random: createRandom(SEED) });
  t.diagnostic(JSON.stringify({ ...tally, routers: [...tally.routers] }));
  assert.equal(tally.executed, 8);
});
