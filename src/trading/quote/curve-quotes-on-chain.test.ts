// Trades in stand-ins of Curve's pools by the whole service: pools with formulas that are not here
// are called, StableSwap NG pools are computed; both are built and pay what was quoted.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from 'viem';
import { TEST_ADDRESSES } from '../../../devnet/accounts.ts';
import { openCurve } from '../../../test/curve-scene.ts';
import { after, before } from '../../../test/root-hooks.ts';
import { address } from '../../../test/test-ids.ts';
import { readBalance, setBalance } from '../../../test/trade-wallet.ts';
import {
  type SceneInput,
  startTradingScene,
  type TradingScene,
} from '../../../test/trading-scene.ts';
import type { QuoteAnswer } from './quote-answer.ts';

const WALLET = address(TEST_ADDRESSES[6] ?? '');
const COIN = `0x${'0'.repeat(40)}`;
const ETHER = 10n ** 18n;

let scene: TradingScene;
let [lone, usdc, weth]: string[] = [];

before(async () => {
  scene = await startTradingScene({ prepare: openCurve });
  [lone, usdc] = [scene.mintOf('lone'), scene.mintOf('usdc')];
  weth = scene.devnet.adapter.deployment.wrapped;
  await scene.settle();
  // A pool is called only where both prices are known: this trade gives the coin its own.
  const sale = { mint: weth, quoteMint: usdc, side: 'sell', amountInRaw: `${ETHER}` } as const;
  await execute(sale, { spent: weth, got: usdc });
});
after(() => scene.stop());

function requireReason({ warnings }: QuoteAnswer): string {
  assert.ok(warnings.some(({ code }) => code === 'NO_DEADLINE'));
  return warnings.find(({ code }) => code === 'UNCHECKED_POOL')?.message ?? '';
}

/** What arrived, and who was called last. */
async function execute(
  input: SceneInput,
  tokens: { readonly spent: string; readonly got: string },
) {
  const { chain } = scene.devnet;
  await setBalance(chain, COIN, { owner: WALLET, amountRaw: 100n * ETHER });
  if (tokens.spent !== COIN) {
    const amountRaw = BigInt(input.amountInRaw ?? 0);
    await setBalance(chain, tokens.spent, { owner: WALLET, amountRaw });
  }
  await chain.mine();
  await scene.settle();
  const built = await scene.build(input, WALLET);
  assert.equal(built.simulation.status, 'ok');
  const held = await readBalance(chain, tokens.got, WALLET);
  await chain.rpc.call('anvil_impersonateAccount', WALLET);
  let called = '';
  for (const one of built.transactions) {
    const { to, data, value, gas } = one as unknown as Record<string, string>;
    const call = { from: WALLET as Hex, to: to as Hex, data: data as Hex };
    const sent = { ...call, value: BigInt(value ?? 0), gas: BigInt(gas ?? 0) };
    assert.equal((await chain.send(sent)).status, '0x1');
    called = to ?? '';
  }
  const received = (await readBalance(chain, tokens.got, WALLET)) - held;
  return { quote: built.quote, received, called: called.toLowerCase() };
}

describe('a crypto pool of Curve', () => {
  it('is called, not exact, with the reason, and pays the wallet what it said', async () => {
    const input = { mint: lone ?? '', quoteMint: usdc ?? '', side: 'sell' } as const;
    const amountInRaw = (3n * ETHER).toString();
    const { quote, received, called } = await execute(
      { ...input, amountInRaw },
      { spent: lone ?? '', got: usdc ?? '' },
    );
    const [hop = assert.fail()] = quote.route[0]?.hops ?? [];
    assert.deepEqual([hop.venue, quote.exact], ['curve', false]);
    assert.match(requireReason(quote), /\(called\)/);
    assert.equal(received, BigInt(quote.output.amountRaw));
    assert.equal(called, hop.pool.slice(0, 42).toLowerCase());
  });
});

describe('an old pool of Curve with the native coin', () => {
  it('is paid with it, and pays the wallet itself', async () => {
    const input = { mint: lone ?? '', side: 'buy' } as const;
    const amountInRaw = (2n * ETHER).toString();
    const trade = { ...input, amountInRaw };
    const { quote, received, called } = await execute(trade, { spent: COIN, got: lone ?? '' });
    assert.match(requireReason(quote), /\(called\)/);
    assert.equal(received, BigInt(quote.output.amountRaw));
    assert.equal(called, quote.route[0]?.hops[0]?.pool.slice(0, 42).toLowerCase());
  });

  it("pays the wrapped coin through the exchange's router, less its unit", async () => {
    const input = { mint: lone ?? '', quoteMint: weth ?? '', side: 'sell' } as const;
    const amountInRaw = (2n * ETHER).toString();
    const tokens = { spent: lone ?? '', got: weth ?? '' };
    const { quote, received, called } = await execute({ ...input, amountInRaw }, tokens);
    assert.match(requireReason(quote), /\(called\).*\(routerUnit\)/);
    assert.equal(received, BigInt(quote.output.amountRaw) - 1n);
    assert.equal(called, scene.devnet.chain.deployment.curve?.router);
    const again = await execute({ ...input, amountInRaw }, tokens);
    assert.equal(again.received, BigInt(again.quote.output.amountRaw));
  });
});

describe('a StableSwap NG pool of Curve', () => {
  it('is quoted exactly and pays that, where it is called itself', async () => {
    const wire = scene.mintOf('wire');
    const input = { mint: wire, quoteMint: weth ?? '', side: 'sell' } as const;
    const amountInRaw = (100n * ETHER).toString();
    const trade = { ...input, amountInRaw };
    const { quote, received } = await execute(trade, { spent: wire, got: weth ?? '' });
    assert.deepEqual([quote.route[0]?.hops[0]?.venue, quote.exact], ['curve', true]);
    assert.equal(received, BigInt(quote.output.amountRaw));
  });
});
