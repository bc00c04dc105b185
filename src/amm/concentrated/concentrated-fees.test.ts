// Pools whose fee is told by their own events, in both directions or in each.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import type { PoolDraft, PoolTicks } from '../pool-kind.ts';
import { concentratedKind, type FeeRule } from './concentrated-kind.ts';

const NO_TICKS: PoolTicks = { get: () => undefined, change: () => true, order: [] };

function createDraft(): PoolDraft<'concentrated'> {
  return {
    ...{ pool: poolId('0xpool'), kind: 'concentrated', venue: 'camelot-v3' },
    ...{ token0: address('0xa'), token1: address('0xb'), vault: address('0xpool') },
    ...{ feePips: 100, createdBlock: 1, createdAtMs: 1, complete: true },
    terms: { tickSpacing: 1, custody: { kind: 'own' } },
    state: {
      ...{ sqrtPriceX96: 1n << 96n, liquidity: 10n ** 24n, tick: 0, protocolFee: 0 },
      ...{ amount0: 10n ** 24n, amount1: 10n ** 24n },
    },
    ...{ lastSwapAtMs: null, liquidityUsdE18: null },
  };
}

function setFees(draft: PoolDraft<'concentrated'>, zeroForOne: number, oneForZero: number): void {
  const fees = { zeroForOne, oneForZero };
  const change = { poolKind: 'concentrated', type: 'fees', fees } as const;
  concentratedKind.apply(draft, change, { ticks: NO_TICKS, swapped: null });
}

function setRule(draft: PoolDraft<'concentrated'>, rule: FeeRule): void {
  const change = { poolKind: 'concentrated', type: 'feeRule', rule } as const;
  concentratedKind.apply(draft, change, { ticks: NO_TICKS, swapped: null });
}

const LIQUIDITY = [
  { pool: poolId('0xpool'), tick: -600, liquidityGross: 10n ** 24n, liquidityNet: 10n ** 24n },
  { pool: poolId('0xpool'), tick: 600, liquidityGross: 10n ** 24n, liquidityNet: -(10n ** 24n) },
];

describe('fees of a concentrated pool', () => {
  it('are those of the last event, in each direction', () => {
    const draft = createDraft();
    setFees(draft, 500, 2500);
    const pool = concentratedKind.createSwapPool(draft, LIQUIDITY, undefined) ?? assert.fail();
    assert.deepEqual([pool.feePips(true), pool.feePips(false)], [500, 2500]);
    assert.equal(pool.swapIn(true, 1_000_000n).feeAmount, 500n);
    assert.equal(pool.swapIn(false, 1_000_000n).feeAmount, 2500n);
    setFees(draft, 300, 300);
    const even = concentratedKind.createSwapPool(draft, LIQUIDITY, undefined) ?? assert.fail();
    assert.deepEqual([even.feePips(true), even.feePips(false)], [300, 300]);
    assert.equal('feeOneForZero' in draft.state, false);
  });

  it('are left out of what the positions hold, each direction with its own', () => {
    const draft = createDraft();
    setFees(draft, 0, 500_000);
    const after = { sqrtPriceX96: 1n << 96n, liquidity: 10n ** 24n, tick: 0, feePips: null };
    const change = { poolKind: 'concentrated', type: 'swapped', ...after };
    const swapped = { amount0: -1000n, amount1: 2000n };
    concentratedKind.apply(draft, change as never, { ticks: NO_TICKS, swapped });
    assert.equal(draft.state.amount1, 10n ** 24n + 1000n);
  });

  it('are stored with the pool, and older rows without them are read', () => {
    const draft = createDraft();
    const plain = concentratedKind.encodeState(draft.state);
    assert.equal(plain.split(',').length, 6);
    assert.deepEqual(concentratedKind.decodeState(plain), draft.state);
    setFees(draft, 500, 2500);
    setRule(draft, 'timed');
    const text = concentratedKind.encodeState(draft.state);
    assert.deepEqual(concentratedKind.decodeState(text), draft.state);
    assert.equal(concentratedKind.findFlags?.(draft.state, draft.terms), 'timedFee');
    assert.throws(() => concentratedKind.decodeState(`${plain},1`), /6 or 8 fields/);
  });

  it('are certain where no plugin is called, and otherwise as uncertain as logs say', () => {
    const draft = createDraft();
    const flagsOf = () => concentratedKind.findFlags?.(draft.state, draft.terms);
    for (const [rule, flags] of [
      ['stored', ''],
      ['timed', 'timedFee'],
      ['stored', ''],
      ['perSwap', 'pluginFee'],
      ['timed', 'timedFee'],
    ] as const) {
      setRule(draft, rule);
      setFees(draft, 700, 700);
      assert.equal(flagsOf(), flags);
    }
    assert.equal(draft.complete, true);
  });

  it('must be read once a plugin that chose another one is not called any more', () => {
    const draft = createDraft();
    setRule(draft, 'perSwap');
    setFees(draft, 9000, 9000);
    setRule(draft, 'stored');
    assert.equal(draft.complete, false);
    assert.equal(concentratedKind.createSwapPool(draft, LIQUIDITY, undefined), null);
    setRule(draft, 'timed');
    assert.equal(concentratedKind.findFlags?.(draft.state, draft.terms), 'feeUnknown');
  });

  it('that nobody knows keep a pool from being quoted', () => {
    const draft = createDraft();
    const change = { poolKind: 'concentrated', type: 'unread' } as const;
    concentratedKind.apply(draft, change, { ticks: NO_TICKS, swapped: null });
    assert.equal(draft.complete, false);
    assert.equal(concentratedKind.createSwapPool(draft, LIQUIDITY, undefined), null);
  });
});
