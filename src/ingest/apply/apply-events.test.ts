// Balances, holders and pools after events that are ordinary, odd or hostile.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSqlitePlace } from '../../../test/conformance/store-place.ts';
import { FakeChain } from '../../../test/fakes/fake-chain.ts';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import {
  buildSwapEvent,
  createPool,
  createRange,
  indexEvents,
} from '../../../test/fakes/index-events.ts';
import { startIndexer } from '../../../test/fakes/indexed-chain.ts';
import {
  buildProtocolFeeChange,
  buildSwapped,
  changePosition,
  initialize,
  setReserves,
} from '../../../test/fakes/pool-events.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { MarketEvent } from '../../model/block-events.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolRecord } from '../../model/pool.ts';

const UINT256_MAX = 2n ** 256n - 1n;
const TOKEN = buildFakeAddress('aaaa', 10);
const OTHER = buildFakeAddress('aaaa', 20);
const POOL = poolId(buildFakeAddress('dddd', 1));
const ANN = buildFakeAddress('cccc', 1);
const BOB = buildFakeAddress('cccc', 2);

/** The price is one, and some liquidity is around it. */
const AT_ONE = { sqrtPriceX96: 2n ** 96n, liquidity: 9n, tick: 0 };

function transfer(from: Address | null, to: Address | null, amountRaw: bigint): MarketEvent {
  return { kind: 'transfer', token: TOKEN, from, to, amountRaw };
}

async function indexTransfers(...events: MarketEvent[]) {
  const { tokens, balances } = await indexEvents(events);
  const [token] = tokens;
  assert.ok(token);
  // The sum and the count must be those of the rows, whatever the events were.
  assert.equal(
    token.balanceSumRaw,
    balances.reduce((sum, { amountRaw }) => sum + amountRaw, 0n),
  );
  assert.equal(token.holders, balances.length);
  return { token, balances: Object.fromEntries(balances.map((row) => [row.owner, row.amountRaw])) };
}

describe('transfers', () => {
  it('mint from and burn to the zero address, which is no holder', async () => {
    const { token, balances } = await indexTransfers(
      transfer(null, ANN, 100n),
      transfer(ANN, BOB, 30n),
      transfer(ANN, null, 20n),
      transfer(null, null, 5n),
    );
    assert.deepEqual(balances, { [ANN]: 50n, [BOB]: 30n });
    assert.equal(token.balancesBroken, false);
  });

  it('of everything leave no row behind', async () => {
    const { balances } = await indexTransfers(transfer(null, ANN, 100n), transfer(ANN, BOB, 100n));
    assert.deepEqual(balances, { [BOB]: 100n });
  });

  it('of more than the sender has stop at zero and mark the token for good', async () => {
    const { token, balances } = await indexTransfers(
      transfer(null, ANN, 10n),
      transfer(ANN, BOB, 25n),
      transfer(null, ANN, 1000n),
    );
    assert.deepEqual(balances, { [ANN]: 1000n, [BOB]: 25n });
    assert.equal(token.balancesBroken, true);
  });

  it('to the zero address make the supply due, even if no known balance moved', async () => {
    const chain = new FakeChain({ seed: 1, finalityDepth: 3, eventCountMax: 0 });
    chain.extend(1, [transfer(null, ANN, 100n)]);
    const place = await createSqlitePlace();
    const store = await place.open();
    const { adapter, indexer, settle } = startIndexer(chain, store.market);
    try {
      await settle();
      const asked: number[] = [];
      const honest = adapter.readSupplies.bind(adapter);
      adapter.readSupplies = (tokens, header) => {
        if (tokens.includes(TOKEN)) asked.push(header.position);
        return honest(tokens, header);
      };
      // Bob's earlier balance is unknown.
      chain.extend(1, [transfer(BOB, null, 5n)]);
      await settle();
      assert.deepEqual(asked, [chain.head.position]);
    } finally {
      await indexer.stop();
      await store.close();
      await place.remove();
    }
  });

  it('to oneself change nothing', async () => {
    const { token, balances } = await indexTransfers(
      transfer(null, ANN, 10n),
      transfer(ANN, ANN, 10n),
    );
    assert.deepEqual(balances, { [ANN]: 10n });
    assert.equal(token.balancesBroken, false);
  });

  it('of zero make a token known but nobody a holder', async () => {
    const { token, balances } = await indexTransfers(transfer(ANN, BOB, 0n));
    assert.equal(token.token, TOKEN);
    assert.equal(token.balancesBroken, false);
    assert.deepEqual(balances, {});
  });

  it('beyond a total of 256 bits are cut off', async () => {
    const { token, balances } = await indexTransfers(
      transfer(null, ANN, UINT256_MAX),
      transfer(null, BOB, UINT256_MAX),
      transfer(null, ANN, 1n),
    );
    assert.deepEqual(balances, { [ANN]: UINT256_MAX });
    assert.equal(token.balancesBroken, true);
  });
});

describe('pools', () => {
  const created = createRange(POOL, [TOKEN, OTHER]);
  const initialized = initialize(POOL, 0);
  const change = (tickLower: number, tickUpper: number, liquidityDelta: bigint): MarketEvent =>
    changePosition(POOL, { tickLower, tickUpper, liquidityDelta });
  /** The state of the only pool, which is a concentrated one. */
  const stateOf = ([pool]: readonly PoolRecord[]) => {
    assert.ok(pool?.kind === 'concentrated');
    return pool.state;
  };

  it('count the liquidity that is in range, and keep ticks gross and net', async () => {
    const { pools, ticks } = await indexEvents(
      [created, initialized, change(-60, 60, 500n), change(60, 120, 70n)],
      [change(-60, 60, -200n), change(0, 60, 0n)],
    );
    assert.equal(stateOf(pools).liquidity, 300n);
    assert.deepEqual(
      ticks
        .map(({ tick, liquidityGross, liquidityNet }) => [tick, liquidityGross, liquidityNet])
        .sort((a, b) => Number(a[0]) - Number(b[0])),
      [
        [-60, 300n, 300n],
        [60, 370n, -230n],
        [120, 70n, -70n],
      ],
    );
  });

  it('take the state that a swap leaves', async () => {
    const after = { sqrtPriceX96: 2n ** 95n, liquidity: 9n, tick: -13864 };
    const swapped = buildSwapEvent(POOL, [5n, -4n], { change: buildSwapped(after) });
    const { pools } = await indexEvents([created, initialized, swapped]);
    const { sqrtPriceX96, liquidity, tick } = stateOf(pools);
    assert.deepEqual({ sqrtPriceX96, liquidity, tick }, after);
    assert.ok(pools[0]?.lastSwapAtMs);
  });

  it('forget a tick whose last liquidity is taken', async () => {
    const { ticks } = await indexEvents(
      [created, initialized, change(-60, 60, 5n)],
      [change(-60, 60, -5n)],
    );
    assert.deepEqual(ticks, []);
  });

  it('older than the index keep no ticks, and may be announced repeatedly', async () => {
    const announced = { ...created, complete: false } as MarketEvent;
    const { pools, ticks } = await indexEvents(
      [announced, change(-60, 60, -5n)],
      [announced, buildSwapEvent(POOL, [5n, -4n], { change: buildSwapped(AT_ONE) })],
      [announced, change(-60, 60, -5n)],
    );
    assert.equal(pools.length, 1);
    assert.equal(pools[0]?.createdBlock, 1);
    assert.equal(pools[0]?.complete, false);
    assert.equal(stateOf(pools).liquidity, 4n);
    assert.deepEqual(ticks, []);
  });

  it('stored by their trades become computed ones, and go back with their block', async (t) => {
    const announce = (fields: object) =>
      ({ ...createPool(POOL, [TOKEN, OTHER], fields), complete: false }) as MarketEvent;
    const last = { poolKind: 'tradesOnly', set: { last0: 5n, last1: 4n } } as const;
    const swap = buildSwapEvent(POOL, [5n, -4n], { change: last });
    const chain = new FakeChain({ seed: 1, finalityDepth: 3, eventCountMax: 0 });
    chain.extend(1, [announce({ venue: 'curve', kind: 'tradesOnly', terms: null }), swap]);
    const place = await createSqlitePlace();
    const store = await place.open();
    const { indexer, adapter, settle } = startIndexer(chain, store.market);
    t.after(async () => {
      await indexer.stop();
      await store.close();
      await place.remove();
    });
    const gone: number[] = [];
    Object.assign(adapter, { noteRollback: (position: number) => gone.push(position) });
    await settle();
    const [old] = await store.market.readPools('devnet', [POOL]);
    assert.deepEqual([old?.kind, old?.state], ['tradesOnly', { last0: 5n, last1: 4n }]);
    const computed = { venue: 'curve', kind: 'stableSwap', terms: { coinCount: 3 } };
    const other = { poolKind: 'stableSwap', unread: true } as const;
    const changed = { kind: 'poolChanged', pool: POOL, change: other } as const;
    chain.extend(1, [announce(computed), changed, swap]);
    await settle();
    const [row = assert.fail()] = await store.market.readPools('devnet', [POOL]);
    assert.deepEqual([row.kind, row.terms], ['stableSwap', { coinCount: 3 }]);
    assert.deepEqual([row.complete, row.createdBlock], [false, old?.createdBlock]);
    chain.reorganise(1, 2);
    await settle();
    assert.deepEqual(await store.market.readPools('devnet', [POOL]), [old]);
    assert.deepEqual(gone, [1], 'the adapter is told which blocks are left');
  });

  it('that nobody announced are left out', async () => {
    const { pools, trades } = await indexEvents([
      setReserves(POOL, 1n, 1n),
      buildSwapEvent(POOL, [5n, -4n]),
      change(-60, 60, 5n),
      initialized,
    ]);
    assert.deepEqual([pools, trades], [[], []]);
  });

  it('of V4 take the fee of the last swap without the part of the protocol', async () => {
    const terms = { tickSpacing: 60, custody: { kind: 'singleton', hooks: null } } as const;
    const { pools } = await indexEvents([
      createRange(POOL, [TOKEN, OTHER], { venue: 'uniswap-v4', terms, feePips: 0 }),
      initialized,
      buildProtocolFeeChange(POOL, 500 | (250 << 12)),
      // 500 + 3000 − ⌊500·3000/1e6⌋ for a swap of token 0 for token 1.
      buildSwapEvent(POOL, [5n, -4n], { change: buildSwapped(AT_ONE, 3499) }),
    ]);
    assert.equal(pools[0]?.feePips, 3000);
    assert.equal(stateOf(pools).protocolFee, 500 | (250 << 12));
  });
});
