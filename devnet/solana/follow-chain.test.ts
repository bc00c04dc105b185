// The service's own follower on the embedded chain: what it indexes is what the chain's accounts
// say, over skipped slots and forks.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSolanaAdapter } from '../../src/chains/solana/create-solana-adapter.ts';
import {
  SYSTEM_PROGRAM,
  toSolanaAddress,
  toSolanaPool,
  WRAPPED_SOL,
} from '../../src/chains/solana/solana-ids.ts';
import { openScratchStore } from '../../src/compose/open-store.ts';
import { Indexer } from '../../src/ingest/follow/indexer.ts';
import { DEFAULT_INDEXER_OPTIONS } from '../../src/ingest/follow/indexer-options.ts';
import { verifyChain } from '../../src/ingest/verify/verify-chain.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { sleep as sleepUntil } from '../../src/lib/retry.ts';
import type { Address } from '../../src/model/ids.ts';
import type { MarketStore } from '../../src/store/store.ts';
import { createSqlitePlace } from '../../test/conformance/store-place.ts';
import { createSeededRandom } from '../random.ts';
import {
  closeTokenAccount,
  findTokenAccount,
  keyBytes,
  openTokenAccount,
  transferLamports,
  transferTokens,
} from './instructions.ts';
import { openChain } from './open-chain.ts';
import { startRpcServer } from './rpc-server.ts';
import {
  buildScene,
  describeGenesis,
  type Scene,
  type SceneToken,
  send,
  wrapSol,
} from './scene.ts';
import { SimulatedMarket } from './simulated-market.ts';
import type { SolanaChain } from './solana-chain.ts';
import { readTokenBalance } from './token-balance.ts';
import { createSigningKey, type Instruction, type SigningKey, use } from './wire-transaction.ts';

const SEED = 'follow';
const START = 1_790_000_000;
const SETTLE_MAX_MS = 30_000;
const SLUG = 'devnet-solana';

/** A market whose blocks are sealed by the test. */
class ManualMarket {
  readonly chain: SolanaChain;
  readonly scene: Scene;
  readonly market: SimulatedMarket;
  readonly random = createSeededRandom(SEED);
  #seconds = START + 1;

  constructor() {
    this.chain = openChain({
      ...{ file: ':memory:', genesis: describeGenesis(SEED), genesisSeconds: START },
    });
    this.scene = buildScene(this.chain, SEED, START);
    const { chain, scene, random } = this;
    this.market = new SimulatedMarket({ chain, scene, random, seed: SEED });
  }

  seal(skipped = 0): void {
    this.#seconds += 1;
    this.chain.seal({ seconds: this.#seconds, skipped });
  }

  grow(blockCount: number): void {
    for (let count = 0; count < blockCount; count += 1) {
      for (let action = 0; action < 3; action += 1) this.market.act();
      this.seal(count % 5 === 0 ? 2 : 0);
    }
  }

  /** A coin from its launch to a pool of its own. */
  graduate(): string {
    const coin = this.market.launch();
    this.seal();
    this.market.finishCurve(coin);
    this.seal();
    this.market.migrate(coin);
    this.seal();
    return coin.mint;
  }

  fork(depth: number): void {
    this.#seconds += 1;
    this.chain.fork(depth, { seconds: this.#seconds, drops: (place) => place % 7 === 0 });
  }

  balanceOf(owner: string, token: SceneToken): bigint {
    const account = this.chain.read(findTokenAccount(owner, token));
    return (account && readTokenBalance(account)?.amount) ?? 0n;
  }
}

async function startIndexing(store: MarketStore, market: ManualMarket, rpcUrl: string) {
  const { chain, scene } = market;
  const [sol, usdc] = scene.tokens;
  const anchor = scene.pools.find(({ base, quote }) => base === sol && quote === usdc);
  const timing = { clock: systemClock, random: Math.random, sleep: sleepUntil };
  const adapter = createSolanaAdapter({
    ...{ chain: SLUG, genesis: chain.genesisHash, endpoints: [rpcUrl], ...timing },
    knownPools: (pools) => store.readPools(SLUG, pools),
    assets: {
      ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
      native: new Set([SYSTEM_PROGRAM, WRAPPED_SOL]),
      stable: new Set([toSolanaAddress(usdc?.mint ?? '')]),
      anchorPools: [toSolanaPool(toSolanaAddress(anchor?.pool ?? ''))],
    },
  });
  const warnings: string[] = [];
  const indexer = new Indexer({
    ...{ ...DEFAULT_INDEXER_OPTIONS, ...timing, adapter, store },
    ...{ startBlock: 1, pollIntervalMs: 20, headStallAfterMs: null },
    log: { info: () => undefined, warn: (_, message) => warnings.push(message) },
    onCommitted: () => undefined,
  });
  indexer.start();
  const settle = async () => {
    const deadline = Date.now() + SETTLE_MAX_MS;
    while ((await store.readCheckpoint(SLUG))?.blockHash !== chain.head.hash) {
      if (Date.now() > deadline) throw new Error(`not at the head: ${warnings.join('; ')}`);
      await sleep(20);
    }
  };
  const stop = async () => {
    await indexer.stop();
    await adapter.close();
  };
  return { adapter, settle, stop };
}

async function collect<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

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

async function followMarket(t: TestContext, market: ManualMarket) {
  const server = await startRpcServer(market.chain, 0);
  t.after(() => server.close());
  const place = await createSqlitePlace();
  const store = await place.open();
  t.after(async () => {
    await store.close();
    await place.remove();
  });
  const indexing = await startIndexing(store.market, market, server.url);
  t.after(() => indexing.stop());
  await indexing.settle();
  return { store, indexing };
}

async function assertVerified(
  store: { readonly market: MarketStore },
  { adapter }: Awaited<ReturnType<typeof startIndexing>>,
): Promise<void> {
  const verification = await verifyChain({
    ...{ adapter, store: store.market, openScratchStore },
    ...{ sizes: DEFAULT_INDEXER_OPTIONS.sizes, attemptCountMax: 1 },
    signal: new AbortController().signal,
  });
  assert.deepEqual(verification.differences, []);
  for (const what of ['trade', 'supply', 'balance of contract', 'pool of contract']) {
    assert.ok((verification.checked[what] ?? 0) > 0, what);
  }
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
  await assertVerified(store, indexing);
});

/** Hands a token account of the SPL program to another owner. */
function giveAccount(owner: string, token: SceneToken, to: string): Instruction {
  return {
    program: token.program,
    accounts: [use.writable(findTokenAccount(owner, token)), use.signer(owner)],
    data: Buffer.concat([Uint8Array.of(6, 2, 1), keyBytes(to)]),
  };
}

test('holders are owners: of wrapped SOL, without withheld fees, over all accounts', async (t) => {
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
  const hold = async ({ address }: SigningKey, { mint }: SceneToken) => {
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
  // Two per cent stay in the account and are nobody's balance.
  await pass(maker, give(levy, alice, 1_000_000n));
  assert.equal(await hold(alice, levy), 980_000n);
  await pass(maker, give(bolt, alice, 5000n));
  await pass(alice, [giveAccount(alice.address, bolt, bob.address)]);
  assert.deepEqual([await hold(alice, bolt), await hold(bob, bolt)], [0n, 5000n]);
  await pass(maker, give(bolt, bob, 70n));
  assert.equal(await hold(bob, bolt), 5070n);
  await assertVerified(store, indexing);
});
