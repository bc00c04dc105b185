// A pool kind that the service does not know is added from outside, with its own folder and one
// line: indexed, stored, rolled back, verified and traded.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addPoolKind } from '../src/amm/pool-kinds.ts';
import { verifyChain } from '../src/ingest/verify/verify-chain.ts';
import type { MarketEvent } from '../src/model/block-events.ts';
import type { PoolDescription, PoolRecord } from '../src/model/pool.ts';
import { createSqliteStore } from '../src/store/sqlite/create-sqlite-store.ts';
import { createGraphPool } from '../src/trading/graph/pool-graph-pool.ts';
import { createBuildScene, SALE, TOKEN, WETH } from './build-scene.ts';
import { createPostgresPlace, createSqlitePlace } from './conformance/store-place.ts';
import { FakeAdapter, FakeChain } from './fakes/fake-chain.ts';
import { buildFakeAddress } from './fakes/fake-market.ts';
import { createPair } from './fakes/fake-pair.ts';
import { buildSwapEvent, createPool } from './fakes/index-events.ts';
import { startIndexer } from './fakes/indexed-chain.ts';
import { PLAIN_RULES } from './fakes/trade-costs.ts';
import { VirtualReservesPool, virtualReservesKind } from './fakes/virtual-reserves-kind.ts';
import { address, poolId } from './test-ids.ts';

addPoolKind(virtualReservesKind);

const POOL = poolId(buildFakeAddress('dddd', 1));
const E18 = 10n ** 18n;
const TERMS = { virtual0: 1_000n * E18, virtual1: 30n * E18 };

const CREATED = createPool(POOL, [TOKEN, WETH], {
  ...{ kind: 'virtualReserves', venue: 'curve', terms: TERMS },
} as Partial<PoolDescription>);

function setReal(real0: bigint, real1: bigint): MarketEvent {
  const change = { poolKind: 'virtualReserves', real0, real1 } as const;
  return { kind: 'poolChanged', pool: POOL, change };
}

function buildRow(state: { readonly real0: bigint; readonly real1: bigint }): PoolRecord {
  return {
    ...{ pool: POOL, token0: TOKEN, token1: WETH, feePips: 3000, venue: 'curve' },
    vault: address(POOL),
    ...{ createdBlock: 1, createdAtMs: 1, complete: true, lastSwapAtMs: null },
    ...{ kind: 'virtualReserves', terms: TERMS, state, liquidityUsdE18: null },
  };
}

/** The contract's state after the last change. */
class CurveAdapter extends FakeAdapter {
  state = { real0: 0n, real1: 0n };

  override async readPoolStates() {
    return [{ pool: POOL, state: this.state, ticks: [] }];
  }
}

describe('a kind of pool that only tests know', () => {
  for (const createPlace of [createSqlitePlace, createPostgresPlace]) {
    it(`is stored, rolled back and verified (${createPlace.name})`, async (t) => {
      const chain = new FakeChain({ seed: 1, finalityDepth: 5, eventCountMax: 0 });
      const place = await createPlace();
      const store = await place.open();
      const { indexer, settle } = startIndexer(chain, store.market);
      t.after(async () => {
        await indexer.stop();
        await store.close();
        await place.remove();
      });
      const readState = async () => (await store.market.readPools('devnet', [POOL]))[0]?.state;
      chain.extend(1, [CREATED, setReal(500n * E18, 2n * E18)]);
      chain.extend(1, [buildSwapEvent(POOL, [-9n * E18, E18]), setReal(491n * E18, 3n * E18)]);
      await settle();
      assert.deepEqual(await readState(), { real0: 491n * E18, real1: 3n * E18 });
      chain.reorganise(1, 2);
      await settle();
      assert.deepEqual(await readState(), { real0: 500n * E18, real1: 2n * E18 });

      const adapter = new CurveAdapter(chain);
      const verify = () =>
        verifyChain({
          ...{ adapter, store: store.market, attemptCountMax: 1 },
          openScratchStore: () => createSqliteStore({ file: ':memory:' }),
          sizes: { blockCountMax: 11, eventCountMax: 100 },
          signal: new AbortController().signal,
        });
      adapter.state = { real0: 500n * E18, real1: 2n * E18 };
      assert.deepEqual((await verify()).differences, []);
      adapter.state = { real0: 500n * E18, real1: 2n * E18 + 1n };
      const [difference] = (await verify()).differences;
      assert.match(difference ?? '', /^state of pool 0x\w+: real1 is \d+, should be \d+$/);
    });
  }

  it('is quoted to the unit, alone and beside a pool of another kind', async (t) => {
    const real = { real0: 500n * E18, real1: 20n * E18 };
    const pool = createGraphPool(buildRow(real), [], PLAIN_RULES) ?? assert.fail();
    const curve = new VirtualReservesPool({ ...TERMS, ...real, feePips: 3000 });

    const alone = await createBuildScene(t, [pool]);
    const input = { ...SALE, amountInRaw: (50n * E18).toString() };
    const priced = await alone.pricing.price(alone.pricing.parse(input));
    assert.equal(priced.amountOutRaw, curve.swapIn(true, 50n * E18).amountOut);
    assert.equal(priced.exact, true);
    assert.equal(alone.pricing.sealAnswer(priced).route[0]?.hops[0]?.venue, 'curve');

    const pair = createPair(2, [TOKEN, WETH], [700n * E18, 25n * E18]);
    const both = await createBuildScene(t, [pool, pair]);
    const divided = await both.pricing.price(both.pricing.parse(input));
    const venues = new Set(divided.legs.flatMap(({ hops }) => hops.map(({ venue }) => venue)));
    assert.deepEqual(venues, new Set(['curve', 'uniswap-v2']));
    const parts = divided.legs.map(({ hops: [hop] }) => hop ?? assert.fail());
    for (const { venue, amountInRaw, amountOutRaw } of parts) {
      const own = venue === 'curve' ? curve : pair.curve;
      assert.equal(amountOutRaw, own.swapIn(true, amountInRaw).amountOut);
    }
    assert.ok(divided.amountOutRaw > priced.amountOutRaw);
  });

  it('is rejected if it holds too little, and cannot be built without a router', async (t) => {
    const real = { real0: 500n * E18, real1: E18 };
    const scene = await createBuildScene(t, [
      createGraphPool(buildRow(real), [], PLAIN_RULES) ?? assert.fail(),
    ]);
    const large = { ...SALE, amountInRaw: (400n * E18).toString() };
    await assert.rejects(
      scene.pricing.price(scene.pricing.parse(large)),
      /cannot fill the whole amount/,
    );
    await assert.rejects(scene.build({}), /no router can swap in pools of curve/);
  });
});
