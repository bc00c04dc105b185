// POST /trade/build wallet by wallet, the status of trades, a hundred random trades, and no node.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodeFunctionData, getAddress } from 'viem';
import { TEST_ADDRESSES, TRADERS } from '../../devnet/accounts.ts';
import { ERC20_ABI } from '../../devnet/dex-abi.ts';
import { ZERO_ADDRESS } from '../../src/chains/evm/zero-address.ts';
import type { ClientAnswer } from '../access-client.ts';
import { createRandom } from '../fakes/create-random.ts';
import type { Json } from '../market-scene.ts';
import { assertVariety, runRandomTrades } from '../random-trades.ts';
import { setUp } from '../root-hooks.ts';
import { startTradeService, type TestTrader, type TradeService, until } from '../trade-service.ts';
import { setBalance } from '../trade-wallet.ts';
import { createEvmWallet, createSolanaWallet } from '../wallets.ts';

const ETHER = 10n ** 18n;
/** Accepts every signature (ERC-1271), but no native coin. */
const CONTRACT_WALLET = '0x34601457631626ba7e60e01b60005260206000f35b60006000fd';
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';

let service: TradeService;
let trader: TestTrader;

setUp(async (t) => {
  service = await startTradeService(t);
  trader = await service.createTrader();
  await giveEther(trader, 100n);
});

async function giveEther({ account }: TestTrader, ether: bigint): Promise<void> {
  const to = { owner: account.address, amountRaw: ether * ETHER };
  await setBalance(service.chain, ZERO_ADDRESS, to);
}

function assertProblem(answer: ClientAnswer, status: number, code: string): Json {
  assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
  return answer.body;
}

async function buildWell(who: TestTrader, ...args: Parameters<TestTrader['build']>): Promise<Json> {
  const { status, body } = await who.build(...args);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

function listKinds({ transactions }: Json): string[] {
  return transactions.map(({ kind }: Json) => kind);
}

function encodeAllowance(token: string, amount: bigint): Json {
  const args = [PERMIT2, amount] as const;
  const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args });
  return { to: token, data, value: '0', gas: '90000' };
}

async function readStatus(txHash: string): Promise<Json> {
  const path = `/trade/status?chain=devnet&txHash=${txHash}`;
  const { status, body } = await service.client.send('GET', path);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

describe('who may build', () => {
  test('only a wallet session may build; a key or no credential is 401', async () => {
    const trade = { chain: 'devnet', mint: service.mintOf('wire'), side: 'buy', amountInRaw: '9' };
    const { key } = await service.client.issueKey(trader.token);
    for (const bearer of [undefined, key]) {
      const answer = await service.client.send('POST', '/trade/build', { body: trade, bearer });
      assertProblem(answer, 401, 'WALLET_SESSION_REQUIRED');
    }
  });

  test('a Solana wallet cannot build on an EVM chain', async () => {
    const { token: bearer } = await service.client.signIn(createSolanaWallet());
    const body = { chain: 'devnet', mint: service.mintOf('wire'), side: 'buy', amountInRaw: '9' };
    const answer = await service.client.send('POST', '/trade/build', { body, bearer });
    assertProblem(answer, 409, 'WALLET_CHAIN_MISMATCH');
  });

  test('payer and recipient are never taken from the request', async () => {
    const trade = { mint: service.mintOf('wire'), side: 'buy', amountInRaw: ETHER } as const;
    for (const field of ['wallet', 'recipient', 'from']) {
      const answer = await trader.build(trade, { [field]: TEST_ADDRESSES[0] });
      assertProblem(answer, 400, 'INVALID_INPUT');
    }
    const built = await buildWell(trader, trade);
    assert.deepEqual([built.wallet, built.recipient], Array(2).fill(trader.account.address));
  });

  test('a contract wallet builds on its own chain, for itself', async () => {
    const { chain, client } = service;
    const owner = createEvmWallet('devnet');
    const address = getAddress(`0x${'c0de'.repeat(10)}`);
    await chain.rpc.call('anvil_setCode', address, CONTRACT_WALLET);
    const { token: bearer } = await client.signIn({ ...owner, address });
    const trade = { chain: 'devnet', mint: service.mintOf('wire'), amountInRaw: ETHER.toString() };
    const buy = { ...trade, side: 'buy' };
    const built = await client.send('POST', '/trade/build', { body: buy, bearer });
    assert.equal(built.status, 200, JSON.stringify(built.body));
    const { transactions, simulation } = built.body as Json;
    assert.deepEqual([transactions[0].from, simulation.status], [address, 'ok']);
    // This one accepts no native coin: the proceeds would be stuck, so the trade is rejected.
    const sell = { ...trade, side: 'sell' };
    const refused = await client.send('POST', '/trade/build', { body: sell, bearer });
    assertProblem(refused, 409, 'SIMULATION_REVERTED');
  });
});

describe('what is built', () => {
  test('a native buy is only the swap; a sell approves the exact amount', async () => {
    const wire = service.mintOf('wire');
    const buy = await buildWell(trader, { mint: wire, side: 'buy', amountInRaw: ETHER });
    assert.deepEqual(listKinds(buy), ['swap']);
    assert.deepEqual(buy.issues, {});
    const bought = await trader.execute(buy);
    assert.equal(bought.receivedRaw.toString(), buy.quote.output.amountRaw);
    const amountInRaw = bought.receivedRaw / 3n;
    const sell = { mint: wire, side: 'sell', amountInRaw } as const;
    const built = await buildWell(trader, sell);
    assert.deepEqual(listKinds(built), ['approve', 'permit2-approve', 'swap']);
    assert.deepEqual(
      built.transactions.map(({ nonce }: Json) => nonce),
      [1, 2, 3],
    );
    assert.equal(built.issues.allowance.actualRaw, '0');
    assert.deepEqual(built.simulation.assumed, []);
    const sold = await trader.execute(built);
    assert.equal(sold.receivedRaw.toString(), built.quote.output.amountRaw);
    // The allowance is used up, so the next sell needs new approvals.
    const again = await buildWell(trader, sell);
    assert.equal(again.issues.allowance.actualRaw, '0');
    // After the first approval, only the rest is needed.
    await trader.sendOwn(again.transactions[0]);
    const rest = await buildWell(trader, sell);
    assert.deepEqual(listKinds(rest), ['permit2-approve', 'swap']);
    assert.equal(rest.issues.allowance.spender, rest.transactions[1].to);
    await trader.sendOwn(rest.transactions[0]);
    // An allowance until the deadline of that build is reused for this one, with the same deadline.
    const ready = await buildWell(trader, sell);
    assert.deepEqual([listKinds(ready), ready.issues], [['swap'], {}]);
    assert.equal(ready.deadline, rest.deadline);
    // An allowance that ends long before the deadline does not count.
    const longer = await buildWell(trader, sell, { deadlineSeconds: 3600 });
    assert.deepEqual(listKinds(longer), ['permit2-approve', 'swap']);
    assert.equal((await trader.execute(longer)).receipts.at(-1)?.status, '0x1');
  });

  test('an allowance that must be reset first is reset', async () => {
    const odol = service.mintOf('odol');
    const seller = await service.createTrader();
    await giveEther(seller, 1n);
    const amountInRaw = 5_000_000n;
    await service.give([[seller.account.address, odol, amountInRaw]]);
    const sell = { mint: odol, side: 'sell', amountInRaw } as const;
    const plain = await buildWell(seller, sell);
    assert.deepEqual(listKinds(plain), ['approve', 'permit2-approve', 'swap']);
    await seller.sendOwn(encodeAllowance(odol, 1n));
    const built = await buildWell(seller, sell);
    assert.deepEqual(listKinds(built), ['approve-reset', 'approve', 'permit2-approve', 'swap']);
    const { receipts, receivedRaw } = await seller.execute(built);
    for (const { status } of receipts) assert.equal(status, '0x1');
    assert.equal(receivedRaw.toString(), built.quote.output.amountRaw);
    // A token that does not need it gets no reset.
    const wire = service.mintOf('wire');
    await service.give([[seller.account.address, wire, ETHER]]);
    await seller.sendOwn(encodeAllowance(wire, 1n));
    const other = await buildWell(seller, { mint: wire, side: 'sell', amountInRaw: ETHER });
    assert.deepEqual(listKinds(other), ['approve', 'permit2-approve', 'swap']);
  });

  test('an unfunded wallet gets the whole build, and what it lacks', async () => {
    const poor = await service.createTrader();
    for (const [key, side] of [
      ['wire', 'buy'],
      ['odol', 'sell'],
      ['toll', 'sell'],
      ['spark', 'sell'],
    ] as const) {
      const amountInRaw = key === 'odol' ? 10n ** 9n : ETHER;
      const built = await buildWell(poor, { mint: service.mintOf(key), side, amountInRaw });
      const { simulation, issues, summary, quote } = built;
      assert.deepEqual(simulation.assumed, ['balance', 'nativeForFees'], key);
      assert.deepEqual([simulation.status, issues.balance.actualRaw], ['ok', '0'], key);
      assert.equal(issues.balance.requiredRaw, amountInRaw.toString());
      assert.equal(issues.balance.mint, quote.input.mint);
      assert.ok(BigInt(simulation.amountOutRaw) >= BigInt(quote.output.minAmountRaw));
      if (quote.exact) assert.equal(simulation.amountOutRaw, quote.output.amountRaw);
      assert.ok(summary.some((line: string) => line.startsWith('Missing: ')));
    }
  });

  test('the summary is a receipt: what is paid, got at least, by when, and to sign', async () => {
    const trade = { mint: service.mintOf('wire'), side: 'buy', amountInRaw: ETHER / 2n } as const;
    const { summary, deadline } = await buildWell(trader, trade, { deadlineSeconds: 60 });
    const text = summary.join('\n');
    assert.match(text, /^Buy WIRE \(0x[0-9a-fA-F]{40}\) with ETH on Local devnet$/m);
    assert.match(text, /^You pay 0\.5 ETH$/m);
    assert.match(text, /^You receive about [\d.]+ WIRE$/m);
    assert.match(text, /^At least [\d.]+ WIRE, or nothing happens$/m);
    assert.match(text, /^Network fees: at most 0\.0\d+ ETH$/m);
    assert.match(text, /^Sign 1 of 1: the trade$/m);
    assert.ok(text.includes(new Date(deadline).toISOString().slice(0, 19)));
    assert.ok(text.includes(trader.account.address));
  });

  test('a trade that would revert is rejected with the reason', async () => {
    const trap = { mint: service.mintOf('trap'), side: 'sell', amountInRaw: ETHER } as const;
    const problem = assertProblem(await trader.build(trap), 409, 'SIMULATION_REVERTED');
    assert.match(problem.detail, /at the step swap: the token refuses .* said "SELLING_DISABLED"/);
  });

  test('deadlines out of bounds and invalid trades are rejected', async () => {
    const trade = { mint: service.mintOf('wire'), side: 'buy', amountInRaw: ETHER } as const;
    for (const deadlineSeconds of [0, 29, 3601, 60.5]) {
      const answer = await trader.build(trade, { deadlineSeconds });
      assertProblem(answer, 400, 'INVALID_INPUT');
    }
    const lone = await trader.build({ ...trade, mint: service.mintOf('lone') });
    assertProblem(lone, 404, 'NO_MARKET');
    const huge = await trader.build({ ...trade, amountInRaw: 10n ** 60n });
    assertProblem(huge, 409, 'INSUFFICIENT_LIQUIDITY');
  });
});

describe('with a quote', () => {
  const trade = () => ({ mint: service.mintOf('cent'), side: 'buy', amountInRaw: ETHER }) as const;
  const quoteNow = async (slippageBps: number): Promise<Json> => {
    await service.settle();
    return (await service.quote({ ...trade(), slippageBps })).body;
  };
  const bindToQuote = ({ quoteId }: Json) => ({ quoteId });
  const move = async (side: 'buy' | 'sell', amountInRaw: bigint) => {
    await service.chain[side]({ token: 'cent', venue: 'uniswap-v3', amountInRaw });
    await service.settle();
  };

  test('the minimum is the larger of the two, whichever way the price went', async () => {
    const cents = 10n ** 9n;
    await service.give([[TRADERS[0] ?? '', trade().mint, cents]]);
    const quote = await quoteNow(200);
    await move('sell', cents);
    const better = await buildWell(trader, { ...trade(), slippageBps: 200 }, bindToQuote(quote));
    assert.ok(BigInt(better.quote.output.amountRaw) > BigInt(quote.output.amountRaw));
    assert.ok(BigInt(better.quote.output.minAmountRaw) > BigInt(quote.output.minAmountRaw));
    const next = await quoteNow(200);
    await move('buy', ETHER / 10n);
    const worse = await buildWell(trader, { ...trade(), slippageBps: 200 }, bindToQuote(next));
    assert.ok(BigInt(worse.quote.output.amountRaw) < BigInt(next.output.amountRaw));
    assert.equal(worse.quote.output.minAmountRaw, next.output.minAmountRaw);
    const { receipts } = await trader.execute(worse);
    assert.equal(receipts[0]?.status, '0x1');
  });

  test('a price below the minimum is reported, not traded', async () => {
    const quote = await quoteNow(10);
    await move('buy', 20n * ETHER);
    const answer = await trader.build({ ...trade(), slippageBps: 10 }, { quoteId: quote.quoteId });
    assertProblem(answer, 409, 'PRICE_MOVED');
  });

  test('a quote of another trade, and one that was never issued, are rejected', async () => {
    const { quoteId } = await quoteNow(50);
    const other = await trader.build({ ...trade(), amountInRaw: 7n }, { quoteId });
    const problem = assertProblem(other, 409, 'QUOTE_MISMATCH');
    assert.ok(problem.errors.some(({ path }: Json) => path === 'amountInRaw'));
    for (const bad of ['x', `${quoteId}x`, quoteId.replace('mwq_', 'mwq_A')]) {
      assertProblem(await trader.build(trade(), { quoteId: bad }), 400, 'INVALID_QUOTE_ID');
    }
  });
});

describe('while the chain moves', () => {
  test('the quote is exact only if price and rehearsal are of the same block', async () => {
    let isMoving = true;
    const moving = (async () => {
      while (isMoving) {
        await service.chain.buy({ token: 'wire', venue: 'uniswap-v3', amountInRaw: ETHER / 7n });
      }
    })();
    const trade = { mint: service.mintOf('wire'), side: 'buy', amountInRaw: ETHER } as const;
    const blocks = new Set<number>();
    try {
      for (let i = 0; i < 20 && blocks.size < 4; i += 1) {
        const { quote, simulation } = await buildWell(trader, { ...trade, slippageBps: 1000 });
        const isOne = simulation.block === quote.state.block;
        // If indexing could not keep up, the head decides, and nothing is promised.
        assert.equal(quote.exact, isOne);
        if (!isOne) continue;
        assert.equal(simulation.amountOutRaw, quote.output.amountRaw);
        blocks.add(simulation.block);
      }
    } finally {
      isMoving = false;
      await moving;
    }
    assert.ok(blocks.size > 1, 'the chain stood still');
  });
});

describe('the status of a trade', () => {
  const untilStatus = async (txHash: string, isThere: (answer: Json) => boolean): Promise<Json> => {
    let answer: Json = {};
    await until(`${txHash} is reported`, async () => {
      answer = await readStatus(txHash);
      return isThere(answer);
    });
    return answer;
  };

  test('unknown, pending, confirmed with its trades, taken back, and final', async () => {
    const { chain } = service;
    const nothing = { block: null, tradeIds: [] };
    const unknown = await readStatus(`0x${'12'.repeat(32)}`);
    assert.deepEqual(unknown, { status: 'unknown', ...nothing });
    const trade = { mint: service.mintOf('seat'), side: 'buy', amountInRaw: ETHER } as const;
    const built = await buildWell(trader, trade);
    const [txHash = '0x'] = await trader.send(built.transactions);
    assert.deepEqual(await readStatus(txHash), { status: 'pending', ...nothing });
    await chain.mine();
    const block = await chain.readHead();
    const mined = await untilStatus(txHash, ({ tradeIds }) => tradeIds.length > 0);
    assert.deepEqual(mined, { status: 'confirmed', block, tradeIds: [`devnet:${txHash}:0`] });
    const path = `/token/trades?chain=devnet&mint=${trade.mint}&limit=1`;
    const { trades } = (await service.client.send('GET', path)).body as Json;
    assert.equal(trades[0].id, mined.tradeIds[0]);
    await chain.reorg(1);
    const back = await readStatus(txHash);
    assert.deepEqual([back.status === 'confirmed', back.tradeIds], [false, []]);
  });

  test('a split trade lists all of its trades, and is final once its block is', async () => {
    const { chain } = service;
    await giveEther(trader, 2000n);
    const trade = { mint: service.mintOf('wire'), side: 'buy', amountInRaw: 300n * ETHER } as const;
    const built = await buildWell(trader, { ...trade, slippageBps: 500 });
    assert.ok(built.quote.route.length > 1, 'not divided');
    const [txHash = '0x'] = await trader.send(built.transactions);
    await chain.mine();
    const hops = built.quote.route.flatMap((leg: Json) => leg.hops);
    const pools = new Set(hops.map(({ pool }: Json) => pool));
    const answer = await untilStatus(txHash, ({ tradeIds }) => tradeIds.length > 0);
    const expected = Array.from(pools, (_, index) => `devnet:${txHash}:${index}`);
    assert.deepEqual(answer.tradeIds, expected);
    await chain.rpc.call('anvil_mine', '0x42');
    const final = await untilStatus(txHash, ({ status }) => status === 'finalized');
    assert.deepEqual(final.tradeIds, expected);
  });

  test('a transaction that failed is reverted, with its block and no trades', async () => {
    const { chain } = service;
    const trade = { mint: service.mintOf('cent'), side: 'buy', amountInRaw: ETHER } as const;
    const built = await buildWell(trader, { ...trade, slippageBps: 0 });
    await chain.buy({ token: 'cent', venue: 'uniswap-v3', amountInRaw: ETHER });
    const [txHash = '0x'] = await trader.send(built.transactions);
    await chain.mine();
    const block = await chain.readHead();
    assert.deepEqual(await readStatus(txHash), { status: 'reverted', block, tradeIds: [] });
  });

  test('bad input is named', async () => {
    for (const [path, code] of [
      ['/trade/status?chain=devnet&txHash=0x12', 'INVALID_INPUT'],
      ['/trade/status?chain=devnet', 'INVALID_INPUT'],
      [`/trade/status?chain=base&txHash=0x${'12'.repeat(32)}`, 'CHAIN_NOT_FOLLOWED'],
      [`/trade/status?chain=mars&txHash=0x${'12'.repeat(32)}`, 'UNKNOWN_CHAIN'],
    ] as const) {
      assertProblem(await service.client.send('GET', path), 400, code);
    }
  });
});

test('random trades over all venues, sides, sizes and tokens pay what they promised', async () => {
  const count = 100;
  const tally = await runRandomTrades(service, { count, random: createRandom(3) });
  assert.ok(tally.executed >= count);
  assertVariety(tally);
});

test('without a node quotes continue with a warning; build and status are 503', async () => {
  await service.chain.stop();
  const trade = { mint: service.mintOf('wire'), side: 'buy', amountInRaw: ETHER } as const;
  const path = `/trade/status?chain=devnet&txHash=0x${'12'.repeat(32)}`;
  const asked = [trader.build(trade), service.client.send('GET', path)];
  await until('quotes warn', async () => {
    const { status, body } = await service.quote(trade);
    assert.equal(status, 200, JSON.stringify(body));
    return (body as Json).warnings.some(({ code }: Json) => code === 'STALE_HEAD');
  });
  for (const answer of await Promise.all(asked)) {
    assertProblem(answer, 503, 'UPSTREAM_UNAVAILABLE');
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    assert.doesNotMatch(JSON.stringify(answer.body), /127\.0\.0\.1|ECONN/);
  }
});
