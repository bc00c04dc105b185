// Quotes on a real node's markets: exactness, warnings and costs.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Address, encodeFunctionData, type Hex } from 'viem';
import { MAKER, TRADERS } from '../../../devnet/accounts.ts';
import { ERC20_ABI } from '../../../devnet/dex-abi.ts';
import { COIN } from '../../../test/fakes/fake-market.ts';
import { after, before } from '../../../test/root-hooks.ts';
import { poolId } from '../../../test/test-ids.ts';
import { startTradingScene, type TradingScene } from '../../../test/trading-scene.ts';
import { changeTrap, setTraps, type Trap, type TrapMode } from '../../../test/trap-tokens.ts';
import { waitUntil } from '../../../test/wait-until.ts';
import type { QuoteAnswer } from './quote-answer.ts';

const TRADER = TRADERS[0] as Address;
const MODES = [
  'honest',
  'donated',
  'walletsOnly',
  'walletsStuck',
  'contractsStuck',
  'nextBlock',
  'losesOne',
  'closed',
  'burnsGas',
] as const satisfies TrapMode[];

let scene: TradingScene;
let traps: Readonly<Record<(typeof MODES)[number], Trap>>;

before(async () => {
  scene = await startTradingScene();
  traps = await setTraps(scene.devnet.chain, MODES);
  await scene.settle();
});
after(() => scene.stop());

function listCodes({ warnings }: QuoteAnswer): string[] {
  return warnings.map(({ code }) => code);
}

async function readBalance(token: Address, owner: Address): Promise<bigint> {
  const { rpc } = scene.devnet.chain;
  if (token === COIN) return BigInt(await rpc.call<Hex>('eth_getBalance', owner, 'latest'));
  const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'balanceOf', args: [owner] });
  return BigInt(await rpc.call<Hex>('eth_call', { to: token, data }, 'latest'));
}

describe('token safety', () => {
  it('is measured for every token of the devnet: taxes to the basis point, traps as such', async () => {
    const odd = {
      toll: { buyTaxBps: 300, sellTaxBps: 700, sellable: true },
      ember: { buyTaxBps: 100, sellTaxBps: 100, sellable: true },
      trap: { buyTaxBps: 0, sellTaxBps: null, sellable: false },
    };
    const plain = { buyTaxBps: 0, sellTaxBps: 0, sellable: true };
    const { tokens } = scene.devnet.chain.deployment;
    for (const { key, address } of tokens.filter((one) => one.key !== 'lone')) {
      const quote = await scene.quote({ mint: address });
      const { checkedAt, ...safety } = quote.tokenSafety ?? assert.fail(key);
      assert.ok(checkedAt > 0);
      assert.deepEqual(safety, odd[key as keyof typeof odd] ?? plain, key);
      assert.equal(quote.exact, !['toll', 'ember', 'hook'].includes(key), key);
    }
  });

  it('detects a trap for wallets only, for contracts only, or for both', async () => {
    for (const mode of ['walletsStuck', 'contractsStuck', 'burnsGas'] as const) {
      const quote = await scene.quote({ mint: traps[mode].token });
      assert.equal(quote.tokenSafety?.sellable, false, mode);
      assert.equal(quote.tokenSafety?.buyTaxBps, 0, mode);
      assert.ok(listCodes(quote).includes('UNSELLABLE'), mode);
    }
  });

  it('is fair to tokens that keep contracts out, or sales for the next block', async () => {
    for (const mode of ['honest', 'walletsOnly', 'nextBlock'] as const) {
      const quote = await scene.quote({ mint: traps[mode].token });
      const { checkedAt: _, ...safety } = quote.tokenSafety ?? assert.fail(mode);
      assert.deepEqual(safety, { buyTaxBps: 0, sellTaxBps: 0, sellable: true }, mode);
      assert.equal(quote.exact, true, mode);
    }
  });

  it('is not exact if a transfer loses a single unit', async () => {
    for (const side of ['buy', 'sell'] as const) {
      const quote = await scene.quote({ mint: traps.losesOne.token, side });
      assert.equal(quote.exact, false);
      assert.equal(quote.tokenSafety?.sellable, true);
    }
  });

  it('is not exact if a stray coin in a pair would pay more than quoted', async () => {
    const { chain } = scene.devnet;
    const { token, pair } = traps.donated;
    const before = await scene.quote({ mint: token });
    assert.equal(before.exact, true);
    const args = [pair, 10n ** 15n] as const;
    const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args });
    const receipt = await chain.send({ from: MAKER, to: token, data, gas: 200_000n });
    assert.equal(receipt.status, '0x1');
    scene.advance(11 * 60_000);
    await scene.quote({ mint: token, side: 'sell' });
    const checkedAt = before.tokenSafety?.checkedAt ?? 0;
    while ((scene.chain.safetyCache.get(poolId(pair))?.checkedAtMs ?? 0) <= checkedAt)
      await delay(20);
    const after = await scene.quote({ mint: token, side: 'sell' });
    assert.equal(after.exact, false);
    assert.equal(after.tokenSafety?.sellable, true);
    assert.ok(!listCodes(after).includes('TAXED_TOKEN'));
  });

  it('says that a token which cannot be bought is unknown', async () => {
    const quote = await scene.quote({ mint: traps.closed.token });
    const { checkedAt: _, ...safety } = quote.tokenSafety ?? assert.fail();
    assert.deepEqual(safety, { buyTaxBps: null, sellTaxBps: null, sellable: null });
    assert.equal(quote.exact, false);
    assert.ok(listCodes(quote).includes('UNSELLABLE'));
  });
});

describe('what a taxed or hooked trade pays', () => {
  for (const { key, venue, side, toleranceRaw } of [
    { key: 'toll', venue: 'uniswap-v2', side: 'buy', toleranceRaw: 1n },
    { key: 'ember', venue: 'uniswap-v2', side: 'buy', toleranceRaw: 1n },
    { key: 'hook', venue: 'uniswap-v4', side: 'buy', toleranceRaw: 0n },
  ] as const) {
    it(`is what the quote says: ${side} ${key}`, async () => {
      await scene.settle();
      const token = scene.mintOf(key) as Address;
      const amountInRaw = 3n * 10n ** 17n;
      const quote = await scene.quote({ mint: token, amountInRaw: amountInRaw.toString() });
      const before = await readBalance(token, TRADER);
      const receipt = await scene.devnet.chain.buy({ token: key, venue, amountInRaw });
      assert.equal(receipt.status, '0x1');
      const received = (await readBalance(token, TRADER)) - before;
      const difference = BigInt(quote.output.amountRaw) - received;
      assert.ok(difference <= toleranceRaw && difference >= -toleranceRaw, `${difference}`);
      assert.equal(quote.exact, false);
    });
  }

  it('has the tax among its fees', async () => {
    const buy = await scene.quote({ mint: scene.mintOf('toll') });
    const tax = buy.fees.find(({ kind }) => kind === 'tokenTax') ?? assert.fail();
    assert.equal(tax.bps, 300);
    const paid = buy.route.flatMap(({ hops }) => hops.map((hop) => BigInt(hop.amountOutRaw)));
    const total = paid.reduce((sum, one) => sum + one, 0n);
    assert.equal(BigInt(buy.output.amountRaw) + BigInt(tax.amountRaw), total);
    const sell = await scene.quote({ mint: scene.mintOf('toll'), side: 'sell' });
    assert.equal(sell.fees.find(({ kind }) => kind === 'tokenTax')?.bps, 700);
    assert.equal(sell.route[0]?.hops[0]?.amountInRaw, '9300000000000000');
  });
});

describe('assets', () => {
  it('a buy with the native coin uses its own pools and those of its wrapping', async () => {
    const quote = await scene.quote({
      mint: scene.mintOf('wire'),
      amountInRaw: (20n * 10n ** 18n).toString(),
    });
    const first = new Set(quote.route.map(({ hops }) => hops[0]?.tokenIn.toLowerCase()));
    assert.ok(first.has(COIN) && first.has(scene.chain.wrapped));
    assert.deepEqual([quote.input.native, quote.input.symbol], [true, 'ETH']);
    const shares = quote.route.reduce((sum, { shareBps }) => sum + shareBps, 0);
    assert.equal(shares, 10_000);
  });

  it('native and wrapped coin have the same price, and each keeps its name', async () => {
    const mint = scene.mintOf('wire');
    const native = await scene.quote({ mint, side: 'sell' });
    const wrapped = await scene.quote({ mint, side: 'sell', quoteMint: scene.chain.wrapped });
    assert.equal(native.output.amountRaw, wrapped.output.amountRaw);
    assert.deepEqual([native.output.native, wrapped.output.native], [true, false]);
    assert.equal(wrapped.output.mint.toLowerCase(), scene.chain.wrapped);
    const zero = await scene.quote({ mint, side: 'sell', quoteMint: COIN });
    assert.deepEqual(zero.output, native.output);
  });

  it('any token can be the quote asset, and prices are in it on both sides', async () => {
    const mint = scene.mintOf('wbit');
    const quoteMint = scene.mintOf('kin');
    const sell = await scene.quote({ mint, quoteMint, side: 'sell', amountInRaw: '1000' });
    const buy = await scene.quote({
      mint,
      quoteMint,
      side: 'buy',
      amountInRaw: sell.output.amountRaw,
    });
    assert.equal(buy.input.symbol, 'KIN');
    assert.ok(Number(buy.executionPrice) > Number(sell.executionPrice));
    const ratio = Number(buy.spotPrice) / Number(sell.spotPrice);
    assert.ok(ratio > 0.98 && ratio < 1.02, `${ratio}`);
  });

  it('the native coin itself can be what is traded', async () => {
    const quote = await scene.quote({
      mint: COIN,
      quoteMint: scene.mintOf('usdc'),
      amountInRaw: '1000000',
    });
    assert.equal(quote.output.native, true);
    assert.ok(Number(quote.spotPrice) > 1000);
  });

  it('a minimum of one unit stays, whatever the slippage', async () => {
    const mint = scene.mintOf('seat');
    const several = await scene.quote({ mint, amountInRaw: (10n ** 18n).toString() });
    const each = 10n ** 18n / BigInt(several.output.amountRaw);
    const amountInRaw = ((each * 3n) / 2n).toString();
    const { output } = await scene.quote({ mint, amountInRaw, slippageBps: 5000 });
    assert.deepEqual([output.amountRaw, output.minAmountRaw], ['1', '1']);
  });

  it('a token without decimals is priced in raw units only', async () => {
    const quote = await scene.quote({ mint: scene.mintOf('mute') });
    assert.equal(quote.output.decimals, null);
    assert.equal(quote.output.amount, null);
    assert.equal(quote.spotPrice, null);
  });
});

describe('refusals', () => {
  const ask = (input: Parameters<TradingScene['quote']>[0]) =>
    scene.quote(input).then(
      () => assert.fail('was answered'),
      (error: { code: string; errors?: { path: string; message: string }[] }) =>
        [error.code, error.errors?.[0]?.path, error.errors?.[0]?.message] as const,
    );

  it('each bad amount, asset and chain has its own', async () => {
    const mint = scene.mintOf('wire');
    const cases: [Parameters<TradingScene['quote']>[0], string, string?, RegExp?][] = [
      [{ mint, amountInRaw: '0' }, 'INVALID_INPUT', 'amountInRaw', /above 0/],
      [{ mint, amountInRaw: '000' }, 'INVALID_INPUT', 'amountInRaw', /above 0/],
      [{ mint, amountInRaw: '-5' }, 'INVALID_INPUT', 'amountInRaw', /whole number/],
      [{ mint, amountInRaw: '1.5' }, 'INVALID_INPUT', 'amountInRaw', /whole number/],
      [{ mint, amountInRaw: '1e18' }, 'INVALID_INPUT', 'amountInRaw', /whole number/],
      [{ mint, amountInRaw: '0x10' }, 'INVALID_INPUT', 'amountInRaw', /whole number/],
      [{ mint, amountInRaw: ' 1' }, 'INVALID_INPUT', 'amountInRaw', /whole number/],
      [{ mint, amountInRaw: '007' }, 'INVALID_INPUT', 'amountInRaw', /begin with 0/],
      [{ mint, amountInRaw: (2n ** 256n).toString() }, 'INVALID_INPUT', 'amountInRaw', /2\^256/],
      [{ mint, amountInRaw: '9'.repeat(150) }, 'INVALID_INPUT', 'amountInRaw', /2\^256/],
      [{ mint, amountInRaw: (2n ** 256n - 1n).toString() }, 'INSUFFICIENT_LIQUIDITY'],
      [{ mint, amountInRaw: (2n ** 160n).toString() }, 'INSUFFICIENT_LIQUIDITY'],
      [{ mint: scene.mintOf('seat'), amountInRaw: '1' }, 'AMOUNT_TOO_SMALL'],
      [{ mint: scene.mintOf('lone') }, 'NO_MARKET'],
      [{ mint, quoteMint: scene.mintOf('lone') }, 'NO_MARKET'],
      [{ mint: scene.chain.wrapped }, 'INVALID_INPUT', 'mint', /quote asset itself/],
      [{ mint: COIN }, 'INVALID_INPUT', 'mint', /quote asset itself/],
      [{ mint, quoteMint: mint }, 'INVALID_INPUT', 'mint', /quote asset itself/],
      [{ mint: `0x${'12'.repeat(20)}` }, 'TOKEN_NOT_FOUND'],
      [{ mint, quoteMint: `0x${'12'.repeat(20)}` }, 'TOKEN_NOT_FOUND'],
      [{ mint: '0x12' }, 'INVALID_ADDRESS', 'mint'],
      [{ mint, quoteMint: 'eth' }, 'INVALID_ADDRESS', 'quoteMint'],
      [{ mint, chain: 'base' }, 'CHAIN_NOT_FOLLOWED', 'chain'],
      [{ mint, chain: 'nowhere' }, 'UNKNOWN_CHAIN', 'chain'],
    ];
    for (const [input, code, path, message] of cases) {
      const answered = await ask(input);
      assert.deepEqual(answered.slice(0, 2), [code, path], JSON.stringify(input));
      if (message !== undefined) assert.match(answered[2] ?? '', message);
    }
  });

  it('a paused token is rejected at either end, and no route goes through it', async () => {
    const wire = scene.mintOf('wire');
    const kin = scene.mintOf('kin');
    assert.ok(await scene.quote({ mint: kin }));
    scene.paused.add(wire);
    try {
      assert.equal((await ask({ mint: wire }))[0], 'TOKEN_PAUSED');
      assert.equal((await ask({ mint: kin, quoteMint: wire }))[0], 'TOKEN_PAUSED');
      assert.equal((await ask({ mint: kin }))[0], 'NO_ROUTE');
    } finally {
      scene.paused.clear();
    }
  });
});

describe('a tax that is raised later', () => {
  it('ends exactness when the last probe is half an hour old; the next one finds it', async () => {
    const { token: mint, pair } = traps.honest;
    const before = await scene.quote({ mint });
    assert.equal(before.exact, true);
    await changeTrap(scene.devnet.chain, mint, { buyTaxBps: 250n });
    scene.advance(31 * 60_000);
    const stale = await scene.quote({ mint });
    assert.equal(stale.exact, false);
    assert.ok(listCodes(stale).includes('SAFETY_UNKNOWN'));
    // That quote made it due: no other event is needed for a new probe.
    const checkedAt = before.tokenSafety?.checkedAt ?? 0;
    while ((scene.chain.safetyCache.get(poolId(pair))?.checkedAtMs ?? 0) <= checkedAt)
      await delay(20);
    await scene.settle();
    const fresh = await scene.quote({ mint });
    assert.equal(fresh.tokenSafety?.buyTaxBps, 250);
    assert.ok(listCodes(fresh).includes('TAXED_TOKEN'));
    assert.ok(BigInt(fresh.output.amountRaw) < BigInt(before.output.amountRaw));
  });
});

describe('the node', () => {
  it('gets no request from any quote but those that only a hook can answer', async () => {
    await scene.settle();
    const count = () => {
      const methods = scene.devnet.recorder.methods();
      return ['eth_call', 'eth_simulateV1', 'eth_estimateGas'].map((one) => methods.get(one) ?? 0);
    };
    const { tokens } = scene.devnet.chain.deployment;
    // A measurement that was still under way may end meanwhile; quotes that ask would do so always.
    await waitUntil(async () => {
      const before = count();
      for (let round = 0; round < 5; round += 1) {
        for (const { key, address } of tokens) {
          if (key !== 'hook') await scene.quote({ mint: address }).catch(() => null);
        }
      }
      return isDeepStrictEqual(count(), before);
    });
  });
});

describe('the limits of a route', () => {
  const listVenuesOf = ({ route }: QuoteAnswer) =>
    new Set(route.flatMap(({ hops }) => hops.map(({ venue }) => venue)));

  it('are kept: only these venues, none of those, no token in between', async () => {
    const { tokens } = scene.devnet.chain.deployment;
    const counts = { only: 0, without: 0, direct: 0, refused: 0 };
    // So many calls of a hook in a row would be refused.
    const asked = tokens.filter(({ key }) => key !== 'lone' && key !== 'hook');
    for (const { address: mint } of asked) {
      const free = await scene.quote({ mint, amountInRaw: '1000000000000000000' });
      const quoteOrNull = async (limits: object) => {
        try {
          return await scene.quote({ mint, amountInRaw: '1000000000000000000', ...limits });
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'NO_ROUTE_WITHIN_LIMITS');
          counts.refused += 1;
          return null;
        }
      };
      for (const venue of listVenuesOf(free)) {
        const only = await quoteOrNull({ venues: [venue] });
        if (only !== null) {
          assert.deepEqual([...listVenuesOf(only)], [venue]);
          counts.only += 1;
        }
        const without = await quoteOrNull({ excludeVenues: [venue] });
        if (without !== null) {
          assert.equal(listVenuesOf(without).has(venue), false, venue);
          assert.ok(BigInt(without.output.amountRaw) <= BigInt(free.output.amountRaw));
          counts.without += 1;
        }
      }
      const direct = await quoteOrNull({ directOnly: true });
      if (direct === null) continue;
      assert.ok(direct.route.every(({ hops }) => hops.length === 1));
      counts.direct += 1;
    }
    assert.ok(
      Object.values(counts).every((count) => count > 0),
      JSON.stringify(counts),
    );
  });
});
