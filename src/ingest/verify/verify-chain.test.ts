// Verification finds nothing in an honest index, and every corruption in another.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  type CreatePlace,
  createPostgresPlace,
  createSqlitePlace,
  type StorePlace,
} from '../../../test/conformance/store-place.ts';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { FakeAdapter, FakeChain } from '../../../test/fakes/fake-chain.ts';
import { FAKE_TOKENS } from '../../../test/fakes/fake-market.ts';
import { startIndexer } from '../../../test/fakes/indexed-chain.ts';
import type { MarketEvent } from '../../model/block-events.ts';
import type { TokenRecord, TradeRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import type { MarketStore, MarketTransaction } from '../../store/store.ts';
import { type Verification, type VerifyOptions, verifyChain } from './verify-chain.ts';

async function withStore<T>(
  work: (store: MarketStore, place: StorePlace) => Promise<T>,
  createPlace: CreatePlace = createSqlitePlace,
): Promise<T> {
  const place = await createPlace();
  const store = await place.open();
  try {
    return await work(store.market, place);
  } finally {
    await store.close();
    await place.remove();
  }
}

function verify(
  store: MarketStore,
  adapter: FakeAdapter,
  overrides: Partial<VerifyOptions> = {},
): Promise<Verification> {
  return verifyChain({
    adapter,
    store,
    openScratchStore: () => createSqliteStore({ file: ':memory:' }),
    sizes: { blockCountMax: 11, eventCountMax: 100 },
    attemptCountMax: 3,
    signal: new AbortController().signal,
    // A piece for each page.
    pieceMs: 0,
    ...overrides,
  });
}

async function index(chain: FakeChain, store: MarketStore): Promise<FakeAdapter> {
  const indexed = startIndexer(chain, store);
  await indexed.settle();
  chain.reorganise(4, 6);
  await indexed.settle();
  await indexed.indexer.stop();
  return indexed.adapter;
}

/** Writes beside the indexer, like a bug or a manual change. */
async function spoil(
  store: MarketStore,
  work: (transaction: MarketTransaction) => Promise<void>,
): Promise<void> {
  await store.transaction('devnet', work);
}

async function first<T>(
  scan: AsyncIterable<readonly T[]>,
  isWanted: (row: T) => boolean = () => true,
): Promise<T> {
  for await (const rows of scan) {
    const found = rows.find(isWanted);
    if (found !== undefined) return found;
  }
  throw new Error('there is none');
}

describe('verifyChain', () => {
  for (const seed of [31, 32, 33]) {
    it(`finds nothing after growth and reorganisations, seed ${seed}`, async () => {
      const isUneven = seed === 32;
      const clock = isUneven ? 'wild' : 'steady';
      const chain = new FakeChain({ seed, finalityDepth: 8, clock, gaps: isUneven });
      chain.extend(60);
      assert.equal(chain.stepsBack > 0 && chain.skipped > 0, isUneven);
      await withStore(async (store) => {
        const verification = await verify(store, await index(chain, store));
        assert.deepEqual(verification.differences, []);
        assert.equal(verification.block, chain.head.position);
        const kinds = ['token', 'pool', 'tick', 'balance', 'position', 'candle', 'trade', 'supply'];
        for (const what of kinds) {
          assert.ok((verification.checked[what] ?? 0) > 0, what);
        }
        for (const what of ['balance of contract', 'pool of contract', 'tick of contract']) {
          assert.ok((verification.checked[what] ?? 0) > 0, what);
        }
      });
    });
  }

  it('finds a row of every kind that was changed, removed or added', async () => {
    const chain = new FakeChain({ seed: 34, finalityDepth: 8 });
    chain.extend(60);
    await withStore(async (store) => {
      const adapter = await index(chain, store);
      const token = await first(store.scanTokens('devnet'));
      const pool = await first(store.scanPools('devnet'));
      const tick = await first(store.scanTicks('devnet'));
      const balance = await first(store.scanBalances('devnet'));
      const position = await first(store.scanPositions('devnet'));
      const candle = await first(store.scanCandles('devnet'));
      const trade = await first(store.scanTrades('devnet'));
      await spoil(store, async (transaction) => {
        await transaction.putTokens([{ ...token, holders: 77 }]);
        await transaction.putPools([{ ...pool, lastSwapAtMs: 5 }]);
        await transaction.putTicks([{ ...tick, liquidityGross: 0n }]);
        await transaction.putBalances([{ ...balance, amountRaw: 12345n }]);
        await transaction.putPositions([{ ...position, costUsdE6: 77n }]);
        await transaction.deleteCandles([candle]);
        await transaction.insertTrades([{ ...trade, logIndex: 999 }]);
      });
      const { differences, differenceCount } = await verify(store, adapter);
      assert.equal(differenceCount, differences.length);
      for (const expected of [
        new RegExp(`^token ${token.token}: holders is 77, should be ${token.holders}$`),
        new RegExp(`^pool ${pool.pool}: lastSwapAtMs is 5, should be `),
        new RegExp(`^tick ${tick.pool} ${tick.tick}: missing from the store$`),
        new RegExp(`^balance ${balance.token} ${balance.owner}: amountRaw is 12345, should be `),
        new RegExp(`^position ${position.token} ${position.wallet}: costUsdE6 is 77, should be `),
        new RegExp(`^candle ${candle.token} .* ${candle.openTimeMs}: missing from the store$`),
        new RegExp(`^trade ${trade.block} 999 ${trade.token}: stored, but not on the chain`),
      ]) {
        assert.ok(
          differences.some((line) => expected.test(line)),
          `${expected} is not in ${differences.join('\n')}`,
        );
      }
    });
  });

  it('finds figures that differ: a flag, prices of a trade, a candle and a token', async () => {
    const chain = new FakeChain({ seed: 34, finalityDepth: 8 });
    chain.extend(60);
    await withStore(async (store) => {
      const adapter = await index(chain, store);
      const token = await first(store.scanTokens('devnet'), (row) => row.priceUsd !== null);
      const candle = await first(store.scanCandles('devnet'), (row) => row.usdClean !== null);
      const trade = await first(store.scanTrades('devnet'), (row) => row.priceUsd !== null);
      const usdClean = candle.usdClean && { ...candle.usdClean, high: '77' };
      await spoil(store, async (transaction) => {
        await transaction.putTokens([{ ...token, priceUsd: '77' }]);
        await transaction.putCandles([{ ...candle, usdClean }]);
        await transaction.putTrades([{ ...trade, outlier: !trade.outlier, priceUsd: '77' }]);
      });
      const { differences } = await verify(store, adapter);
      const name = `trade ${trade.block} ${trade.logIndex} ${trade.token}`;
      for (const expected of [
        `token ${token.token}: priceUsd is "77", should be "${token.priceUsd}"`,
        `${name}: outlier is ${!trade.outlier}, should be ${trade.outlier}`,
        `${name}: priceUsd is "77", should be "${trade.priceUsd}"`,
      ]) {
        assert.ok(differences.includes(expected), `${expected}: ${differences.join('\n')}`);
      }
      assert.ok(
        differences.some((line) => /^candle .*: usdClean .*77/.test(line)),
        differences.join('\n'),
      );
    });
  });
  for (const [engine, createPlace] of [
    ['sqlite', createSqlitePlace],
    ['postgres', createPostgresPlace],
  ] as const) {
    it(`names thirteen kinds of wrong rows on ${engine}`, async () => {
      const chain = new FakeChain({ seed: 37, finalityDepth: 8 });
      chain.extend(60);
      const spoilAll = async (store: MarketStore, place: StorePlace) => {
        const adapter = await index(chain, store);
        const trades: TradeRecord[] = [];
        for await (const rows of store.scanTrades('devnet')) trades.push(...rows);
        const [amount, price, flag, gone] = trades.filter(
          ({ priceNative }) => priceNative !== null,
        );
        assert.ok(amount && price && flag && gone);
        const tokens: TokenRecord[] = [];
        for await (const rows of store.scanTokens('devnet')) tokens.push(...rows);
        const [decimals, supply, launch] = tokens.filter(({ supplyRaw }) => supplyRaw !== null);
        assert.ok(decimals && supply && launch);
        const pools: PoolRecord[] = [];
        for await (const rows of store.scanPools('devnet')) pools.push(...rows);
        const product = pools.find(({ kind }) => kind === 'constantProduct');
        const terms = pools.find((one) => one !== product && one.feePips > 0);
        assert.ok(product?.kind === 'constantProduct' && terms);
        const candle = await first(store.scanCandles('devnet'));
        const balance = await first(store.scanBalances('devnet'));
        const position = await first(store.scanPositions('devnet'));
        await spoil(store, async (transaction) => {
          await transaction.putTrades([
            { ...amount, amountRaw: amount.amountRaw + 1n },
            { ...price, priceNative: '123.5' },
            { ...flag, outlier: !flag.outlier },
            { ...gone, logIndex: 998 },
          ]);
          await transaction.putCandles([{ ...candle, volumeRaw: candle.volumeRaw + 1n }]);
          await transaction.putBalances([{ ...balance, amountRaw: 12_345n }]);
          await transaction.putPositions([{ ...position, costUsdE6: 77n }]);
          await transaction.putPools([
            { ...product, state: { ...product.state, reserve0: 5n } },
            { ...terms, feePips: terms.feePips + 1 },
          ]);
          const curve = { venue: 'nowhere', progressPct: 5, graduatedAtMs: null };
          await transaction.putTokens([
            { ...decimals, decimals: 3 },
            { ...supply, supplyRaw: (supply.supplyRaw ?? 0n) + 1n },
            { ...launch, launch: curve },
          ]);
        });
        const { block, logIndex } = gone;
        await place.run(`DELETE FROM trades WHERE block = ${block} AND log_index = ${logIndex}`);
        const { differences } = await verify(store, adapter);
        const toTrade = (one: TradeRecord) => `trade ${one.block} ${one.logIndex} ${one.token}`;
        const expected = {
          amount: `${toTrade(amount)}: amountRaw is `,
          price: `${toTrade(price)}: priceNative is `,
          flag: `${toTrade(flag)}: outlier is `,
          missing: `${toTrade(gone)}: missing from the store`,
          extra: `${toTrade({ ...gone, logIndex: 998 })}: stored, but not on the chain`,
          candle: `candle ${candle.token} `,
          balance: `balance ${balance.token} ${balance.owner}: amountRaw is 12345`,
          position: `position ${position.token} ${position.wallet}: costUsdE6 is 77`,
          state: `pool ${product.pool}: reserve0 is 5`,
          terms: `pool ${terms.pool}: feePips is `,
          decimals: `token ${decimals.token}: decimals is 3`,
          supply: `supply ${supply.token}: supplyRaw is `,
          launch: `token ${launch.token}: launch is `,
        };
        const unnamed = Object.entries(expected).filter(
          ([, line]) => !differences.some((one) => one.startsWith(line)),
        );
        assert.deepEqual(unnamed, [], differences.join('\n'));
      };
      await withStore(spoilAll, createPlace);
    });
  }

  it('compares the store with the contracts, not only with the log', async () => {
    const chain = new FakeChain({ seed: 35, finalityDepth: 8 });
    chain.extend(60);
    await withStore(async (store) => {
      const adapter = await index(chain, store);
      const honest = adapter.readBalances.bind(adapter);
      adapter.readBalances = async (keys, block) => {
        const balances = await honest(keys, block);
        return balances.map((amount, at) => (at === 0 && amount !== null ? amount + 1n : amount));
      };
      const { differences } = await verify(store, adapter);
      assert.equal(differences.length, 1);
      assert.match(
        differences[0] ?? '',
        /^balanceOf 0x\w+ 0x\w+: amountRaw is \d+, should be \d+$/,
      );
    });
  });

  it('compares pools and their ticks with the contracts', async () => {
    const chain = new FakeChain({ seed: 35, finalityDepth: 8 });
    chain.extend(60);
    await withStore(async (store) => {
      const adapter = await index(chain, store);
      const honest = adapter.readPoolStates.bind(adapter);
      let spoilt = '';
      adapter.readPoolStates = async (queries, block) =>
        (await honest(queries, block)).map((reading) => {
          const [tick, ...ticks] = reading.ticks;
          if (spoilt !== '' || tick === undefined) return reading;
          spoilt = `${reading.pool} ${tick.tick}`;
          return {
            ...reading,
            ticks: [{ ...tick, liquidityNet: tick.liquidityNet + 1n }, ...ticks],
          };
        });
      const ofTick = await verify(store, adapter);
      assert.equal(ofTick.differences.length, 1);
      assert.match(
        ofTick.differences[0] ?? '',
        new RegExp(`^state of tick ${spoilt}: liquidityNet is -?\\d+, should be -?\\d+$`),
      );
      adapter.readPoolStates = async (queries, block) =>
        (await honest(queries, block)).map((reading, index) =>
          index === 0 ? { ...reading, state: { ...reading.state, reserve0: 123_456n } } : reading,
        );
      const ofPool = await verify(store, adapter);
      assert.equal(ofPool.differences.length, 1);
      assert.match(ofPool.differences[0] ?? '', /^state of pool 0x\w+: reserve0 is /);
    });
  });

  it('adds what was looked up before it joins balances of the same block', async () => {
    // Every block is final at once, so that the balances are joined where the token was found.
    const chain = new FakeChain({
      ...{ seed: 38, finalityDepth: 0, clock: 'steady', seenWhole: true },
      market: { tokenCount: 2, poolCountMax: 6, rankedOnly: true, positionCountMax: 25 },
    });
    chain.extend(80);
    const token = FAKE_TOKENS[0]!;
    const startBlock = chain.head.position + 1;
    chain.extend(1, []);
    await withStore(async (store, place) => {
      const indexed = startIndexer(chain, store, {
        startBlock,
        adoption: { callsPerMinute: Number.POSITIVE_INFINITY },
        backfill: { callsPerMinute: Number.POSITIVE_INFINITY, tokensMax: 10 },
      });
      await indexed.settle();
      assert.equal(await indexed.indexer.lookUp(token), 'found');
      const readJobs = () => store.readBackfills('devnet', [token]);
      const deadline = Date.now() + 20_000;
      for (let jobs = await readJobs(); ; jobs = await readJobs()) {
        if (jobs.length === 2 && jobs.every(({ status }) => status === 'done')) break;
        assert.ok(Date.now() < deadline, `not filled in: ${indexed.warnings.at(-1)}`);
        await setImmediate();
      }
      await indexed.indexer.stop();
      const holders = (await readJobs()).find(({ kind }) => kind === 'holders');
      assert.equal(holders?.joinBlock, chain.head.position);
      const { differences } = await verify(store, indexed.adapter);
      assert.deepEqual(differences, []);
      // A pool that was looked up wrongly is wrong in both indexes, but not on the chain.
      const found = await first(store.scanDiscoveries('devnet'));
      const pools = new Set(found.pools.map(({ pool }) => pool));
      const isSwap = (event: MarketEvent) => event.kind === 'swap' && pools.has(event.pool);
      while (
        !chain.blocks(startBlock + 1, chain.head.position).some(({ events }) => events.some(isSwap))
      ) {
        chain.extend(5);
      }
      const again = startIndexer(chain, store, { startBlock });
      await again.settle();
      await again.indexer.stop();
      await place.run(
        'UPDATE discoveries SET pools = replace(pools, \'"venue":"\', \'"venue":"x\')',
      );
      const rows = await store.readPools('devnet', [...pools]);
      await spoil(store, (one) =>
        one.putPools(rows.map((row) => ({ ...row, venue: `x${row.venue}` }))),
      );
      const wrong = await verify(store, again.adapter);
      const line = /^description of pool 0x\w+: venue is "x/;
      assert.ok(
        wrong.differences.some((one) => line.test(one)),
        wrong.differences.join('\n'),
      );
    });
  });

  it('copes with a store that moves on and a chain that is reorganised', async () => {
    const random = createRandom(3);
    const chain = new FakeChain({ seed: 36, finalityDepth: 8 });
    chain.extend(40);
    await withStore(async (store) => {
      const indexed = startIndexer(chain, store);
      await indexed.settle();
      const adapter = new FakeAdapter(chain);
      adapter.faults.beforeRequest = () => {
        if (random() < 0.1) chain.extend(1);
      };
      let reorganisations = 0;
      const verification = await verify(store, adapter, {
        attemptCountMax: 20,
        openScratchStore: async () => {
          if (reorganisations < 2) chain.reorganise(3, 4);
          // Twice, the indexer has not yet seen the reorganisation when the comparison begins.
          else await indexed.settle();
          reorganisations += 1;
          return await createSqliteStore({ file: ':memory:' });
        },
      });
      await indexed.indexer.stop();
      assert.equal(reorganisations, 3);
      assert.deepEqual(verification.differences, []);
    });
  });
});
