// POST /trade/build wallet by wallet, the status of trades, a hundred random trades, and no node.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodeFunctionData, getAddress } from 'viem';
import { TEST_ADDRESSES, TRADERS } from '../../devnet/accounts.ts';
import { ERC20_ABI } from '../../devnet/dex-abi.ts';
import { ZERO_ADDRESS } from '../../src/chains/evm/data/zero-address.ts';
import { createRandom } from '../fakes/create-random.ts';
import { describeFees } from '../fee-cases.ts';
import type { Json } from '../market-scene.ts';
import { describePermits } from '../permit-cases.ts';
import { assertVariety, runRandomTrades } from '../random-trades.ts';
import { setUp } from '../root-hooks.ts';
import {
  assertProblem,
  buildWell,
  listKinds,
  startTradeService,
  type TestTrader,
  type TradeService,
  until,
} from '../trade-service.ts';
import { describeTradeStatus } from '../trade-status-cases.ts';
import { setBalance } from '../trade-wallet.ts';
import { describeWalletCalls } from '../wallet-call-cases.ts';
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

function encodeAllowance(token: string, amount: bigint): Json {
  const args = [PERMIT2, amount] as const;
  const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args });
  return { to: token, data, value: '0', gas: '90000' };
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

  test('the calls for a wallet that batches have its terms', async () => {
    const wire = service.mintOf('wire');
    const buy = await buildWell(trader, { mint: wire, side: 'buy', amountInRaw: ETHER / 1000n });
    const { calls, ...terms } = buy.walletCalls;
    const { address: from } = trader.account;
    const [version, chainId] = ['2.0.0', '0x539'];
    assert.deepEqual(terms, { version, chainId, from, atomicRequired: true });
    assert.deepEqual([calls.length, calls[0].value], [1, `0x${(ETHER / 1000n).toString(16)}`]);
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

  test('automatic slippage follows the last move of the pool, and executes', async () => {
    await move('buy', ETHER);
    const auto = { ...trade(), amountInRaw: ETHER / 10n, slippageBps: 'auto' } as const;
    const quote = (await service.quote(auto)).body as Json;
    const { movementBps, windowMs, reason } = quote.autoSlippage;
    assert.ok(movementBps > 0, JSON.stringify(quote));
    assert.equal(quote.slippageBps, Math.min(500, Math.max(30, movementBps + 20)));
    assert.ok(reason.includes(`${movementBps / 100} %`) && windowMs === 1_800_000, reason);
    const minimum = (BigInt(quote.output.amountRaw) * BigInt(10_000 - quote.slippageBps)) / 10_000n;
    assert.equal(quote.output.minAmountRaw, minimum.toString());
    const fixed = await trader.build({ ...auto, slippageBps: 50 }, bindToQuote(quote));
    const problem = assertProblem(fixed, 409, 'QUOTE_MISMATCH');
    assert.equal(problem.errors[0].path, 'slippageBps');
    const built = await buildWell(trader, auto, bindToQuote(quote));
    assert.deepEqual(built.quote.autoSlippage, quote.autoSlippage);
    assert.equal((await trader.execute(built)).receipts[0]?.status, '0x1');
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

describe('permits', () => describePermits(() => ({ service })));

describe("an app's fee", () => describeFees(() => service));

describe('the calls for a wallet that batches', () => describeWalletCalls(() => service));

describe('the status of a trade', () => describeTradeStatus(() => ({ service, trader })));

test('random trades over all venues, sides, sizes and tokens pay what they promised', async () => {
  const shares = { exactOutShare: 0.25, permitShare: 0.3 };
  const tally = await runRandomTrades(service, { count: 120, ...shares, random: createRandom(3) });
  assertVariety(tally);
  assert.ok((tally.seen.get('given output') ?? 0) >= 20);
  for (const given of ['given input', 'given output']) {
    assert.ok((tally.seen.get(`permit, ${given}`) ?? 0) >= 2, given);
  }
});

test('without a node quotes continue with a warning; build and status are 503', async () => {
  await service.chain.stop();
  const trade = { mint: service.mintOf('wire'), side: 'buy', amountInRaw: ETHER } as const;
  const path = `/trade/status?chain=devnet&txHash=0x${'12'.repeat(32)}`;
  const asked = [trader.build(trade), service.client.send('GET', path)];
  await until('quotes warn', async () => {
    const { status, body } = await service.quote(trade);
    assert.equal(status, 200, JSON.stringify(body));
    const isStale = (body as Json).warnings.some(({ code }: Json) => code === 'STALE_HEAD');
    assert.ok(!isStale || !(body as Json).exact);
    return isStale;
  });
  for (const answer of await Promise.all(asked)) {
    assertProblem(answer, 503, 'UPSTREAM_UNAVAILABLE');
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    assert.doesNotMatch(JSON.stringify(answer.body), /127\.0\.0\.1|ECONN/);
  }
});
