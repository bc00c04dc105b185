// The routes for clients of the Jupiter API, on a real service that follows the embedded Solana
// chain, against what our own operations answer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../test/market-scene.ts';
import { setUp } from '../../../test/root-hooks.ts';
import {
  SLUG,
  type SolanaTrader,
  type SolanaTradeService,
  startSolanaTradeService,
} from '../../../test/solana-trade-service.ts';

let service: SolanaTradeService;
let trader: SolanaTrader;

setUp(async (t) => {
  service = await startSolanaTradeService(t, { coinCount: 2 });
  await service.settle();
  trader = await service.createTrader(service.scene.wallets.testers[0] ?? assert.fail());
  const trade = { mint: service.mintOf('MIST'), side: 'buy', amountInRaw: 10n ** 9n } as const;
  const { body } = await trader.build(trade);
  await trader.send((body as Json).transactions[0].transaction);
  service.seal();
  await service.settle();
});

async function read(path: string, init: RequestInit = {}): Promise<{ status: number; json: Json }> {
  const response = await fetch(`${service.service.origin}/compat/jup${path}`, init);
  return { status: response.status, json: (await response.json()) as Json };
}

test('labels are those of the exchanges that the chain has', async () => {
  const { status, json } = await read('/swap/v1/program-id-to-label');
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json['675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'], 'Raydium');
  assert.equal(json['6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'], 'Pump.fun');
});

test('prices are those of POST /prices; a token that nobody knows is null', async () => {
  const known = service.mintOf('MIST');
  const unknown = trader.address;
  const { json } = await read(`/price/v2?ids=${known},${unknown}&vsToken=x`);
  const tokens = [{ chain: SLUG, mint: known }];
  const { body } = await service.client.send('POST', '/prices', { body: { tokens } });
  const price = (body as Json).prices[0].priceUsd;
  assert.ok(Number(price) > 0);
  assert.deepEqual(json.data, {
    [known]: { id: known, type: 'derivedPrice', price },
    [unknown]: null,
  });
});
