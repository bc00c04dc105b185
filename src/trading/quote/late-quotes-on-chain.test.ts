// Quotes of an index that begins late, on a real node: routes also lead through pools that had no
// event since, between two assets that price others and of exchanges without a log of new pools.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { findToken } from '../../../devnet/deployment.ts';
import { setUp } from '../../../test/root-hooks.ts';
import { poolId } from '../../../test/test-ids.ts';
import { startTradingScene, type TradingScene } from '../../../test/trading-scene.ts';
import type { Address, PoolId } from '../../model/ids.ts';

const WAIT_MAX_MS = 20_000;

let scene: TradingScene;

setUp(async (t) => {
  scene = await startTradingScene({ isLate: true, hasOthers: true });
  t.after(() => scene.stop());
});

function listExpected(token: Address): PoolId[] {
  const { deployment } = scene.devnet.chain;
  const { contracts, pools } = deployment;
  const ether = [contracts.weth, `0x${'0'.repeat(40)}`].map((one) => one.toLowerCase());
  const usdc = findToken(deployment, 'usdc').address.toLowerCase();
  const isBetween = (sides: readonly string[]) =>
    sides.includes(usdc) && sides.some((one) => ether.includes(one));
  const between = pools
    .filter(({ currency0, currency1 }) => isBetween([currency0, currency1].map(toLower)))
    .map(({ id }) => poolId(id.toLowerCase()));
  const curves = (deployment.others?.pools ?? [])
    .filter((one) => one.venue === 'curve' && one.tokenAddress.toLowerCase() === token)
    // Its first two coins.
    .map(({ id }) => poolId(`${toLower(id)}${'0'.repeat(22)}01`));
  return [...between, ...curves];
}

function toLower(text: string): string {
  return text.toLowerCase();
}

test('they find pools that nobody traded in, once somebody asks', async () => {
  const { chain, indexer, settle } = scene.devnet;
  // The pool that prices the coin is known by its trade, and no reason to look for others.
  const trade = { token: 'usdc', venue: 'uniswap-v3', quote: 'weth' } as const;
  const receipt = await chain.buy({ ...trade, amountInRaw: 10n ** 16n });
  assert.equal(receipt.status, '0x1');
  await settle();
  const mint = scene.mintOf('odol');
  assert.equal(await indexer.lookUp(mint), 'found');
  const expected = listExpected(mint);
  assert.equal(expected.length, 4);
  const input = { mint, side: 'sell', amountInRaw: (20_000n * 10n ** 18n).toString() } as const;
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  const list = () => {
    const { graph } = scene.devnet.follower.current ?? assert.fail();
    return expected.filter((pool) => graph.get(pool)?.inexact !== null);
  };
  do {
    await scene.quote(input).catch(() => undefined);
    assert.ok(Date.now() < deadlineMs, `not found: ${list()}`);
    await delay(50);
  } while (list().length > 0);
  await scene.settle();
  const { route } = await scene.quote(input);
  const used = new Set(route.flatMap(({ hops }) => hops.map(({ pool }) => pool.toLowerCase())));
  assert.ok(expected.filter((pool) => used.has(pool)).length > 0, JSON.stringify([...used]));
});
