// Conformance: blocks are undone exactly, to any depth.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AdoptionRecord } from '../../src/model/adoption.ts';
import type { ChainSlug } from '../../src/model/chain.ts';
import type { Address } from '../../src/model/ids.ts';
import type {
  BalanceRecord,
  TickRecord,
  TokenRecord,
  TradeRecord,
} from '../../src/model/market-record.ts';
import type { PoolRecord } from '../../src/model/pool.ts';
import type { PositionRecord } from '../../src/model/position.ts';
import type { MarketReader, Store, UndoImages } from '../../src/store/store.ts';
import { fc } from '../fast-check.ts';
import { poolId } from '../test-ids.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import {
  balanceRecord,
  poolRecord,
  positionRecord,
  tickRecord,
  tokenRecord,
} from './store-records.ts';
import { buildCheckpoint, buildHeader, buildTrade, toAddress } from './store-samples.ts';

/** Everything that undo restores, as plain maps from key to row. */
interface State {
  readonly tokens: Map<string, TokenRecord>;
  readonly pools: Map<string, PoolRecord>;
  readonly ticks: Map<string, TickRecord>;
  readonly balances: Map<string, BalanceRecord>;
  readonly positions: Map<string, PositionRecord>;
  readonly trades: Map<string, TradeRecord>;
}

interface BlockChanges {
  readonly tokens: readonly TokenRecord[];
  readonly pools: readonly PoolRecord[];
  readonly ticks: readonly TickRecord[];
  readonly balances: readonly BalanceRecord[];
  readonly positions: readonly PositionRecord[];
  readonly trades: number;
}

const CHAIN: ChainSlug = 'devnet';

export function describeUndo(createPlace: CreatePlace): void {
  describe('undo', () => {
    const scene = useStore(createPlace);
    itRestores(() => scene.store);
    itRemovesAdoptions(() => scene.store);
    itRestoresMany(() => scene.store);
    itPrunes(() => scene.store);
  });
}

const few = <T>(arbitrary: fc.Arbitrary<T>, selector: (row: T) => string) =>
  fc.uniqueArray(arbitrary, { selector, maxLength: 4 });
const key = fc.integer({ min: 1, max: 4 }).map(toAddress);
const sometimesZero = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 2n ** 128n - 1n }));

/** Few keys, so that blocks change, create and delete the same rows repeatedly. */
const blockChanges: fc.Arbitrary<BlockChanges> = fc.record({
  tokens: few(
    fc.tuple(tokenRecord, key).map(([row, token]) => ({ ...row, token })),
    (row) => row.token,
  ),
  pools: few(
    fc.tuple(poolRecord, key).map(([row, pool]) => ({ ...row, pool: poolId(pool) })),
    (row) => row.pool,
  ),
  ticks: few(
    fc
      .tuple(tickRecord, key, fc.integer({ min: -2, max: 2 }), sometimesZero)
      .map(([row, pool, tick, liquidityGross]) => {
        return { ...row, pool: poolId(pool), tick, liquidityGross };
      }),
    (row) => `${row.pool} ${row.tick}`,
  ),
  balances: few(
    fc
      .tuple(balanceRecord, key, key, sometimesZero)
      .map(([row, token, owner, amountRaw]) => ({ ...row, token, owner, amountRaw })),
    (row) => `${row.token} ${row.owner}`,
  ),
  positions: few(
    fc.tuple(positionRecord, key, key).map(([row, token, wallet]) => ({ ...row, token, wallet })),
    (row) => `${row.token} ${row.wallet}`,
  ),
  trades: fc.integer({ min: 0, max: 3 }),
});

function createState(): State {
  return {
    tokens: new Map(),
    pools: new Map(),
    ticks: new Map(),
    balances: new Map(),
    positions: new Map(),
    trades: new Map(),
  };
}

/** Applies a block to the model and to the store, with its undo images. */
async function applyBlock(
  store: Store,
  state: State,
  block: number,
  changes: BlockChanges,
): Promise<void> {
  const images: UndoImages = {
    block,
    tokens: new Map(changes.tokens.map((row) => [row.token, state.tokens.get(row.token) ?? null])),
    pools: new Map(changes.pools.map((row) => [row.pool, state.pools.get(row.pool) ?? null])),
    ticks: changes.ticks.map(({ pool, tick }) => ({
      pool,
      tick,
      before: state.ticks.get(`${pool} ${tick}`) ?? null,
    })),
    balances: changes.balances.map(({ token, owner }) => ({
      token,
      owner,
      before: state.balances.get(`${token} ${owner}`) ?? null,
    })),
    positions: changes.positions.map(({ token, wallet }) => ({
      token,
      wallet,
      before: state.positions.get(`${token} ${wallet}`) ?? null,
    })),
  };
  const trades = Array.from({ length: changes.trades }, (_, logIndex) =>
    buildTrade({ block, logIndex, token: toAddress(1 + (logIndex % 2)) }),
  );
  await store.market.transaction(CHAIN, async (transaction) => {
    await transaction.putHeaders([buildHeader(block)]);
    await transaction.putTokens(changes.tokens);
    await transaction.putPools(changes.pools);
    await transaction.putTicks(changes.ticks);
    await transaction.putBalances(changes.balances);
    await transaction.putPositions(changes.positions);
    await transaction.insertTrades(trades);
    await transaction.putUndo([images]);
  });
  for (const row of changes.tokens) state.tokens.set(row.token, row);
  for (const row of changes.pools) state.pools.set(row.pool, row);
  for (const row of changes.ticks) {
    if (row.liquidityGross === 0n) state.ticks.delete(`${row.pool} ${row.tick}`);
    else state.ticks.set(`${row.pool} ${row.tick}`, row);
  }
  for (const row of changes.balances) {
    if (row.amountRaw === 0n) state.balances.delete(`${row.token} ${row.owner}`);
    else state.balances.set(`${row.token} ${row.owner}`, row);
  }
  for (const row of changes.positions) state.positions.set(`${row.token} ${row.wallet}`, row);
  for (const trade of trades) state.trades.set(`${trade.block}:${trade.logIndex}`, trade);
}

function copy(state: State): State {
  return {
    tokens: new Map(state.tokens),
    pools: new Map(state.pools),
    ticks: new Map(state.ticks),
    balances: new Map(state.balances),
    positions: new Map(state.positions),
    trades: new Map(state.trades),
  };
}

async function readState(store: Store): Promise<State> {
  const state = createState();
  await store.market.snapshot(async (reader) => {
    for await (const page of reader.scanTokens(CHAIN)) {
      for (const row of page) state.tokens.set(row.token, row);
    }
    for await (const page of reader.scanPools(CHAIN)) {
      for (const row of page) state.pools.set(row.pool, row);
    }
    for await (const page of reader.scanTicks(CHAIN)) {
      for (const row of page) state.ticks.set(`${row.pool} ${row.tick}`, row);
    }
    for await (const page of reader.scanBalances(CHAIN)) {
      for (const row of page) state.balances.set(`${row.token} ${row.owner}`, row);
    }
    for await (const page of reader.scanPositions(CHAIN)) {
      for (const row of page) state.positions.set(`${row.token} ${row.wallet}`, row);
    }
    for await (const page of reader.scanTrades(CHAIN)) {
      for (const row of page) state.trades.set(`${row.block}:${row.logIndex}`, row);
    }
  });
  return state;
}

/** Applies blocks and returns the state after each; index 0 is the state before the first. */
async function applyBlocks(
  store: Store,
  from: { readonly state: State; readonly block: number },
  blocks: readonly BlockChanges[],
): Promise<State[]> {
  const state = copy(from.state);
  const states = [copy(state)];
  for (const [index, changes] of blocks.entries()) {
    await applyBlock(store, state, from.block + index + 1, changes);
    states.push(copy(state));
  }
  return states;
}

function itRestores(getStore: () => Store): void {
  it('restores the exact rows of any block below, and follows another branch from there', async () => {
    const blocks = fc.array(blockChanges, { minLength: 1, maxLength: 8 });
    const property = fc.asyncProperty(blocks, blocks, fc.nat(), async (first, second, pick) => {
      const store = getStore();
      await store.market.transaction(CHAIN, (transaction) => transaction.undoAbove(-1));
      const states = await applyBlocks(store, { state: createState(), block: 0 }, first);
      const target = pick % (first.length + 1);
      const removed = await store.market.transaction(CHAIN, (transaction) =>
        transaction.undoAbove(target),
      );
      assert.deepEqual(await readState(store), states[target]);
      const gone = [...states.at(-1)!.trades.values()].filter((trade) => trade.block > target);
      assert.deepEqual(removed, gone);
      await assertHeaders(store.market, target);

      const from = { state: states[target]!, block: target };
      const branch = await applyBlocks(store, from, second);
      assert.deepEqual(await readState(store), branch.at(-1));
      await store.market.transaction(CHAIN, (transaction) => transaction.undoAbove(0));
      assert.deepEqual(await readState(store), createState());
    });
    await fc.assert(property, { numRuns: 12 });
  });

  it('restores the oldest image of a block that was written in several parts', async () => {
    const { market } = getStore();
    const owner = toAddress(9);
    const token = toAddress(8);
    const image = (before: bigint | null): UndoImages => ({
      block: 5,
      tokens: new Map(),
      pools: new Map(),
      ticks: [],
      balances: [
        { token, owner, before: before === null ? null : { token, owner, amountRaw: before } },
      ],
      positions: [],
    });
    await market.transaction('base', async (transaction) => {
      await transaction.putBalances([{ token, owner, amountRaw: 3n }]);
      await transaction.putUndo([image(1n), image(2n)]);
    });
    await market.transaction('base', (transaction) => transaction.putUndo([image(null)]));
    await market.transaction('base', (transaction) => transaction.undoAbove(4));
    assert.deepEqual(await market.readBalances('base', [{ token, owner }]), [
      { token, owner, amountRaw: 1n },
    ]);
  });

  it('leaves candles to the caller, and other chains unchanged', async () => {
    const { market } = getStore();
    const trade = buildTrade({ block: 50 });
    for (const chain of ['polygon', 'bsc'] as const) {
      await market.transaction(chain, async (transaction) => {
        await transaction.insertTrades([trade]);
        await transaction.putHeaders([buildHeader(50)]);
      });
    }
    await market.transaction('polygon', (transaction) => transaction.undoAbove(10));
    assert.deepEqual(await market.readHeaders('polygon'), []);
    assert.deepEqual(await market.readHeaders('bsc'), [buildHeader(50)]);
    const range = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
    const series = { token: trade.token, pool: null };
    assert.deepEqual(await market.readTradeRange('bsc', series, range), [trade]);
  });
}

function itRemovesAdoptions(getStore: () => Store): void {
  it('removes the adoptions of blocks above, and keeps those below', async () => {
    const { market } = getStore();
    const buildAdoption = (version: number, block: number): AdoptionRecord => ({
      ...{ pool: poolId(toAddress(version)), kind: 'concentrated', feePips: 500, block, version },
      state: {
        ...{ sqrtPriceX96: 1n << 96n, liquidity: 7n, tick: -1, protocolFee: 0 },
        ...{ amount0: 2n ** 200n, amount1: null },
      },
      ticks: [{ tick: -60, liquidityGross: 2n ** 127n, liquidityNet: -(2n ** 126n) }],
    });
    const adoptions = [
      buildAdoption(3, 10),
      buildAdoption(4, 10),
      buildAdoption(5, 11),
      buildAdoption(9, 12),
    ];
    const readAll = async (chain: ChainSlug) => {
      const all: AdoptionRecord[] = [];
      for await (const rows of market.scanAdoptions(chain)) all.push(...rows);
      return all;
    };
    for (const chain of ['polygon', 'bsc'] as const) {
      await market.transaction(chain, (transaction) => transaction.putAdoptions(adoptions));
    }
    assert.deepEqual(await readAll('polygon'), adoptions);
    await market.transaction('polygon', (transaction) => transaction.undoAbove(10));
    assert.deepEqual(await readAll('polygon'), adoptions.slice(0, 2));
    await market.forgetChain('polygon');
    assert.deepEqual(await readAll('polygon'), []);
    assert.deepEqual(await readAll('bsc'), adoptions);
  });
}

function itRestoresMany(getStore: () => Store): void {
  it('restores more blocks and more parts of a block than are read at a time', async () => {
    const { market } = getStore();
    const token = toAddress(8);
    const buildImage = (block: number, owner: Address, before: bigint | null): UndoImages => ({
      block,
      tokens: new Map(),
      pools: new Map(),
      ticks: [],
      balances: [
        { token, owner, before: before === null ? null : { token, owner, amountRaw: before } },
      ],
      positions: [],
    });
    // Each block and each part changes a different row; all of them must be restored.
    const count = 260;
    const owners = Array.from({ length: 2 * count }, (_, index) => toAddress(1000 + index));
    const [ofBlocks, ofParts] = [owners.slice(0, count), owners.slice(count)];
    const buildBalances = (amountRaw: bigint) =>
      owners.map((owner): BalanceRecord => ({ token, owner, amountRaw }));
    await market.transaction('arbitrum', async (transaction) => {
      await transaction.putBalances(buildBalances(2n));
      await transaction.putUndo([
        ...ofBlocks.map((owner, index) => buildImage(index + 1, owner, 1n)),
        ...ofParts.map((owner) => buildImage(count + 1, owner, 1n)),
      ]);
    });
    await market.transaction('arbitrum', (transaction) => transaction.undoAbove(0));
    const restored = await market.readBalances('arbitrum', buildBalances(0n));
    const byOwner = new Map(restored.map(({ owner, amountRaw }) => [owner, amountRaw]));
    assert.deepEqual(
      byOwner,
      new Map(owners.map((owner) => [owner, 1n])),
      'rows of later images stayed as they were',
    );
    await market.transaction('arbitrum', (transaction) => transaction.undoAbove(0));
    assert.deepEqual(await market.readBalances('arbitrum', buildBalances(0n)), restored);
  });
}

async function assertHeaders(market: MarketReader, target: number): Promise<void> {
  const numbers = (await market.readHeaders(CHAIN)).map((header) => header.position);
  assert.deepEqual(
    numbers,
    Array.from({ length: target }, (_, index) => index + 1),
  );
}

function itPrunes(getStore: () => Store): void {
  it('deletes images and headers that no reorganisation can reach, and no others', async () => {
    const { market } = getStore();
    const owner = toAddress(9);
    const token = toAddress(8);
    await market.transaction('optimism', async (transaction) => {
      await transaction.setCheckpoint(buildCheckpoint(1, 200));
      const blocks = Array.from({ length: 200 }, (_, index) => index + 1);
      await transaction.putHeaders(blocks.map(buildHeader));
      await transaction.putBalances([{ token, owner, amountRaw: 200n }]);
      await transaction.putUndo(
        blocks.map((block) => ({
          block,
          tokens: new Map(),
          pools: new Map(),
          ticks: [],
          balances: [
            {
              token,
              owner,
              before: block === 1 ? null : { token, owner, amountRaw: BigInt(block - 1) },
            },
          ],
          positions: [],
        })),
      );
      await transaction.pruneUndo(150);
    });
    const headers = (await market.readHeaders('optimism')).map((header) => header.position);
    assert.ok(headers.includes(150) && headers.includes(151) && headers.includes(200));
    assert.ok(!headers.includes(1));
    await market.transaction('optimism', (transaction) => transaction.undoAbove(100));
    assert.deepEqual(
      await market.readBalances('optimism', [{ token, owner }]),
      [{ token, owner, amountRaw: 150n }],
      'only the images above the pruned block are left to restore',
    );
  });
}
