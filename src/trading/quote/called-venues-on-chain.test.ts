// Trades in stand-ins of Fluid and four.meme by the whole service: only their contracts compute
// what they pay, so they are asked for the amount. Random swaps are in a long test of their own
// (`called-swaps-on-chain.long.test.ts`).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TEST_ADDRESSES } from '../../../devnet/accounts.ts';
import { type CalledVenues, openCalledVenues, sendTrade } from '../../../test/called-scene.ts';
import { after, before } from '../../../test/root-hooks.ts';
import { address } from '../../../test/test-ids.ts';
import { setBalance } from '../../../test/trade-wallet.ts';
import {
  type SceneInput,
  startTradingScene,
  type TradingScene,
} from '../../../test/trading-scene.ts';

const WALLET = address(TEST_ADDRESSES[6] ?? '');
const COIN = address(`0x${'0'.repeat(40)}`);
const ETHER = 10n ** 18n;

let scene: TradingScene;
let venues: CalledVenues;
let weth: string;

before(async () => {
  scene = await startTradingScene({
    prepare: async (chain) => {
      venues = await openCalledVenues(chain);
    },
  });
  weth = scene.devnet.adapter.deployment.wrapped;
  await scene.settle();
  // A pool is called only where both prices are known: this trade gives the coin its own.
  const sale = { mint: weth, quoteMint: scene.mintOf('usdc'), side: 'sell' } as const;
  await trade({ ...sale, amountInRaw: `${ETHER}` }, weth, scene.mintOf('usdc'));
});
after(() => scene.stop());

async function trade(input: SceneInput, spent: string, got: string) {
  const { chain } = scene.devnet;
  await setBalance(chain, COIN, { owner: WALLET, amountRaw: 100n * ETHER });
  if (spent !== COIN) {
    const amountRaw = BigInt(input.amountInRaw ?? 0);
    await setBalance(chain, spent, { owner: WALLET, amountRaw });
  }
  await chain.mine();
  await scene.settle();
  // So that the allowance for calls is whole again.
  scene.advance(60_000);
  const { quote, simulation, transactions } = await scene.build(input, WALLET);
  assert.equal(simulation.status, 'ok');
  const ends = { tokenIn: address(spent), tokenOut: address(got) };
  const { received, isDone } = await sendTrade(chain, transactions, { owner: WALLET, ...ends });
  assert.ok(isDone);
  return { quote, received };
}

/** The venues of the route. */
async function tradeByCall(input: SceneInput, spent: string, got: string): Promise<string[]> {
  const { quote, received } = await trade(input, spent, got);
  const codes = quote.warnings.map(({ code }) => code);
  assert.ok(codes.includes('NO_DEADLINE') && codes.includes('UNCHECKED_POOL'), `${codes}`);
  assert.match(quote.warnings.map(({ message }) => message).join(), /\(called\)/);
  assert.equal(quote.exact, false);
  assert.ok(received >= BigInt(quote.output.minAmountRaw ?? assert.fail()));
  return quote.route.flatMap(({ hops }) => hops.map(({ venue }) => venue));
}

describe('pools and curves that only their contracts can price', () => {
  it('pools of Fluid are quoted, built and pay, with the native coin as such', async () => {
    const [lone, usdc] = [scene.mintOf('lone'), scene.mintOf('usdc')];
    const sale = {
      mint: lone,
      quoteMint: usdc,
      side: 'sell',
      amountInRaw: `${3n * ETHER}`,
    } as const;
    assert.deepEqual(await tradeByCall(sale, lone, usdc), ['fluid']);
    const buy = { mint: lone, side: 'buy', amountInRaw: `${2n * ETHER}` } as const;
    assert.deepEqual(await tradeByCall(buy, COIN, lone), ['fluid']);
    const back = { mint: lone, side: 'sell', amountInRaw: `${2n * ETHER}` } as const;
    assert.deepEqual(await tradeByCall(back, lone, COIN), ['fluid']);
  });

  it('are not asked for the wrapped coin, which they do not take', async () => {
    const sale = { mint: scene.mintOf('lone'), quoteMint: weth, side: 'sell' } as const;
    scene.advance(60_000);
    await assert.rejects(scene.quote({ ...sale, amountInRaw: `${ETHER}` }), {
      code: 'POOLS_NOT_QUOTED',
    });
  });

  it("Sky's modules of several coins are quoted, built and pay", async () => {
    const { dollar } = venues;
    const usdc = scene.mintOf('usdc');
    const sale = { mint: dollar, quoteMint: usdc, side: 'sell' } as const;
    const amountInRaw = `${500n * ETHER}`;
    assert.deepEqual(await tradeByCall({ ...sale, amountInRaw }, dollar, usdc), ['sky-psm']);
  });

  it('curves of four.meme are quoted, built and pay', async () => {
    const [first, second] = venues.coins;
    const usdc = scene.mintOf('usdc');
    const buy = { mint: first, side: 'buy', amountInRaw: `${ETHER}` } as const;
    assert.deepEqual(await tradeByCall(buy, COIN, first), ['four-meme']);
    const sale = { mint: second, quoteMint: usdc, side: 'sell' } as const;
    const amountInRaw = `${1_000_000n * ETHER + 7n}`;
    assert.deepEqual(await tradeByCall({ ...sale, amountInRaw }, second, usdc), ['four-meme']);
  });

  it('a curve of the X mode is refused by its name', async () => {
    const [, , last] = venues.coins;
    scene.advance(60_000);
    await assert.rejects(scene.quote({ mint: last, side: 'buy', amountInRaw: `${ETHER}` }), {
      code: 'VENUE_NOT_SUPPORTED',
      message: /four-meme-x-mode/,
    });
  });
});
