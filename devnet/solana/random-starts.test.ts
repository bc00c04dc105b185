// Whenever an index of the chain was begun, and however often it was interrupted, its figures are
// those of an index of the whole chain, once it has seen what they depend on. Nodes of Solana tell
// no earlier trades: what a token's pools and the anchor were before their first event stays
// unknown (docs/decisions/0095).

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listMarketViews } from '../../src/chains/quote-rule.ts';
import { toSolanaAddress, toSolanaPool } from '../../src/chains/solana/data/solana-ids.ts';
import type { Address, PoolId } from '../../src/model/ids.ts';
import type { CandleRecord } from '../../src/model/market-record.ts';
import type { MarketStore } from '../../src/store/store.ts';
import { createSqlitePlace } from '../../test/conformance/store-place.ts';
import { createRandom } from '../../test/fakes/create-random.ts';
import {
  assertNoDifferences,
  collect,
  followMarket,
  ManualMarket,
  SLUG,
  startIndexing,
  startMarketNode,
} from '../../test/manual-market.ts';
import { RUN_SEED } from '../../test/run-seed.ts';
import { CPMM_CONFIG } from './genesis.ts';
import {
  describeCpmmPool,
  initializeCpmm,
  openTokenAccount,
  setComputeLimit,
  swapCpmm,
} from './instructions.ts';
import { type ScenePool, type SceneToken, send, toRaw } from './scene.ts';

const STARTS = 2;
/** Enough for some to be final. */
const OLDER_MIN = 45;
const BLOCKS = 60;
/** Once in so many blocks, everything trades that the figures of MIST depend on. */
const PULSE = 6;
const FORK_MAX = 5;
/** Of each side, in dollars: less than a hundredth of the token's other pool. */
const SLIVER_USD = 300;
const PAUSE_MAX_MS = 60;

type Random = () => number;

interface SliverMarket {
  readonly market: ManualMarket;
  readonly mist: Address;
  /** A pool of MIST that is too shallow to set its price. */
  readonly sliver: PoolId;
  readonly anchor: PoolId;
  /** One more block. */
  pass(isPulse: boolean): void;
}

function buildSliverMarket(seed: number, random: Random): SliverMarket {
  const market = new ManualMarket(`random start ${seed}`);
  const { chain, scene } = market;
  const { maker } = scene.wallets;
  const find = (symbol: string): SceneToken =>
    scene.tokens.find((token) => token.symbol === symbol) ?? assert.fail(symbol);
  const [mist, usdc, sol] = [find('MIST'), find('USDC'), find('SOL')];
  const toPool = (base: SceneToken, quote: SceneToken): ScenePool => {
    return { ...describeCpmmPool(CPMM_CONFIG, base, quote), base, quote };
  };
  const [sliver, deep, anchor] = [toPool(mist, usdc), toPool(mist, sol), toPool(sol, usdc)];
  const toAmount = (token: SceneToken, usd: number) => toRaw(token, usd / token.priceUsd);
  const isMistFirst = sliver.token0.mint === mist.mint;
  const [first, second] = isMistFirst ? [mist, usdc] : [usdc, mist];
  const amounts = { amount0: toAmount(first, SLIVER_USD), amount1: toAmount(second, SLIVER_USD) };
  send(chain, {
    payer: maker,
    instructions: [
      ...[setComputeLimit(600_000), openTokenAccount(maker.address, maker.address, sol)],
      initializeCpmm(maker.address, sliver, amounts),
    ],
  });
  market.seal();
  let swaps = 0;
  const swap = (pool: ScenePool, input: SceneToken, usd: number) => {
    swaps += 1;
    // No two transactions are the same.
    const amountIn = toAmount(input, usd) + BigInt(swaps);
    const isZeroIn = pool.token0.mint === input.mint;
    const order = { isZeroIn, kind: 'exactIn', amountIn, amountOut: 0n } as const;
    const instructions = [setComputeLimit(250_000), swapCpmm(maker.address, pool, order)];
    send(chain, { payer: maker, instructions });
  };
  const toId = ({ pool }: ScenePool) => toSolanaPool(toSolanaAddress(pool));
  return {
    ...{ market, mist: toSolanaAddress(mist.mint), sliver: toId(sliver), anchor: toId(anchor) },
    pass(isPulse) {
      if (isPulse || random() < 0.4) swap(sliver, random() < 0.5 ? mist : usdc, 3);
      if (isPulse) swap(deep, mist, 40);
      if (isPulse) swap(anchor, usdc, 40);
      market.grow(1);
    },
  };
}

/** An index that begins late, and is stopped, begun again and asked for tokens at random. */
async function followLate(t: TestContext, { market, pass }: SliverMarket, random: Random) {
  const { chain, scene } = market;
  const slots = chain.ledger.listSlots(1, chain.finalizedSlot);
  const startBlock = slots.at(-1 - Math.floor(random() * 8)) ?? assert.fail();
  const tokens = scene.tokens.slice(2).map(({ mint }) => toSolanaAddress(mint));
  const node = await startMarketNode(t, market);
  const place = await createSqlitePlace();
  const store = await place.open();
  const options = { store: store.market, rpcUrls: [node.url], startBlock, isAdopting: true };
  let indexing = await startIndexing(market, options);
  t.after(async () => {
    await indexing.stop();
    await store.close();
    await place.remove();
  });
  for (let count = 1; count <= BLOCKS; count += 1) {
    pass(count % PULSE === 0);
    const token = tokens[Math.floor(random() * tokens.length)] ?? assert.fail();
    const chance = random();
    if (chance < 0.1) market.fork(1 + Math.floor(random() * FORK_MAX));
    else if (chance < 0.2) void indexing.indexer.lookUp(token);
    else if (chance < 0.3) indexing.indexer.request(token);
    else if (chance < 0.4) await indexing.settle();
    else if (chance < 0.6) await sleep(random() * PAUSE_MAX_MS);
    else if (chance < 0.75) {
      await indexing.stop();
      indexing = await startIndexing(market, options);
    }
  }
  await indexing.settle();
  return { store, indexing, startBlock };
}

async function readFigures(store: MarketStore) {
  const [trades, candles, tokens, pools] = await Promise.all([
    collect(store.scanTrades(SLUG)),
    collect(store.scanCandles(SLUG)),
    collect(store.scanTokens(SLUG)),
    collect(store.scanPools(SLUG)),
  ]);
  return { trades, candles, tokens, pools };
}

type Figures = Awaited<ReturnType<typeof readFigures>>;

interface Known {
  readonly block: number;
  readonly ms: number;
}

/** The block after which the late index knows each pool; absent if it never does. */
async function findKnownFrom(
  { full, late }: { readonly full: Figures; readonly late: Figures },
  { store, startBlock }: Awaited<ReturnType<typeof followLate>>,
): Promise<Map<PoolId, number>> {
  const known = new Map<PoolId, number>();
  const note = (pool: PoolId, block: number) =>
    known.set(pool, Math.min(block, known.get(pool) ?? block));
  for (const { pool, block } of full.trades) if (block >= startBlock) note(pool, block);
  for (const { pool, createdAtMs, createdBlock } of late.pools) {
    if (createdAtMs !== 0) note(pool, createdBlock);
  }
  for (const adopted of await collect(store.market.scanAdoptions(SLUG))) {
    note(adopted.pool, adopted.block);
  }
  return known;
}

function nameCandle({ pool, interval, openTimeMs }: CandleRecord): string {
  return `${pool} ${interval} ${openTimeMs}`;
}

function pickFigures({ trades, candles, tokens }: Figures, token: Address, from: Known) {
  const own = trades.filter((one) => one.token === token && one.block > from.block);
  const row = tokens.find((one) => one.token === token);
  // Until then the price may be that of an earlier trade.
  const isPriced = own.some(({ outlier }) => !outlier);
  return {
    trades: own,
    // Scans of candles have an order of their own in each store.
    candles: candles
      .filter((one) => one.token === token && one.openTimeMs > from.ms)
      .sort((a, b) => (nameCandle(a) < nameCandle(b) ? -1 : 1)),
    price: isPriced ? { native: row?.priceNative, usd: row?.priceUsd } : null,
  };
}

/** What transactions say, whatever else is known. */
function pickAmounts({ trades }: Figures, fromBlock: number) {
  const own = trades.filter(({ block }) => block >= fromBlock);
  return own.map(({ priceNative, priceUsd, valueNative, valueUsd, outlier, ...rest }) => rest);
}

for (let count = 0; count < STARTS; count += 1) {
  const seed = (RUN_SEED + count) % 1_000_000;
  test(`figures are the same from a random start (seed ${seed})`, async (t) => {
    const random = createRandom(seed);
    const scene = buildSliverMarket(seed, random);
    const { market, mist, sliver, anchor } = scene;
    const older = OLDER_MIN + Math.floor(random() * 20);
    for (let block = 1; block <= older; block += 1) scene.pass(block % PULSE === 0);
    const late = await followLate(t, scene, random);
    const whole = await followMarket(t, market, { isAdopting: true });
    const figures = {
      full: await readFigures(whole.store.market),
      late: await readFigures(late.store.market),
    };
    const { startBlock } = late;
    assert.deepEqual(pickAmounts(figures.late, startBlock), pickAmounts(figures.full, startBlock));
    const known = await findKnownFrom(figures, late);
    const knownOf = (pool: PoolId) => known.get(pool) ?? Number.POSITIVE_INFINITY;
    const { assets } = whole.indexing.adapter;
    let compared = 0;
    for (const { token } of figures.full.tokens) {
      const pools = figures.full.pools.filter((row) =>
        listMarketViews(assets, row).some(({ base }) => base === token),
      );
      const block = Math.max(knownOf(anchor), ...pools.map(({ pool }) => knownOf(pool)));
      const header = market.chain.ledger.readBlock(block);
      // A pool that was quiet all the time is not known to the late index.
      if (header === null) continue;
      const from = { block, ms: header.seconds * 1000 };
      const wanted = pickFigures(figures.full, token, from);
      assert.deepEqual(pickFigures(figures.late, token, from), wanted, `${token} from ${block}`);
      compared += wanted.trades.length;
      if (token !== mist) continue;
      const slivers = wanted.trades.filter(({ pool }) => pool === sliver);
      assert.ok(slivers.length > 3 && wanted.price !== null && wanted.candles.length > 3);
      assert.ok(slivers.every(({ outlier }) => outlier));
    }
    assert.ok(compared > 30, `${compared} trades`);
    await assertNoDifferences(late.store, late.indexing);
    await assertNoDifferences(whole.store, whole.indexing);
  });
}
