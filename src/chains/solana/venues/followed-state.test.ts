// Pools after swaps, from what events tell: the state is that of the swap itself, or the pool is
// known to be unknown.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSolanaFixture, skipWithoutSolana as skip } from '../../../../test/solana-fixtures.ts';
import {
  buildPoolRecord,
  isZeroForOne,
  type RecordedPool,
  readPoolAt,
  readRecordedPool,
} from '../../../../test/solana-pools.ts';
import { binsKind } from '../../../amm/bins/bins-kind.ts';
import { ceiledProductKind } from '../../../amm/ceiled-product/ceiled-product-kind.ts';
import { clmmX64Kind } from '../../../amm/clmm-x64/clmm-x64-kind.ts';
import { ClmmX64Pool } from '../../../amm/clmm-x64/clmm-x64-pool.ts';
import type { PoolDraft, PoolTicks } from '../../../amm/pool-kind.ts';
import { pumpKind } from '../../../amm/pump/pump-kind.ts';
import { singleRangeKind } from '../../../amm/single-range/single-range-kind.ts';
import type { TickRecord } from '../../../model/market-record.ts';
import type { PoolKindName, PoolRecordOf } from '../../../model/pool.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { pickFeeStep, readFeeConfig } from './pump-curve/pump-fees.ts';

class MemoryTicks implements PoolTicks {
  readonly rows: Map<number, TickRecord>;

  constructor(rows: readonly TickRecord[]) {
    this.rows = new Map(rows.map((row) => [row.tick, row]));
  }

  get order(): number[] {
    return [...this.rows.keys()].sort((a, b) => a - b);
  }

  get(tick: number) {
    return this.rows.get(tick);
  }

  change(tick: number, by: { readonly gross: bigint; readonly net: bigint }): boolean {
    const { pool = 'pool', liquidityGross = 0n, liquidityNet = 0n } = this.rows.get(tick) ?? {};
    const gross = liquidityGross + by.gross;
    const row = { pool, tick, liquidityGross: gross, liquidityNet: liquidityNet + by.net };
    if (gross > 0n) this.rows.set(tick, row as TickRecord);
    else this.rows.delete(tick);
    return gross >= 0n;
  }
}

const TIME = 1_780_000_000;

/** A recorded pool as a row that is known in full. */
function open<K extends PoolKindName>(recorded: RecordedPool, seconds = TIME) {
  const reading = readPoolAt(recorded, seconds);
  const draft = buildPoolRecord(reading) as PoolRecordOf<K>;
  const rows = reading.ticks.map((tick) => ({ ...tick, pool: draft.pool }));
  return { draft: { ...draft } as PoolDraft<K>, ticks: new MemoryTicks(rows), rows };
}

function toSwapped(zeroForOne: boolean, amountIn: bigint, amountOut: bigint) {
  return zeroForOne
    ? { amount0: amountIn, amount1: -amountOut }
    : { amount0: -amountOut, amount1: amountIn };
}

describe('a pool of concentrated liquidity', { skip }, () => {
  for (const folder of ['whirlpool-sol-usdc', 'whirlpool-samo-usdc', 'raydium-clmm-local']) {
    it(`has the liquidity of the ticks that a swap crossed: ${folder}`, () => {
      const recorded = readRecordedPool(folder);
      let crossings = 0;
      for (const quote of recorded.cases) {
        if (quote.mode === 'exactOut' || quote.error !== undefined) continue;
        const { draft, ticks, rows } = open<'rangeX64'>(recorded);
        const pool = clmmX64Kind.createSwapPool(draft, rows, undefined);
        if (!(pool instanceof ClmmX64Pool)) assert.fail('the pool is not quoted');
        const zeroForOne = isZeroForOne(recorded, quote);
        const swap = pool.swapIn(zeroForOne, BigInt(quote.amount));
        const swapped = toSwapped(zeroForOne, swap.amountIn, swap.amountOut);
        const change = { poolKind: 'rangeX64', set: { sqrtPriceX64: swap.after.sqrtPriceX64 } };
        clmmX64Kind.apply(draft, change as never, { ticks, swapped });
        assert.deepEqual(
          [draft.state.liquidity, draft.state.tick],
          [swap.after.liquidity, swap.after.tick],
        );
        crossings += swap.ticksCrossed;
        // Far from the ticks that were read it is read again; until then it is still right.
        if (draft.complete) assert.notEqual(draft.state.liquidity, null);
      }
      assert.ok(crossings > 0);
    });
  }

  it('is unknown, and has no depth, once positions change', () => {
    const { draft, ticks } = open<'rangeX64'>(readRecordedPool('raydium-clmm-local'));
    assert.ok(clmmX64Kind.payableRaw(draft, 'token0', ticks) > 0n);
    const change = { poolKind: 'rangeX64', set: {}, isStale: true } as const;
    clmmX64Kind.apply(draft, change, { ticks, swapped: null });
    assert.equal(draft.complete, false);
    assert.equal(clmmX64Kind.createSwapPool(draft, [], undefined), null);
    const rich = { ...draft, state: { ...draft.state, held0: 10n ** 18n, held1: 10n ** 18n } };
    assert.equal(clmmX64Kind.payableRaw(rich, 'token0', ticks), 0n);
  });

  it('with an adaptive fee is read again after each swap', () => {
    const { draft, ticks } = open<'rangeX64'>(readRecordedPool('whirlpool-adaptive-sol-usdc'));
    const set = { sqrtPriceX64: draft.state.sqrtPriceX64 };
    const swapped = { amount0: 1n, amount1: -1n };
    clmmX64Kind.apply(draft, { poolKind: 'rangeX64', set }, { ticks, swapped });
    assert.equal(draft.complete, false);
  });

  it('is read again once a swap may reach ticks that were not read', () => {
    const { draft, ticks } = open<'rangeX64'>(readRecordedPool('whirlpool-sol-usdc'));
    const { sqrtPriceX64 } = draft.state;
    const swapped = { amount0: -1n, amount1: 1n };
    const move = (price: bigint | null) =>
      clmmX64Kind.apply(
        draft,
        { poolKind: 'rangeX64', set: { sqrtPriceX64: price } },
        { ticks, swapped },
      );
    move(sqrtPriceX64);
    assert.equal(draft.complete, true);
    move((sqrtPriceX64 ?? 0n) * 4n);
    assert.equal(draft.complete, false);
  });
});

/** What all bins hold: a row has X + Y and X − Y. */
function sumBins(ticks: MemoryTicks): { readonly x: bigint; readonly y: bigint } {
  let [x, y] = [0n, 0n];
  for (const { liquidityGross, liquidityNet } of ticks.rows.values()) {
    x += (liquidityGross + liquidityNet) / 2n;
    y += (liquidityGross - liquidityNet) / 2n;
  }
  return { x, y };
}

describe('a pool of bins', { skip }, () => {
  const recorded = readRecordedPool('meteora-dlmm-lia-sol');
  const quotes = recorded.cases.filter(
    ({ mode, error }) => mode !== 'exactOut' && error === undefined,
  );

  it('has the bins that a swap left, by computing it again', () => {
    let crossings = 0;
    for (const quote of quotes) {
      const seconds = Number(quote.unixTimestamp ?? recorded.unixTimestamp ?? TIME);
      const { draft, ticks } = open<'bins'>(recorded, seconds);
      const zeroForOne = isZeroForOne(recorded, quote);
      const before = binsKind.createSwapPool(draft, [...ticks.rows.values()], undefined);
      const pool = before?.at?.({ seconds, block: 0 }) ?? assert.fail();
      const { swap, after } = pool.swapAndMove(zeroForOne, BigInt(quote.amount));
      crossings += swap.ticksCrossed;
      const { amountIn, amountOut } = swap;
      const report = { zeroForOne, amountIn, amountOut, nowSeconds: seconds };
      const set = { activeId: quote.activeIdAfter ?? null };
      const had = sumBins(ticks);
      binsKind.apply(draft, { poolKind: 'bins', set, swap: report }, { ticks, swapped: null });
      // Nothing is lost: the bins have what came in without its fee, and paid what went out.
      const has = sumBins(ticks);
      const kept = amountIn - swap.feeAmount;
      assert.deepEqual(
        [has.x - had.x, has.y - had.y],
        zeroForOne ? [kept, -amountOut] : [-amountOut, kept],
      );
      assert.equal(draft.state.volatility, quote.volatilityAccumulatorAfter);
      // The way back goes through the bins that were emptied.
      const later = { seconds: seconds + 1, block: 0 };
      const followed = binsKind.createSwapPool(
        { ...draft, complete: true },
        [...ticks.rows.values()],
        undefined,
      );
      if (!draft.complete) continue;
      const expected = after.at?.(later).swapIn(!zeroForOne, amountOut) ?? assert.fail();
      const found = followed?.at?.(later).swapIn(!zeroForOne, amountOut) ?? assert.fail();
      assert.deepEqual(found, expected);
      assert.ok(found.amountOut < amountIn && found.amountOut * 100n > amountIn * 80n);
    }
    assert.ok(crossings > 0);
  });

  it('is unknown after a swap that does not come out as reported, and has no depth', () => {
    const [quote = assert.fail()] = quotes;
    const { draft, ticks } = open<'bins'>(recorded);
    assert.ok(binsKind.payableRaw(draft, 'token0', ticks) > 0n);
    const amounts = { amountIn: BigInt(quote.amount), amountOut: 1n };
    const zeroForOne = isZeroForOne(recorded, quote);
    const swap = { zeroForOne, ...amounts, nowSeconds: TIME };
    const set = { activeId: quote.activeIdAfter ?? null };
    binsKind.apply(draft, { poolKind: 'bins', set, swap }, { ticks, swapped: null });
    assert.equal(draft.complete, false);
    assert.equal(binsKind.payableRaw(draft, 'token0', ticks), 0n);
    assert.equal(binsKind.createSwapPool(draft, [], undefined), null);
  });
});

describe('a pool of one range', { skip }, () => {
  it('with a fee that swaps change is read again after each', () => {
    const { draft, ticks } = open<'singleRange'>(readRecordedPool('meteora-damm-v2-sol-usdc'));
    const isDynamic = draft.state.isDynamic === true;
    const change = { poolKind: 'singleRange', set: { sqrtPriceX64: 1n } } as const;
    singleRangeKind.apply(draft, change, { ticks, swapped: { amount0: 1n, amount1: -1n } });
    assert.equal(draft.complete, !isDynamic);
    assert.ok(isDynamic);
  });
});

it('a constant-product pool is not quoted before its features were read', () => {
  const draft = {
    ...{ kind: 'ceiledProduct', complete: false, feePips: 2500 },
    state: ceiledProductKind.stateAtStart,
  } as unknown as PoolDraft<'ceiledProduct'>;
  const set = { reserve0: 10n ** 9n, reserve1: 10n ** 9n };
  const context = { ticks: new MemoryTicks([]), swapped: null };
  ceiledProductKind.apply(draft, { poolKind: 'ceiledProduct', set }, context);
  assert.equal(draft.complete, false);
  assert.equal(ceiledProductKind.createSwapPool(draft, [], undefined), null);
  draft.state = { ...draft.state, flags: '' };
  ceiledProductKind.apply(draft, { poolKind: 'ceiledProduct', set }, context);
  assert.equal(draft.complete, true);
});

describe('fees of pump', { skip }, () => {
  const { data } = readSolanaFixture(
    'pump-config/5PHirr8joyTMp9JMm6nW7hNDVyEYdkzDqazxPD7RaTjx.json',
  ) as { data: [string, string] };
  const config = readFeeConfig(new AccountBytes(Buffer.from(data[0], 'base64'))) ?? assert.fail();
  const SUPPLY = 10n ** 15n;
  const COINS = 10n ** 14n;

  /** A pool with the market value, in lamports. */
  function openPump(marketValue: bigint): PoolDraft<'pump'> {
    const reserve1 = (marketValue * COINS) / SUPPLY + 1n;
    const reserves = { reserve0: COINS, held0: COINS, reserve1, held1: reserve1 };
    const fees = pickFeeStep(config, marketValue);
    const { lpBps, protocolBps, creatorBps, feesFrom, feesBelow } = fees;
    const flags = { isComplete: false, isMigrated: false, flags: '' };
    const step = { lpBps, protocolBps, creatorBps, feesFrom, feesBelow, supply: SUPPLY };
    return {
      ...{ kind: 'pump', complete: true, terms: { stage: 'amm', virtualQuote: 0n } },
      state: { ...reserves, ...step, ...flags },
    } as unknown as PoolDraft<'pump'>;
  }

  const CONTEXT = { ticks: new MemoryTicks([]), swapped: null };
  const moveTo = (draft: PoolDraft<'pump'>, marketValue: bigint, charged?: object) => {
    const reserve1 = (marketValue * COINS) / SUPPLY + 1n;
    const set = { reserve1, held1: reserve1 };
    pumpKind.apply(draft, { poolKind: 'pump', set, ...charged } as never, CONTEXT);
  };

  it('hold as long as the market value stays in its step, and are unknown beyond', () => {
    const sol = (amount: number) => BigInt(amount) * 10n ** 9n;
    const draft = openPump(sol(500));
    const { feesFrom, feesBelow } = pickFeeStep(config, sol(500));
    assert.ok(feesFrom > 0n && feesBelow < sol(100_000));
    moveTo(draft, feesBelow - 1000n);
    assert.equal(draft.complete, true);
    moveTo(draft, feesBelow);
    assert.deepEqual([draft.complete, draft.state.lpBps], [false, null]);
    assert.equal(pumpKind.createSwapPool(draft as never, [], undefined), null);
  });

  it('are unknown after a trade that was charged otherwise', () => {
    const draft = openPump(500_000_000_000n);
    const { lpBps, protocolBps, creatorBps } = draft.state;
    moveTo(draft, 500_000_000_000n, { charged: { lpBps, protocolBps, creatorBps } });
    assert.equal(draft.complete, true);
    moveTo(draft, 500_000_000_000n, { charged: { lpBps, protocolBps, creatorBps: 77 } });
    assert.equal(draft.complete, false);
  });
});
