// What a pair of Liquidity Book becomes by its logs. Amounts are compared with contracts in
// `chains/evm/venues/liquidity-book/book-pairs-on-chain.test.ts`.

import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import type { PoolDraft, PoolTicks } from '../pool-kind.ts';
import { TickList } from '../tick-list.ts';
import { liquidityBookKind as kind } from './liquidity-book-kind.ts';

type Change = Parameters<typeof kind.apply>[1];

const ID = 2 ** 23;
const FULL = 10n ** 20n;
const PARAMETERS = {
  ...{ baseFactor: 5000, filterSeconds: 30, decaySeconds: 600, reduction: 5000 },
  ...{ control: 40_000, protocolShare: 1000, volatilityMax: 350_000 },
};

let row: PoolDraft<'liquidityBook'>;
let rows: Map<number, { liquidityGross: bigint; liquidityNet: bigint }>;

const ticks: PoolTicks = {
  get: (tick) => rows.get(tick),
  change(tick, { gross, net }) {
    const { liquidityGross = 0n, liquidityNet = 0n } = rows.get(tick) ?? {};
    const after = { liquidityGross: liquidityGross + gross, liquidityNet: liquidityNet + net };
    rows.set(tick, after);
    return after.liquidityGross >= 0n;
  },
  get order() {
    return [...rows.keys()].sort((a, b) => a - b);
  },
};

function apply(change: Change, nowSeconds?: number): void {
  const time = nowSeconds === undefined ? {} : { nowSeconds };
  kind.apply(row, change, { ticks, swapped: null, ...time });
}

function createPool() {
  const list = ticks.order.map((tick) => {
    return { pool: row.pool, tick, ...(rows.get(tick) ?? assert.fail()) };
  });
  return kind.createSwapPool(row, list, undefined);
}

beforeEach(() => {
  rows = new Map(
    [-2, -1, 0, 1, 2].map((at) => [
      ID + at,
      { liquidityGross: at === 0 ? 2n * FULL : FULL, liquidityNet: BigInt(Math.sign(at)) * FULL },
    ]),
  );
  row = {
    ...{ pool: poolId(`0x${'1'.repeat(40)}`), kind: 'liquidityBook', venue: 'lfj-v2-2' },
    ...{ token0: address(`0x${'2'.repeat(40)}`), token1: address(`0x${'3'.repeat(40)}`) },
    ...{ vault: address(`0x${'1'.repeat(40)}`), feePips: 1250, createdBlock: 1, createdAtMs: 0 },
    ...{ complete: true, lastSwapAtMs: null, liquidityUsdE18: null, terms: { binStep: 25 } },
    state: {
      ...{ activeId: ID, priceX128: 2n ** 128n, activeX: FULL, activeY: FULL, flags: '' },
      ...{ held0: 3n * FULL, held1: 3n * FULL, ...PARAMETERS },
      ...{ volatility: 0, volatilityReference: 0, indexReference: ID, updatedAt: 1000 },
    },
  };
});

/** Empties the active bin of Y and takes a half of the next. */
const SWAP: Change = {
  ...{ poolKind: 'liquidityBook', type: 'swapped', volatility: 10_000 },
  bins: [
    { id: ID, x: FULL, y: -FULL },
    { id: ID - 1, x: FULL / 2n, y: -FULL / 2n },
  ],
};

describe('a pair of Liquidity Book', () => {
  it('follows a swap with the references of its block', () => {
    apply(SWAP, 1029);
    const { state } = row;
    assert.deepEqual(
      [state.activeId, state.activeX, state.activeY],
      [ID - 1, FULL / 2n, FULL / 2n],
    );
    assert.deepEqual([state.held0, state.held1], [(9n * FULL) / 2n, (3n * FULL) / 2n]);
    assert.deepEqual([state.indexReference, state.volatilityReference], [ID, 0], 'filtered');
    assert.deepEqual([state.updatedAt, row.complete], [1029, true]);
    apply({ ...SWAP, bins: [{ id: ID - 1, x: 5n, y: -4n }] }, 1060);
    assert.deepEqual(
      [row.state.indexReference, row.state.volatilityReference, row.state.updatedAt],
      [ID - 1, 5000, 1060],
      'half of the volatility is left',
    );
    assert.deepEqual(kind.decodeState(kind.encodeState(row.state)), row.state);
  });

  it('is read again after a swap of which the time is unknown', () => {
    apply(SWAP);
    assert.equal(row.complete, false);
    assert.equal(createPool(), null);
    assert.deepEqual(kind.price(row.state)?.numerator, row.state.priceX128, 'its price is known');
  });

  it('is read again if a bin loses more than it had', () => {
    const bins = [{ id: ID + 1, x: -FULL - 1n, y: 0n }];
    apply({ poolKind: 'liquidityBook', type: 'moved', bins }, 1001);
    assert.equal(row.complete, false);
  });

  it('of which not all is known only follows the price', () => {
    row.complete = false;
    apply(SWAP, 1029);
    assert.deepEqual([row.state.activeId, row.complete], [ID - 1, false]);
    assert.equal(rows.get(ID)?.liquidityGross, 2n * FULL);
  });

  it('is not quoted while a hook is called in its swaps', () => {
    assert.notEqual(createPool(), null);
    apply({ poolKind: 'liquidityBook', type: 'hooks', isCalled: true });
    assert.deepEqual([kind.findFlags?.(row.state, row.terms), row.complete], ['swapHook', true]);
    assert.equal(createPool(), null);
  });

  it('charges by the volatility at the time that is asked for', () => {
    row.state = { ...row.state, volatility: 40_000, volatilityReference: 40_000 };
    const pool = createPool();
    const feeAt = (seconds: number) => pool?.at?.({ seconds, block: 1 }).feePips(true);
    const fees = [1029, 1030, 1599, 1600].map(feeAt);
    // 40,000² · 25² · 40,000 / 100 of 10¹⁸ is 400 pips; of half the volatility a quarter of it.
    assert.deepEqual(fees, [1650, 1350, 1350, 1250]);
    const pay = (of: ReturnType<typeof createPool>, seconds: number) =>
      of?.at?.({ seconds, block: 1 }).swapIn(true, (5n * FULL) / 2n).amountOut;
    for (const seconds of [1029, 1030, 1600]) {
      assert.equal(
        pay(pool, seconds),
        pay(createPool(), seconds),
        'nothing of another time is kept',
      );
    }
  });

  it('is emptied of a bin by just what all of it costs, and a unit more is for the next', () => {
    // The higher the fee, the more amounts there are for which DLMM's comparison differs.
    for (let more = 0n; more < 500n; more += 1n) {
      row.state = { ...row.state, baseFactor: 65_535, activeY: FULL + more };
      const pool = createPool();
      const { amountIn: taken } = pool?.swapOut(true, FULL + more) ?? assert.fail();
      const crossed = [taken - 1n, taken, taken + 1n].map(
        (amount) => pool?.swapIn(true, amount).ticksCrossed,
      );
      assert.deepEqual(crossed, [0, 0, 1]);
      assert.equal(pool?.swapIn(true, taken).amountOut, FULL + more);
    }
  });

  it('refuses what a bin may not hold', () => {
    const fill = (activeY: bigint) => {
      row.state = { ...row.state, activeX: 0n, activeY };
      rows.set(ID, { liquidityGross: activeY, liquidityNet: -activeY });
      return createPool()?.swapIn(true, FULL).isFilled;
    };
    assert.deepEqual([fill(2n ** 107n), fill(2n ** 108n)], [true, false]);
  });

  it('is the same pool on another thread', () => {
    const pool = createPool() ?? assert.fail();
    const again = kind.revive(
      structuredClone(pool.toPlain()),
      new TickList(
        ticks.order.map((tick) => ({ tick, liquidityNet: rows.get(tick)?.liquidityNet ?? 0n })),
      ),
    );
    for (const amount of [1000n, FULL, 2n * FULL]) {
      assert.deepEqual({ ...again.swapIn(true, amount) }, { ...pool.swapIn(true, amount) });
    }
  });
});
