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
import { type ServiceTradeInput, until } from '../trade-service.ts';

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

test('thirty random trades pay what was quoted, to the unit', async (t) => {
  // `SOLANA_TRADES_SEED=<seed>` runs the trades of a run that failed again.
  const seed = Number(process.env['SOLANA_TRADES_SEED'] ?? 7);
  t.diagnostic(`SOLANA_TRADES_SEED=${seed}`);
  const tally = await runSolanaTrades(service, { count: 30, random: createRandom(seed) });
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
  const nothing = { block: null, tradeIds: [], paid: null, received: null, reason: null };
  const asked = `&lastValidBlockHeight=${lastValidBlockHeight}`;
  assert.deepEqual(await readStatus(txHash), { status: 'unknown', ...nothing });
  assert.deepEqual(await readStatus(txHash, asked), { status: 'pending', ...nothing });
  service.seal();
  assert.equal((await readStatus(txHash, asked)).status, 'confirmed');
  await service.settle();
  const { paid, received } = await readStatus(txHash);
  const sol = { symbol: 'SOL', decimals: 9, native: true, amountRaw: '100000000', amount: '0.1' };
  assert.deepEqual(paid, { mint: '11111111111111111111111111111111', ...sol });
  assert.equal(received.mint, trade.mint);
  // One that was never sent, and could be executed up to the newest block.
  const never = await trader.identify((await buildWell(trader, trade)).transaction);
  const last = `&lastValidBlockHeight=${service.chain.head.height}`;
  for (let count = 0; count < FINAL_BLOCKS - 1; count += 1) service.seal();
  assert.equal((await readStatus(never, last)).status, 'pending');
  service.seal();
  assert.equal((await readStatus(never, last)).status, 'unknown');
});

test('fees are told for the pools that a trade locks, and a tip is part of the transaction', async () => {
  await service.settle();
  const trader = await createTrader(1);
  const trade = { mint: service.mintOf('MIST'), side: 'buy', amountInRaw: 10n ** 8n } as const;
  const { body } = await service.quote(trade);
  const pools = (body as Json)['route'].flatMap(({ hops }: Json) =>
    hops.map((one: Json) => one.pool),
  );
  const fees = await service.read(`/chain/fees?chain=${SLUG}&pools=${pools.join()}`);
  assert.deepEqual([fees.unit, fees.baseFeeRaw, fees.basePrice], ['computeUnit', '5000', null]);
  assert.deepEqual(
    fees.percentiles.map((one: Json) => one.percentile),
    [10, 25, 50, 75, 90, 99],
  );
  assert.ok(pools.every((pool: string) => fees.accounts.includes(pool)));
  const { computeUnitPriceMicroLamports } = await buildWell(trader, trade);
  assert.equal(fees.priority.medium, computeUnitPriceMicroLamports);
  const asked = (path: string) => service.client.send('GET', `/chain/fees?chain=${SLUG}${path}`);
  const unknown = await asked(`&pools=${trader.address}`);
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'POOL_NOT_FOUND']);
  assert.equal((await asked('&pools=nothing')).body.code, 'INVALID_ADDRESS');
  const tipped = await trader.build(trade, { jitoTipLamports: '1000000' });
  assert.equal(tipped.status, 200, JSON.stringify(tipped.body));
  const { quote, summary, transactions } = tipped.body as Json;
  assert.equal(quote.networkCost.tipRaw, '1000000');
  assert.ok(summary.some((line: string) => line.includes('a tip of 1000000 lamports for Jito')));
  const txHash = await trader.send(transactions[0].transaction);
  service.seal();
  assert.equal((await readStatus(txHash)).status, 'confirmed');
  for (const text of ['999', '1000000001', '0x10', '1.5']) {
    const refused = await trader.build(trade, { jitoTipLamports: text });
    assert.equal((refused.body as Json)['errors'][0].path, 'jitoTipLamports', text);
  }
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

test('a token with a transfer fee is quoted with it, and pays to the unit', async () => {
  await service.settle();
  const trader = await createTrader(2);
  const mint = service.mintOf('LEVY');
  service.fund(trader.address, 1000);
  service.seal();
  await service.settle();
  const trades: ServiceTradeInput[] = [
    { mint, side: 'buy', amountInRaw: 10n ** 9n },
    { mint, side: 'sell', amountInRaw: 100_000_000n },
    { mint, side: 'buy', amountOutRaw: 50_000_000n },
    { mint, side: 'sell', amountOutRaw: 10n ** 8n },
  ];
  for (const trade of trades) {
    const { body } = await service.quote(trade);
    const { exact, fees, tokenSafety, input, output, warnings } = body as Json;
    assert.equal(exact, true, JSON.stringify(warnings));
    assert.deepEqual([tokenSafety.buyTaxBps, tokenSafety.sellTaxBps], [200, 200]);
    assert.ok(warnings.some(({ code }: Json) => code === 'TAXED_TOKEN'));
    const [levied] = fees.filter(({ kind }: Json) => kind === 'transfer');
    assert.deepEqual([levied.bps, levied.mint], [200, mint]);
    const sent = BigInt(trade.side === 'buy' ? output.amountRaw : input.amountRaw);
    const share = trade.side === 'buy' ? 49n : 50n;
    assert.ok(BigInt(levied.amountRaw) - sent / share <= 1n, levied.amountRaw);
    const before = service.readBalance(trader.address, mint);
    const { transaction } = await buildWell(trader, trade);
    await trader.send(transaction);
    service.seal();
    const moved = service.readBalance(trader.address, mint) - before;
    assert.equal(moved, trade.side === 'buy' ? sent : -sent);
    await service.settle();
  }
});

/** Builds what was quoted, sends it, and compares what the wallet got. */
async function tradeAsQuoted(trader: SolanaTrader, trade: ServiceTradeInput): Promise<Json> {
  const { status, body } = await service.quote(trade);
  assert.equal(status, 200, JSON.stringify(body));
  const quote = body as Json;
  assert.equal(quote.exact, true, JSON.stringify(quote.warnings));
  const built = await trader.build(trade, { quoteId: quote.quoteId });
  assert.equal(built.status, 200, JSON.stringify(built.body));
  const { transactions, quote: priced } = built.body as Json;
  assert.deepEqual(priced.route, quote.route);
  const [{ transaction }] = transactions;
  const { length } = Buffer.from(transaction, 'base64');
  assert.ok(length <= 1232, `${length} bytes`);
  const mints: string[] = [quote.input.mint, quote.output.mint];
  const before = mints.map((mint) => service.readBalance(trader.address, mint));
  await trader.send(transaction);
  service.seal();
  const after = mints.map((mint) => service.readBalance(trader.address, mint));
  const [spent, received] = after.map((held, index) => held - (before[index] ?? 0n));
  if (mints[0] !== service.mintOf('SOL')) assert.equal(String(spent), `-${quote.input.amountRaw}`);
  if (mints[1] !== service.mintOf('SOL')) assert.equal(String(received), quote.output.amountRaw);
  await service.settle();
  return quote;
}

test('three hops over SOL and dollars, where nothing else connects two tokens', async () => {
  await service.settle();
  const trader = await createTrader(0);
  service.fund(trader.address, 5000);
  service.seal();
  await service.settle();
  const [mist, sol, usdc] = [
    service.mintOf('MIST'),
    service.mintOf('WSOL'),
    service.mintOf('USDC'),
  ];
  for (const symbol of ['GRAM', 'NOVA']) {
    const mint = service.mintOf(symbol);
    const sides = [
      { side: 'buy', amountInRaw: 10_000_000_000n, path: [mist, sol, usdc, mint] },
      { side: 'sell', amountInRaw: 10_000n, path: [mint, usdc, sol, mist] },
      { side: 'buy', amountOutRaw: 20_000n, path: [mist, sol, usdc, mint] },
    ] as const;
    for (const { path, ...trade } of sides) {
      const { route } = await tradeAsQuoted(trader, { mint, quoteMint: mist, ...trade });
      assert.equal(route.length, 1);
      const [{ hops }] = route;
      const ways = hops.map(({ tokenIn, tokenOut }: Json) => [tokenIn, tokenOut]);
      assert.deepEqual(ways, [path.slice(0, 2), path.slice(1, 3), path.slice(2, 4)]);
    }
  }
});

test('a trade over several pools lands although its first pool has moved a little', async () => {
  await service.settle();
  const [trader, other] = [await createTrader(0), await createTrader(1)];
  for (const { address } of [trader, other]) service.fund(address, 5000);
  service.seal();
  await service.settle();
  const [mist, mint] = [service.mintOf('MIST'), service.mintOf('GRAM')];
  const trade = { mint, quoteMint: mist, side: 'buy', amountInRaw: 1_000_000_000n } as const;
  const { body } = await service.quote(trade);
  const quote = body as Json;
  const codes = quote.warnings.map(({ code }: Json) => code);
  assert.ok(codes.includes('LEFTOVER_TOKENS'), JSON.stringify(codes));
  const transaction = (await buildWell(trader, trade)).transaction;
  // The same pool is sold to first, which makes it pay about 0.1 % less.
  const [first] = quote.route[0].hops;
  assert.deepEqual([first.tokenIn, first.tokenOut], [mist, service.mintOf('WSOL')]);
  const moving = { mint: mist, side: 'sell', slippageBps: 500 } as const;
  const amountInRaw = await findMovingAmount(first);
  await other.send((await buildWell(other, { ...moving, amountInRaw })).transaction);
  service.seal();
  const before = service.readBalance(trader.address, mint);
  const txHash = await trader.send(transaction, { skipPreflight: true });
  service.seal();
  const { status, reason } = await readStatus(txHash);
  assert.equal(status, 'confirmed', reason);
  const received = service.readBalance(trader.address, mint) - before;
  assert.equal(String(received), quote.output.amountRaw, 'later pools did not move');
  await service.settle();
  // The rest that the first hop left is not what was bought.
  const told = await readStatus(txHash);
  assert.deepEqual([told.paid.mint, told.paid.amountRaw], [mist, String(trade.amountInRaw)]);
  assert.deepEqual([told.received.mint, told.received.amountRaw], [mint, String(received)]);
  assert.equal(told.received.symbol, 'GRAM');
});

/** What is sold to a pool so that the hop pays about a thousandth less. */
async function findMovingAmount({ pool }: Json): Promise<bigint> {
  const { base, reserves } = await service.read(`/pool?chain=${SLUG}&pool=${pool}`);
  assert.equal(base.mint, service.mintOf('MIST'));
  return BigInt(reserves.base.amountRaw) / 2000n;
}

test('a large trade is divided over a direct pool and two others', async () => {
  await service.settle();
  const trader = await createTrader(1);
  service.fund(trader.address, 120_000);
  service.seal();
  await service.settle();
  const mint = service.mintOf('BOLT');
  const sold = await tradeAsQuoted(trader, {
    mint,
    side: 'sell',
    amountInRaw: 30_000n * 10n ** 9n,
  });
  const bought = await tradeAsQuoted(trader, { mint, side: 'buy', amountInRaw: 400n * 10n ** 9n });
  for (const { route } of [sold, bought]) {
    const lengths = route.map(({ hops }: Json) => hops.length).sort();
    assert.deepEqual(lengths, [1, 2], JSON.stringify(route));
  }
});

function factsOf(json: Json): Record<string, Json> {
  return Object.fromEntries(json.facts.map((fact: Json) => [fact.code, fact]));
}

async function readSafety(mint: string): Promise<Json> {
  const path = `/token/safety?chain=${SLUG}&mint=${mint}`;
  let json: Json = null;
  await until(`${mint} is read`, async () => {
    json = await service.read(path);
    return factsOf(json)['TOKEN_PROGRAM']?.value !== null;
  });
  return json;
}

test("a mint's powers, fees and launch are facts with a source and a slot", async () => {
  await service.settle();
  const levied = await readSafety(service.mintOf('LEVY'));
  const facts = factsOf(levied);
  const read = facts['TRANSFER_FEE_BPS'] as Json;
  assert.deepEqual([read.value, read.source], [200, 'mint']);
  assert.ok(read.block > 0 && read.block <= service.chain.head.slot);
  const plain = ['TRANSFER_HOOK', 'PERMANENT_DELEGATE', 'PAUSE_AUTHORITY', 'FROZEN_BY_DEFAULT'];
  for (const code of plain) assert.equal(facts[code]?.value, false, code);
  assert.equal(facts['FREEZE_AUTHORITY']?.value, false);
  assert.equal(facts['MINT_AUTHORITY']?.value, service.scene.wallets.maker.address);
  assert.ok(facts['TOP10_ACCOUNTS_PCT']?.value > 50);
  assert.ok(levied.pools.every(({ buyTaxBps }: Json) => buyTaxBps === 200));
  const codes = levied.warnings.map(({ code }: Json) => code);
  for (const code of ['MINT_AUTHORITY', 'TAXED_TOKEN']) assert.ok(codes.includes(code), code);
  // Its creator bought with the transaction that opened the curve.
  const coin = service.coins[0] ?? assert.fail();
  const launched = factsOf(await readSafety(coin.mint));
  assert.equal(launched['LAUNCH_BUNDLE_WALLETS']?.value, 1);
  const share = launched['LAUNCH_BUNDLE_PCT'] as Json;
  assert.ok(share.value > 1 && share.value < 10, String(share.value));
  assert.equal(share.source, 'index');
  assert.equal(launched['MINT_AUTHORITY']?.value, false);
});

test('a build and a quote warn of a mint authority', async () => {
  await service.settle();
  const trader = await createTrader(1);
  const order = { side: 'buy', amountInRaw: 10n ** 7n } as const;
  const { body } = await trader.build({ mint: service.mintOf('MIST'), ...order });
  const { quote, summary } = body as Json;
  const codes = quote.warnings.map(({ code }: Json) => code);
  assert.ok(codes.includes('MINT_AUTHORITY'), JSON.stringify(codes));
  assert.ok(summary.some((line: string) => /can be minted/.test(line)));
  await until('the quote warns, too', async () => {
    const quoted = await service.quote({ mint: service.mintOf('MIST'), ...order });
    return (quoted.body as Json).warnings.some(({ code }: Json) => code === 'MINT_AUTHORITY');
  });
  const stable = await trader.build({ mint: service.mintOf('USDC'), ...order });
  const ofStable = (stable.body as Json).quote.warnings.map(({ code }: Json) => code);
  assert.ok(!ofStable.includes('MINT_AUTHORITY'), JSON.stringify(ofStable));
});

test('a build ends at a block height, and costs what its priority says', async () => {
  await service.settle();
  const trader = await createTrader(1);
  const order = { mint: service.mintOf('MIST'), side: 'buy', amountInRaw: 10n ** 7n } as const;
  const costs = [];
  for (const priority of ['medium', { microLamports: '2000000' }]) {
    const { body } = await trader.build({ ...order, priority });
    const { deadline, summary, transactions, quote } = body as Json;
    assert.equal(deadline, null);
    const line = `Void after block height ${transactions[0].lastValidBlockHeight}, in about a minute`;
    assert.ok(summary.includes(line), JSON.stringify(summary));
    costs.push(quote.networkCost.computeUnitPriceMicroLamports);
  }
  assert.deepEqual(costs, ['10000', '2000000']);
  const quoted = await service.quote({ ...order, priority: { microLamports: '2000000' } });
  const { networkCost } = quoted.body as Json;
  assert.equal(networkCost.computeUnitPriceMicroLamports, '2000000');
  assert.equal(BigInt(networkCost.priorityFeeRaw), BigInt(networkCost.computeUnits) * 2n);
});

test('names of other things, and amounts of more than 64 bits, are errors of their field', async () => {
  await service.settle();
  const { client, scene } = service;
  const [evm, wallet] = ['0x4200000000000000000000000000000000000006', scene.wallets.maker.address];
  const mint = service.mintOf('MIST');
  const [pool] = scene.pools;
  const good = { chain: SLUG, mint, side: 'buy', amountInRaw: '1000' };
  const cases: readonly (readonly [Json, string, string])[] = [
    [{ ...good, mint: evm }, 'INVALID_ADDRESS', 'mint'],
    [{ ...good, quoteMint: evm }, 'INVALID_ADDRESS', 'quoteMint'],
    [{ ...good, amountInRaw: String(2n ** 64n) }, 'INVALID_INPUT', 'amountInRaw'],
    [{ ...good, mint: wallet }, 'INVALID_INPUT', 'mint'],
    [{ ...good, mint: pool?.pool }, 'INVALID_INPUT', 'mint'],
    [{ ...good, quoteMint: wallet }, 'INVALID_INPUT', 'quoteMint'],
  ];
  const { token } = await createTrader(1);
  for (const [body, code, path] of cases) {
    for (const [operation, bearer] of [['quote'], ['build', token]] as const) {
      const answer = await client.send('POST', `/trade/${operation}`, {
        ...{ body, ...(bearer === undefined ? {} : { bearer }) },
      });
      const { errors } = answer.body as Json;
      assert.deepEqual([answer.status, answer.body.code], [400, code], JSON.stringify(body));
      assert.equal(errors[0].path, path, JSON.stringify(answer.body));
    }
  }
  for (const address of [evm, pool?.pool ?? assert.fail()]) {
    const answer = await client.send('POST', '/auth/challenge', { body: { address, chain: SLUG } });
    const { errors } = answer.body as Json;
    assert.deepEqual([answer.status, answer.body.code], [400, 'INVALID_ADDRESS']);
    assert.equal(errors[0].path, 'address');
  }
});
