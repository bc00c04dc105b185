// All 3,560 recorded quotes of Aerodrome V2 and Camelot V2, volatile and stable, to the unit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readVenueFixture, skipWithoutVenues as skip } from '../../../test/venue-fixtures.ts';
import { SolidlyPairPool, type SolidlyTerms } from './solidly-pair-pool.ts';

interface RecordedPairQuote {
  readonly stable: boolean;
  readonly decimals0: number;
  readonly decimals1: number;
  /** Aerodrome: in 1/10000. */
  readonly feeBps?: number;
  /** Camelot: in 1/100000, by input token. */
  readonly fee0?: number;
  readonly fee1?: number;
  readonly reserve0: string;
  readonly reserve1: string;
  readonly zeroForOne: boolean;
  readonly amountIn: string;
  readonly amountOut: string;
}

const AERODROME: SolidlyTerms = {
  ...{ rounding: 'fee', loop: 'checked', reserveBits: 256 },
  ...{ feeLeavesPips: 1_000_000, stableFeeLeavesPips: 1_000_000 },
};
const CAMELOT: SolidlyTerms = {
  ...{ rounding: 'router', loop: 'settled', reserveBits: 112 },
  ...{ feeLeavesPips: 0, stableFeeLeavesPips: 500_000 },
};

function createPool(quote: RecordedPairQuote, terms: SolidlyTerms): SolidlyPairPool {
  const { decimals0, decimals1, stable: isStable, feeBps, fee0 = 0, fee1 = 0 } = quote;
  const fees =
    feeBps === undefined
      ? { zeroForOne: fee0 * 10, oneForZero: fee1 * 10 }
      : { zeroForOne: feeBps * 100, oneForZero: feeBps * 100 };
  const [reserve0, reserve1] = [BigInt(quote.reserve0), BigInt(quote.reserve1)];
  return new SolidlyPairPool({
    ...{ reserve0, reserve1, decimals0, decimals1, isStable, fees, terms },
  });
}

const toReserves = ({ reserve0, reserve1 }: RecordedPairQuote) => [
  BigInt(reserve0),
  BigInt(reserve1),
];

/** Of each group of quotes at the same reserves, one was executed: the next group shows how. */
function countExecuted(folder: string, terms: SolidlyTerms) {
  const quotes = readVenueFixture(`${folder}/quotes.json`) as readonly RecordedPairQuote[];
  let group: RecordedPairQuote[] = [];
  let [count, explained] = [0, 0];
  for (const quote of quotes) {
    const [first = quote] = group;
    const wanted = String(toReserves(quote));
    if (wanted === String(toReserves(first))) {
      group.push(quote);
      continue;
    }
    count += 1;
    const isExplained = group.some((one) => {
      const pool = createPool(one, terms);
      const { after } = pool.swapAndMove(one.zeroForOne, BigInt(one.amountIn));
      const { reserve0, reserve1 } = after.toPlain();
      return String([reserve0, reserve1]) === wanted;
    });
    if (isExplained) explained += 1;
    group = [quote];
  }
  return { count, explained };
}

function countDifferences(folder: string, terms: SolidlyTerms) {
  const quotes = readVenueFixture(`${folder}/quotes.json`) as readonly RecordedPairQuote[];
  const differing = quotes.filter((quote) => {
    const swap = createPool(quote, terms).swapIn(quote.zeroForOne, BigInt(quote.amountIn));
    return !swap.isFilled || swap.amountOut !== BigInt(quote.amountOut);
  });
  return { count: quotes.length, differing: differing.length };
}

describe('recorded quotes of pairs', { skip }, () => {
  it('of Aerodrome V2 are computed to the unit', () => {
    assert.deepEqual(countDifferences('aerodrome-v2', AERODROME), { count: 2560, differing: 0 });
  });

  it('of Camelot V2 are computed to the unit', () => {
    assert.deepEqual(countDifferences('camelot-v2', CAMELOT), { count: 1000, differing: 0 });
  });

  it('leave the reserves that the executed ones left', () => {
    // The rest are the first quotes of the next pool.
    assert.deepEqual(countExecuted('aerodrome-v2', AERODROME), { count: 319, explained: 312 });
    assert.deepEqual(countExecuted('camelot-v2', CAMELOT), { count: 121, explained: 117 });
  });

  it("of Aerodrome V2's volatile pairs differ if only the output is rounded", () => {
    const { differing } = countDifferences('aerodrome-v2', { ...AERODROME, rounding: 'router' });
    assert.equal(differing, 286);
  });

  it('are paid by the smallest input that is enough for the output', () => {
    const quotes = readVenueFixture('aerodrome-v2/quotes.json') as readonly RecordedPairQuote[];
    for (const quote of quotes.filter((_, index) => index % 40 === 0)) {
      const pool = createPool(quote, AERODROME);
      const amountOut = BigInt(quote.amountOut);
      if (amountOut === 0n) continue;
      const swap = pool.swapOut(quote.zeroForOne, amountOut);
      assert.ok(swap.isFilled && swap.amountOut >= amountOut);
      assert.ok(swap.amountIn <= BigInt(quote.amountIn));
      const less = pool.swapIn(quote.zeroForOne, swap.amountIn - 1n);
      assert.ok(less.amountOut < amountOut);
    }
  });
});
