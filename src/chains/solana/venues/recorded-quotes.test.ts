// All 826 recorded outcomes of the venues' own programs, to the unit: exact in and exact out.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packTicks } from '../../../../test/packed-ticks.ts';
import { readSolanaFixture, skipWithoutSolana as skip } from '../../../../test/solana-fixtures.ts';
import {
  createRecordedSwapPool,
  isZeroForOne,
  RECORDED_POOLS,
  type RecordedPool,
  type RecordedQuote,
  readPoolAt,
  readRecordedPool,
} from '../../../../test/solana-pools.ts';
import { address } from '../../../../test/test-ids.ts';
import { ClmmX64Pool, listSwapArrays } from '../../../amm/clmm-x64/clmm-x64-pool.ts';
import { PumpPool } from '../../../amm/pump/pump-kind.ts';
import type { SwapOutcome } from '../../../amm/swap-outcome.ts';
import type { SwapPool } from '../../../amm/swap-pool.ts';
import { VENUES_BY_PROGRAM } from './solana-venues.ts';

/** The trader of the recording had so much of each token. */
const TRADER_FUNDS = 10n ** 15n;
const TRADER_IS_BROKE = /custom program error: 0x1$/;

/** The state after a swap, for the kinds that tell it. */
interface MovedOutcome extends SwapOutcome {
  readonly sqrtPriceX64?: bigint;
  readonly after?: {
    readonly sqrtPriceX64?: bigint;
    readonly tick?: number;
    readonly activeId?: number;
    readonly volatility?: number;
  };
}

/** The recorded swaps of Raydium CLMM were given all arrays; ours are given three. */
function giveAllArrays(pool: SwapPool): SwapPool {
  if (!(pool instanceof ClmmX64Pool)) return pool;
  return new ClmmX64Pool(pool.state, { ...pool.terms, arraysMax: Number.POSITIVE_INFINITY });
}

function swap(recorded: RecordedPool, quote: RecordedQuote): MovedOutcome {
  const seconds = Number(quote.unixTimestamp ?? recorded.unixTimestamp ?? 1_780_000_000);
  const found = createRecordedSwapPool(recorded, seconds) ?? assert.fail('the pool is not quoted');
  const pool = giveAllArrays(found);
  const zeroForOne = isZeroForOne(recorded, quote);
  const amount = BigInt(quote.amount);
  return quote.mode === 'exactOut'
    ? pool.swapOut(zeroForOne, amount)
    : pool.swapIn(zeroForOne, amount);
}

function assertOutcome(swapped: MovedOutcome, quote: RecordedQuote): void {
  if (quote.error !== undefined) {
    // The pool would have sold, but the trader could not pay.
    if (TRADER_IS_BROKE.test(quote.error)) assert.ok(swapped.amountIn > TRADER_FUNDS);
    else assert.equal(swapped.isFilled, false);
    return;
  }
  assert.deepEqual(
    [swapped.isFilled, swapped.amountIn, swapped.amountOut],
    [true, BigInt(quote.amountIn ?? quote.amount), BigInt(quote.amountOut ?? 0)],
  );
  const { sqrtPriceAfter, tickAfter, activeIdAfter, volatilityAccumulatorAfter } = quote;
  if (sqrtPriceAfter !== undefined) {
    const price = swapped.sqrtPriceX64 ?? swapped.after?.sqrtPriceX64;
    assert.equal(price, BigInt(sqrtPriceAfter));
  }
  if (tickAfter !== undefined) assert.equal(swapped.after?.tick, tickAfter);
  if (activeIdAfter !== undefined) {
    assert.equal(swapped.after?.activeId, activeIdAfter);
    assert.equal(swapped.after?.volatility, volatilityAccumulatorAfter);
  }
}

describe('recorded outcomes', { skip }, () => {
  it('are the same with packed arrays of ticks', () => {
    for (const folder of RECORDED_POOLS.filter((name) => name.startsWith('whirlpool'))) {
      const recorded = readRecordedPool(folder);
      const accounts = new Map(
        Array.from(recorded.accounts, ([key, data]) => [key, packTicks(data)] as const),
      );
      const packed = { ...recorded, accounts };
      const sizes = [...accounts].filter(([key, { length }]) => {
        return length < (recorded.accounts.get(key)?.length ?? 0);
      });
      assert.ok(sizes.length > 0, folder);
      for (const quote of recorded.cases) assertOutcome(swap(packed, quote), quote);
    }
  });

  for (const folder of RECORDED_POOLS) {
    it(`of ${folder} are computed to the unit`, () => {
      const recorded = readRecordedPool(folder);
      for (const quote of recorded.cases) assertOutcome(swap(recorded, quote), quote);
    });
  }

  it("of pump's first build are computed to the unit", () => {
    const { cases } = readSolanaFixture('pools/pump-curve-2025-01/quotes.json') as {
      cases: readonly EarlyPumpQuote[];
    };
    for (const { curve, side, tokenAmount, quoteNet, fee } of cases) {
      const pool = new PumpPool({
        ...{ stage: 'earlyCurve', lpBps: 0, protocolBps: 100, creatorBps: 0 },
        reserve0: BigInt(curve.virtualTokenReserves),
        reserve1: BigInt(curve.virtualQuoteReserves),
        held0: BigInt(curve.realTokenReserves),
        held1: BigInt(curve.realQuoteReserves),
      });
      const amount = BigInt(tokenAmount);
      const [net, fees] = [BigInt(quoteNet), BigInt(fee)];
      const swapped = side === 'buy' ? pool.swapOut(false, amount) : pool.swapIn(true, amount);
      const paid = side === 'buy' ? swapped.amountIn : swapped.amountOut;
      assert.deepEqual([paid, swapped.feeAmount], [side === 'buy' ? net + fees : net - fees, fees]);
    }
  });

  it('are 826', () => {
    const counts = [...RECORDED_POOLS, 'pump-curve-2025-01'].map((folder) => {
      const { cases } = readSolanaFixture(`pools/${folder}/quotes.json`) as { cases: unknown[] };
      return cases.length;
    });
    assert.equal(
      counts.reduce((sum, each) => sum + each, 0),
      826,
    );
  });
});

interface EarlyPumpQuote {
  readonly curve: {
    readonly virtualTokenReserves: string;
    readonly virtualQuoteReserves: string;
    readonly realTokenReserves: string;
    readonly realQuoteReserves: string;
  };
  readonly side: 'buy' | 'sell';
  readonly tokenAmount: string;
  readonly quoteNet: string;
  readonly fee: string;
}

interface PumpObservations {
  readonly ammExactIn: {
    readonly baseVault: string;
    readonly quoteVault: string;
    readonly virtualQuoteReserves: string;
    readonly lpFeeBps: number;
    readonly protocolFeeBps: number;
    readonly creatorFeeBps: number;
    readonly amountIn: string;
    readonly amountOut: string;
  };
  readonly curve: readonly {
    readonly kind: 'exactIn' | 'exactOut';
    readonly side: 'buy' | 'sell';
    readonly virtualTokenReserves: string;
    readonly virtualQuoteReserves: string;
    readonly amountIn: string;
    readonly amountOut: string;
    readonly netToCurve?: string;
  }[];
  readonly curveFeesBps: { readonly protocol: number; readonly creator: number };
}

describe("observations of pump's builds of 2026", { skip }, () => {
  const read = () => readSolanaFixture('pump-config/observations.json') as PumpObservations;
  const PLENTY = 10n ** 18n;

  it('of the curve are computed to the unit', () => {
    const { curve, curveFeesBps } = read();
    for (const each of curve) {
      const pool = new PumpPool({
        ...{ stage: 'curve', lpBps: 0, protocolBps: curveFeesBps.protocol },
        creatorBps: curveFeesBps.creator,
        reserve0: BigInt(each.virtualTokenReserves),
        reserve1: BigInt(each.virtualQuoteReserves),
        ...{ held0: PLENTY, held1: PLENTY },
      });
      const isSale = each.side === 'sell';
      const swapped =
        each.kind === 'exactIn'
          ? pool.swapIn(isSale, BigInt(each.amountIn))
          : pool.swapOut(isSale, BigInt(each.amountOut));
      assert.deepEqual(
        [swapped.amountIn, swapped.amountOut],
        [BigInt(each.amountIn), BigInt(each.amountOut)],
      );
      if (each.netToCurve !== undefined) {
        assert.equal(swapped.amountIn - swapped.feeAmount, BigInt(each.netToCurve));
      }
    }
    assert.equal(curve.length, 4);
  });

  it('of a pool with virtual reserves are computed to the unit', () => {
    const { ammExactIn: seen } = read();
    const [held0, held1] = [BigInt(seen.baseVault), BigInt(seen.quoteVault)];
    const pool = new PumpPool({
      ...{ stage: 'amm', reserve0: held0, held0, held1 },
      reserve1: held1 + BigInt(seen.virtualQuoteReserves),
      ...{ lpBps: seen.lpFeeBps, protocolBps: seen.protocolFeeBps },
      creatorBps: seen.creatorFeeBps,
    });
    const swapped = pool.swapIn(false, BigInt(seen.amountIn));
    assert.equal(swapped.amountOut, BigInt(seen.amountOut));
  });
});

describe('the accounts that a venue asks for', { skip }, () => {
  it('are found by their names, tick and bin arrays included', () => {
    for (const folder of RECORDED_POOLS) {
      const recorded = readRecordedPool(folder);
      const venue = VENUES_BY_PROGRAM.get(recorded.program) ?? assert.fail();
      const bytes = recorded.accounts.get(recorded.pool) ?? assert.fail();
      const pool = address(recorded.pool);
      const wanted = venue.listAccounts(pool, bytes, address(recorded.program));
      const accounts = new Map(
        Array.from(recorded.accounts).filter(
          ([key]) => key === pool || wanted.includes(address(key)),
        ),
      );
      const [all, needed] = [readPoolAt(recorded), readPoolAt({ ...recorded, accounts })];
      assert.deepEqual({ ...needed, ticks: [] }, { ...all, ticks: [] }, folder);
      // Orca's swaps are given three arrays; the others may use all.
      if (venue.name === 'orca-whirlpool') assert.ok(needed.ticks.length > 0, folder);
      else assert.deepEqual(new Set(needed.ticks), new Set(all.ticks), folder);
    }
  });

  it('are on Orca the arrays that the recorded swaps were given', () => {
    for (const folder of RECORDED_POOLS.filter((each) => each.startsWith('whirlpool'))) {
      const recorded = readRecordedPool(folder);
      const { state, terms, kind } = readPoolAt(recorded);
      assert.ok(kind === 'rangeX64' && 'tickSpacing' in terms && 'tick' in state);
      const range = { tick: state.tick ?? assert.fail(), tickSpacing: terms.tickSpacing };
      for (const quote of recorded.cases) {
        assert.deepEqual(listSwapArrays(range, quote.aToB === true), quote.tickArrays);
      }
    }
  });
});
