// The service's own follower on the embedded chain: what it indexes is what the chain's accounts
// say, over skipped slots and forks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSolanaAddress } from '../../src/chains/solana/data/solana-ids.ts';
import { isHoldersComplete } from '../../src/market/coverage.ts';
import type { Address } from '../../src/model/ids.ts';
import type { MarketStore } from '../../src/store/store.ts';
import {
  assertNoDifferences,
  collect,
  followMarket,
  ManualMarket,
  SLUG,
} from '../../test/manual-market.ts';
import {
  closeTokenAccount,
  findTokenAccount,
  keyBytes,
  openTokenAccount,
  transferLamports,
  transferTokens,
} from './instructions.ts';
import { type SceneToken, send, wrapSol } from './scene.ts';
import { createSigningKey, type Instruction, type SigningKey, use } from './wire-transaction.ts';

async function assertIndexed(store: MarketStore, market: ManualMarket): Promise<void> {
  const { scene } = market;
  const trades = await collect(store.scanTrades(SLUG));
  const venues = new Map(
    (await collect(store.scanPools(SLUG))).map(({ pool, venue }) => [pool, venue]),
  );
  for (const venue of ['raydium-cpmm', 'pump']) {
    const own = trades.filter(({ pool }) => venues.get(pool) === venue);
    assert.ok(own.length > 10, `${venue}: ${own.length} trades`);
  }
  const tokens = await store.readTokens(
    SLUG,
    scene.tokens.map(({ mint }) => toSolanaAddress(mint)),
  );
  assert.deepEqual(
    tokens.map(({ symbol }) => symbol).sort(),
    ['BOLT', 'GRAM', 'LEVY', 'MIST', 'NOVA', 'SOL', 'USDC'].sort(),
  );
  const balances = await collect(store.scanBalances(SLUG));
  const keyOf = (token: string, owner: string) => `${token} ${owner}`;
  const held = new Map(balances.map((row) => [keyOf(row.token, row.owner), row.amountRaw]));
  for (const token of scene.tokens) {
    for (const { address } of scene.wallets.traders) {
      const indexed = held.get(keyOf(token.mint, address)) ?? 0n;
      assert.equal(indexed, market.balanceOf(address, token), `${token.symbol} of ${address}`);
    }
  }
}

async function assertGraduated(store: MarketStore, coin: Address): Promise<void> {
  const pools = await store.readPoolsOfTokens(SLUG, [coin]);
  assert.deepEqual(pools.map(({ venue }) => venue).sort(), ['pump', 'raydium-cpmm']);
}

test('the follower indexes the embedded chain, and verify finds no difference', async (t) => {
  const market = new ManualMarket();
  const coin = toSolanaAddress(market.graduate());
  market.grow(20);
  const { store, indexing } = await followMarket(t, market);
  for (const depth of [1, 5, 9]) {
    market.grow(10);
    await indexing.settle();
    market.fork(depth);
    await indexing.settle();
  }
  market.grow(5);
  await indexing.settle();
  await assertIndexed(store.market, market);
  await assertGraduated(store.market, coin);
  await assertNoDifferences(store, indexing);
});

/** Hands a token account of the SPL program to another owner. */
function giveAccount(owner: string, token: SceneToken, to: string): Instruction {
  return {
    program: token.program,
    accounts: [use.writable(findTokenAccount(owner, token)), use.signer(owner)],
    data: Buffer.concat([Uint8Array.of(6, 2, 1), keyBytes(to)]),
  };
}

test('holders are owners: of wrapped SOL, of withheld fees, over all accounts', async (t) => {
  const market = new ManualMarket();
  const { chain, scene } = market;
  market.grow(2);
  const { store, indexing } = await followMarket(t, market);
  const [alice, bob] = ['alice', 'bob'].map((name) => createSigningKey(name));
  const { maker } = scene.wallets;
  const find = (symbol: string) =>
    scene.tokens.find((token) => token.symbol === symbol) ?? assert.fail(symbol);
  const [sol, levy, bolt] = [find('SOL'), find('LEVY'), find('BOLT')];
  if (alice === undefined || bob === undefined) return assert.fail();
  const pass = async (payer: SigningKey, instructions: readonly Instruction[]) => {
    send(chain, { payer, instructions });
    market.seal();
    await indexing.settle();
  };
  const hold = async ({ address }: { readonly address: string }, { mint }: SceneToken) => {
    const rows = await collect(store.market.scanBalances(SLUG));
    const own = rows.filter((row) => row.token === mint && row.owner === address);
    return own.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
  };
  const give = (token: SceneToken, to: SigningKey, amount: bigint) => [
    openTokenAccount(maker.address, to.address, token),
    transferTokens(token, { from: maker.address, to: to.address, amount }),
  ];
  await pass(maker, [transferLamports(maker.address, alice.address, 10n ** 10n)]);
  await pass(alice, wrapSol(alice.address, 3_000_000_000n));
  assert.equal(await hold(alice, sol), 3_000_000_000n);
  await pass(alice, [closeTokenAccount(alice.address, sol)]);
  assert.equal(await hold(alice, sol), 0n);
  // Two per cent are withheld in her account, and count as held by the mint.
  const withheld = await hold({ address: levy.mint }, levy);
  await pass(maker, give(levy, alice, 1_000_000n));
  assert.equal(await hold(alice, levy), 980_000n);
  assert.equal(await hold({ address: levy.mint }, levy), withheld + 20_000n);
  const [row] = await store.market.readTokens(SLUG, [toSolanaAddress(levy.mint)]);
  assert.ok(row && isHoldersComplete(row), 'all balances add up to the supply');
  await pass(maker, give(bolt, alice, 5000n));
  await pass(alice, [giveAccount(alice.address, bolt, bob.address)]);
  assert.deepEqual([await hold(alice, bolt), await hold(bob, bolt)], [0n, 5000n]);
  await pass(maker, give(bolt, bob, 70n));
  assert.equal(await hold(bob, bolt), 5070n);
  await assertNoDifferences(store, indexing);
});
