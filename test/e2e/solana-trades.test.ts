// Trades on the embedded Solana chain: from signing in to the status of what was sent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../fakes/create-random.ts';
import type { Json } from '../market-scene.ts';
import { setUp } from '../root-hooks.ts';
import { runSolanaTrades } from '../solana-random-trades.ts';
import {
  SLUG,
  type SolanaTrader,
  type SolanaTradeService,
  startSolanaTradeService,
} from '../solana-trade-service.ts';
import type { ServiceTradeInput } from '../trade-service.ts';

/** As many as the chain needs to make a block final. */
const FINAL_BLOCKS = 33;

let service: SolanaTradeService;

setUp(async (t) => {
  service = await startSolanaTradeService(t, { coinCount: 3 });
});

function createTrader(index: number): Promise<SolanaTrader> {
  return service.createTrader(service.scene.wallets.testers[index] ?? assert.fail());
}

async function buildWell(trader: SolanaTrader, trade: ServiceTradeInput): Promise<Json> {
  const { status, body } = await trader.build(trade);
  assert.equal(status, 200, JSON.stringify(body));
  return (body as Json).transactions[0];
}

function readStatus(txHash: string, more = ''): Promise<Json> {
  return service.read(`/trade/status?chain=${SLUG}&txHash=${txHash}${more}`);
}

test('thirty random trades pay what was quoted, to the unit', async () => {
  const tally = await runSolanaTrades(service, { count: 30, random: createRandom(7) });
  // One round in six buys a curve out; what else is drawn depends on how fast new curves are read.
  const counts = JSON.stringify([...tally.seen]);
  for (const name of ['pump', 'completion', 'given output']) {
    assert.ok((tally.seen.get(name) ?? 0) > 0, `${name}: ${counts}`);
  }
  assert.ok(tally.completed > 0, 'a curve is sold out');
});

test('a trade that the price has left behind is reverted, and the status says why', async () => {
  await service.settle();
  const [first, second] = [await createTrader(0), await createTrader(1)];
  const coin = service.coins.at(-1) ?? assert.fail();
  const reasons = [];
  for (const mint of [service.mintOf('MIST'), coin.mint]) {
    const trade = { mint, side: 'buy', amountInRaw: 10n ** 9n, slippageBps: 0 } as const;
    const [early, late] = [await buildWell(first, trade), await buildWell(second, trade)];
    await first.send(early.transaction);
    const txHash = await second.send(late.transaction, { skipPreflight: true });
    service.seal();
    const { status, block, tradeIds, reason } = await readStatus(txHash);
    assert.deepEqual([status, block, tradeIds], ['reverted', service.chain.head.slot, []]);
    reasons.push(reason);
    await service.settle();
  }
  assert.deepEqual(reasons, ['exceeded slippage', 'slippage: fewer tokens than the minimum']);
});

test('a trade that no node knows is pending as long as it can be executed', async () => {
  await service.settle();
  const trader = await createTrader(2);
  const trade = { mint: service.mintOf('MIST'), side: 'buy', amountInRaw: 10n ** 8n } as const;
  const { transaction, lastValidBlockHeight } = await buildWell(trader, trade);
  assert.equal(lastValidBlockHeight, service.chain.head.height + 150);
  const txHash = await trader.send(transaction);
  const nothing = { block: null, tradeIds: [], reason: null };
  const asked = `&lastValidBlockHeight=${lastValidBlockHeight}`;
  assert.deepEqual(await readStatus(txHash), { status: 'unknown', ...nothing });
  assert.deepEqual(await readStatus(txHash, asked), { status: 'pending', ...nothing });
  service.seal();
  assert.equal((await readStatus(txHash, asked)).status, 'confirmed');
  // One that was never sent, and could be executed up to the newest block.
  const never = await trader.identify((await buildWell(trader, trade)).transaction);
  const last = `&lastValidBlockHeight=${service.chain.head.height}`;
  for (let count = 0; count < FINAL_BLOCKS - 1; count += 1) service.seal();
  assert.equal((await readStatus(never, last)).status, 'pending');
  service.seal();
  assert.equal((await readStatus(never, last)).status, 'unknown');
});

test('a wallet of the chain signs in, issues a key, and builds with its session alone', async () => {
  await service.settle();
  const trader = await createTrader(0);
  const { client } = service;
  const { body: me } = await client.send('GET', '/me', { bearer: trader.token });
  assert.equal((me as Json)['wallet'].id, `solana:${trader.address}`);
  const { key } = await client.issueKey(trader.token);
  const order = { chain: SLUG, mint: service.mintOf('MIST'), side: 'buy', amountInRaw: '1000000' };
  const quoted = await client.send('POST', '/trade/quote', { body: order, bearer: key });
  assert.equal(quoted.status, 200, JSON.stringify(quoted.body));
  const refused = await client.send('POST', '/trade/build', { body: order, bearer: key });
  assert.deepEqual([refused.status, refused.body.code], [401, 'WALLET_SESSION_REQUIRED']);
  const { quoteId } = quoted.body as Json;
  const body = { ...order, quoteId };
  const built = await client.send('POST', '/trade/build', { body, bearer: trader.token });
  assert.deepEqual((built.body as Json)['transactions'][0].requiredSigners, [trader.address]);
});
