// GET /trade/status of a wallet's trades on a real chain: from unknown to final, asked and awaited.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import type { Json } from './market-scene.ts';
import {
  assertProblem,
  buildWell,
  type TestTrader,
  type TradeService,
  until,
} from './trade-service.ts';
import { setBalance } from './trade-wallet.ts';

const ETHER = 10n ** 18n;
const UNTRADED = { tradeIds: [], paid: null, received: null, reason: null };
const NOTHING = { block: null, ...UNTRADED };

export interface TradeCases {
  readonly service: TradeService;
  readonly trader: TestTrader;
}

async function readStatus({ client }: TradeService, txHash: string, more = ''): Promise<Json> {
  const path = `/trade/status?chain=devnet&txHash=${txHash}${more}`;
  const { status, body } = await client.send('GET', path);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

function readTrade({ client }: TradeService, id: string) {
  return client.send('GET', `/trade?${new URLSearchParams({ id })}`);
}

/** A trade that a list has is the same by its id, and of its transaction there is no other. */
async function assertReadById(service: TradeService, listed: Json, mint: string): Promise<void> {
  const { body } = await readTrade(service, listed['id']);
  const { token, asOf, ...trade } = body as Json;
  assert.deepEqual(trade, listed);
  assert.deepEqual(
    { ...token, mint: token.mint.toLowerCase() },
    { chain: 'devnet', mint: mint.toLowerCase(), symbol: 'SEAT', decimals: 0 },
  );
  assert.ok(asOf.block >= listed['block']);
  const other = await readTrade(service, listed['id'].replace(/0$/, '1'));
  assertProblem(other, 404, 'TRADE_NOT_FOUND');
}

async function untilStatus(
  service: TradeService,
  txHash: string,
  isThere: (answer: Json) => boolean,
): Promise<Json> {
  let answer: Json = {};
  await until(`${txHash} is reported`, async () => {
    answer = await readStatus(service, txHash);
    return isThere(answer);
  });
  return answer;
}

/** What a quote has beside the amount is left out. */
function pickAmount({ mint, symbol, decimals, native, amountRaw, amount }: Json): Json {
  return { mint, symbol, decimals, native, amountRaw, amount };
}

async function followOneTrade({ service, trader }: TradeCases): Promise<void> {
  const { chain } = service;
  const unknown = await readStatus(service, `0x${'12'.repeat(32)}`);
  assert.deepEqual(unknown, { status: 'unknown', ...NOTHING });
  const trade = { mint: service.mintOf('seat'), side: 'buy', amountInRaw: ETHER } as const;
  const built = await buildWell(trader, trade);
  const [txHash = '0x'] = await trader.send(built.transactions);
  assert.deepEqual(await readStatus(service, txHash), { status: 'pending', ...NOTHING });
  await chain.mine();
  const block = await chain.readHead();
  const mined = await untilStatus(service, txHash, ({ tradeIds }) => tradeIds.length > 0);
  const tradeIds = [`devnet:${txHash}:0`];
  const { input, output } = built.quote;
  const amounts = { paid: pickAmount(input), received: pickAmount(output) };
  assert.equal(amounts.paid['amountRaw'], ETHER.toString());
  assert.deepEqual(mined, { status: 'confirmed', block, tradeIds, ...amounts, reason: null });
  const path = `/token/trades?chain=devnet&mint=${trade.mint}&limit=1`;
  const { trades } = (await service.client.send('GET', path)).body as Json;
  assert.equal(trades[0].id, mined.tradeIds[0]);
  await assertReadById(service, trades[0], trade.mint);
  await chain.reorg(1);
  const back = await readStatus(service, txHash);
  assert.deepEqual([back.status === 'confirmed', back.tradeIds], [false, []]);
  assertProblem(await readTrade(service, `devnet:${txHash}:0`), 404, 'TRADE_NOT_FOUND');
  // At once: the build waits until the pools have left the block that is gone.
  await buildWell(trader, { ...trade, slippageBps: 500 });
}

async function followSplitTrade({ service, trader }: TradeCases): Promise<void> {
  const { chain } = service;
  const funds = { owner: trader.account.address, amountRaw: 2000n * ETHER };
  await setBalance(chain, ZERO_ADDRESS, funds);
  const trade = { mint: service.mintOf('wire'), side: 'buy', amountInRaw: 300n * ETHER } as const;
  const built = await buildWell(trader, { ...trade, slippageBps: 500 });
  assert.ok(built.quote.route.length > 1, 'not divided');
  const [txHash = '0x'] = await trader.send(built.transactions);
  await chain.mine();
  const hops = built.quote.route.flatMap((leg: Json) => leg.hops);
  const pools = new Set(hops.map(({ pool }: Json) => pool));
  const answer = await untilStatus(service, txHash, ({ tradeIds }) => tradeIds.length > 0);
  const expected = Array.from(pools, (_, index) => `devnet:${txHash}:${index}`);
  assert.deepEqual(answer.tradeIds, expected);
  await chain.rpc.call('anvil_mine', '0x42');
  const final = await untilStatus(service, txHash, ({ status }) => status === 'finalized');
  assert.deepEqual(final.tradeIds, expected);
}

/** The native coin that a sale pays has no log: the wallet's balances tell, if nothing else did. */
async function followSale({ service, trader }: TradeCases): Promise<void> {
  const { chain } = service;
  const mint = service.mintOf('wire');
  const funds = { owner: trader.account.address, amountRaw: 100n * ETHER };
  await setBalance(chain, ZERO_ADDRESS, funds);
  await service.give([[trader.account.address, mint, 20n * ETHER]]);
  const sale = { mint, side: 'sell', amountInRaw: 10n * ETHER } as const;
  const sell = async (isApprovedBefore: boolean) => {
    const { transactions, quote } = await buildWell(trader, sale);
    await trader.send(transactions.slice(0, -1));
    if (isApprovedBefore) await chain.mine();
    const [txHash = '0x'] = await trader.send(transactions.slice(-1));
    await chain.mine();
    const { paid, received } = await untilStatus(service, txHash, (one) => one.tradeIds.length > 0);
    assert.deepEqual(paid, pickAmount(quote.input));
    return { transactions, received, output: pickAmount(quote.output) };
  };
  const together = await sell(false);
  assert.ok(together.transactions.length > 1);
  assert.equal(together.received, null, 'the other transactions of the block cost, too');
  const alone = await sell(true);
  assert.equal(alone.output['native'], true);
  assert.deepEqual(alone.received, alone.output);
}

async function followFailedTrade({ service, trader }: TradeCases): Promise<void> {
  const { chain } = service;
  const trade = { mint: service.mintOf('cent'), side: 'buy', amountInRaw: ETHER } as const;
  const built = await buildWell(trader, { ...trade, slippageBps: 0 });
  await chain.buy({ token: 'cent', venue: 'uniswap-v3', amountInRaw: ETHER });
  const [txHash = '0x'] = await trader.send(built.transactions);
  await chain.mine();
  const block = await chain.readHead();
  assert.deepEqual(await readStatus(service, txHash), {
    ...{ status: 'reverted', block, ...UNTRADED },
  });
}

/** Without the wait the answers would be those of before: `pending`, and `confirmed` twice. */
async function awaitOneTrade({ service, trader }: TradeCases): Promise<void> {
  const { chain } = service;
  const trade = { mint: service.mintOf('cent'), side: 'buy', amountInRaw: ETHER / 100n } as const;
  const built = await buildWell(trader, { ...trade, slippageBps: 500 });
  const [txHash = '0x'] = await trader.send(built.transactions);
  const wait = (knownStatus: string) =>
    readStatus(service, txHash, `&waitMs=25000&knownStatus=${knownStatus}`);
  // What the caller does not know yet is answered at once: the chain stands still.
  assert.deepEqual(await wait('unknown'), { status: 'pending', ...NOTHING });
  const waiting = wait('pending');
  await chain.mine();
  const block = await chain.readHead();
  const mined = await waiting;
  assert.deepEqual([mined.status, mined.block], ['confirmed', block]);
  await untilStatus(service, txHash, ({ tradeIds }) => tradeIds.length > 0);
  const ending = wait('confirmed');
  await chain.rpc.call('anvil_mine', '0x42');
  assert.equal((await ending).status, 'finalized');
  const still = await readStatus(service, txHash, '&waitMs=300&knownStatus=finalized');
  assert.deepEqual([still.status, still.block], ['finalized', block]);
}

/** Registers the tests; the scene is read when they run. */
export function describeTradeStatus(read: () => TradeCases): void {
  test('unknown, pending, confirmed with its trades, taken back, and final', () =>
    followOneTrade(read()));
  test('a split trade lists all of its trades, and is final once its block is', () =>
    followSplitTrade(read()));
  test('a sale says what it paid and received', () => followSale(read()));
  test('a transaction that failed is reverted, with its block and no trades', () =>
    followFailedTrade(read()));
  test('a request that waits is answered when the status changes', () => awaitOneTrade(read()));
  test('an id of no trade is told apart from one that cannot be one', async () => {
    const hash = `0x${'12'.repeat(32)}`;
    for (const [id, status, code] of [
      [`devnet:${hash}:0`, 404, 'TRADE_NOT_FOUND'],
      [`devnet:${hash}`, 400, 'INVALID_INPUT'],
      [`devnet:${hash}:-1`, 400, 'INVALID_INPUT'],
      ['devnet:0x12:0', 400, 'INVALID_INPUT'],
      [`base:${hash}:0`, 400, 'CHAIN_NOT_FOLLOWED'],
      [`mars:${hash}:0`, 400, 'UNKNOWN_CHAIN'],
    ] as const) {
      const { errors } = assertProblem(await readTrade(read().service, id), status, code);
      if (status === 400) assert.equal(errors[0].path, 'id');
    }
  });
  test('bad input is named', async () => {
    const hash = `0x${'12'.repeat(32)}`;
    for (const [query, code, field] of [
      ['chain=devnet&txHash=0x12', 'INVALID_INPUT', 'txHash'],
      ['chain=devnet', 'INVALID_INPUT', 'txHash'],
      [`chain=devnet&txHash=${hash}&waitMs=25001`, 'INVALID_INPUT', 'waitMs'],
      [`chain=devnet&txHash=${hash}&waitMs=5&knownStatus=x`, 'INVALID_INPUT', 'knownStatus'],
      [`chain=base&txHash=${hash}`, 'CHAIN_NOT_FOLLOWED', undefined],
      [`chain=mars&txHash=${hash}`, 'UNKNOWN_CHAIN', undefined],
    ] as const) {
      const answer = await read().service.client.send('GET', `/trade/status?${query}`);
      const { errors } = assertProblem(answer, 400, code);
      if (field !== undefined) assert.equal(errors[0].path, field);
    }
  });
}
