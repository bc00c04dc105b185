// Reserves before and after swaps, as events have them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  readSolanaFixture,
  readSolanaTransaction,
  skipWithoutSolana as skip,
} from '../../../../../test/solana-fixtures.ts';
import { CeiledProductPool } from '../../../../amm/ceiled-product/ceiled-product-kind.ts';
import type { PoolDescriptionOf } from '../../../../model/pool.ts';
import { decodeTrades } from '../../blocks/decode-trades.ts';
import { toSolanaAddress, toSolanaPool, WRAPPED_SOL } from '../../data/solana-ids.ts';
import type { VenueTrade } from '../venue-trade.ts';
import { RAYDIUM_CPMM } from './cpmm-venue.ts';
import { foldReserves } from './fold-reserves.ts';

function readTrades(venue: string): VenueTrade[] {
  const { transactions } = readSolanaFixture('expected.json') as {
    transactions: { file: string }[];
  };
  return transactions
    .flatMap(({ file }) => decodeTrades(readSolanaTransaction(file)).trades)
    .filter((trade) => trade.venue === venue && trade.before !== null);
}

const ADDRESS = toSolanaAddress('9'.repeat(44));
const TERMS = { creatorFeePips: 0, creatorFeeOn: 'input' } as const;

function describePool(shares: {
  protocolSharePips: number;
  fundSharePips: number;
}): PoolDescriptionOf<'ceiledProduct'> {
  return {
    ...{ pool: toSolanaPool(ADDRESS), kind: 'ceiledProduct', venue: 'raydium-cpmm' },
    ...{ token0: ADDRESS, token1: WRAPPED_SOL, feePips: 2500, vault: ADDRESS },
    terms: { ...TERMS, ...shares },
  };
}

describe('the reserves before a swap', () => {
  it('give the recorded output by the formula of Raydium v4', { skip }, () => {
    const trades = readTrades('raydium-v4');
    assert.ok(trades.length > 0, 'no recorded swap has them');
    for (const { before, amountIn, amountOut, instruction } of trades) {
      const { reserveIn, reserveOut } = before!;
      const pool = new CeiledProductPool({
        ...{ reserve0: reserveIn, reserve1: reserveOut },
        fees: { zeroForOne: 2500, oneForZero: 2500 },
        terms: { ...TERMS, protocolSharePips: 0, fundSharePips: 0 },
      });
      const swap = instruction.endsWith('out')
        ? pool.swapOut(true, amountOut)
        : pool.swapIn(true, amountIn);
      assert.deepEqual([swap.amountIn, swap.amountOut], [amountIn, amountOut]);
    }
  });

  /** A swap in a pool of one million each, with a fee of 0.25 %. */
  const build = (amountOut: bigint) => {
    const event = Buffer.alloc(170);
    event.write('40c6cde8260871e2', 'hex');
    for (const [at, value] of [
      ...([
        [40, 1_000_000n],
        [48, 1_000_000n],
        [56, 10_000n],
        [64, amountOut],
      ] as const),
      ...([[153, 25n]] as const),
    ]) {
      event.writeBigUInt64LE(value, at);
    }
    return RAYDIUM_CPMM.readReports({ call: null as never, logged: [event] })[0];
  };

  it('are read from the event of Raydium CPMM if they explain the amounts', () => {
    // 9,975 of the input are kept: 9975 · 10⁶ / 1,009,975.
    assert.deepEqual(build(9876n)?.before, {
      ...{ reserveIn: 1_000_000n, reserveOut: 1_000_000n, tradeFee: 25n },
      ...{ creatorFeeIn: 0n, creatorFeeOut: 0n },
    });
    for (const amountOut of [9877n, 9875n]) {
      const { before, fold } = build(amountOut) ?? assert.fail();
      assert.equal(before, undefined);
      const pool = describePool({ protocolSharePips: 0, fundSharePips: 0 });
      const change = fold?.(pool, { isZeroIn: true, nowSeconds: 1 });
      const set = { reserve0: null, reserve1: null };
      assert.deepEqual(change, { poolKind: 'ceiledProduct', set });
    }
  });
});

describe('the reserves after a swap', () => {
  const before = {
    ...{ reserveIn: 1_000_000n, reserveOut: 2_000_000n, tradeFee: 2501n },
    ...{ creatorFeeIn: 0n, creatorFeeOut: 0n },
  };
  const trade = { before, amountIn: 1_000_000n, amountOut: 900_000n, source: 'event' } as const;

  it('do not have the parts of the fee that leave the pool', () => {
    const pool = describePool({ protocolSharePips: 120_000, fundSharePips: 40_000 });
    assert.deepEqual(foldReserves(trade, pool, true), {
      poolKind: 'ceiledProduct',
      set: { reserve0: 2_000_000n - 300n - 100n, reserve1: 1_100_000n },
    });
  });

  it('are in the order of the pool', () => {
    const pool = describePool({ protocolSharePips: 0, fundSharePips: 0 });
    assert.deepEqual(foldReserves(trade, pool, false), {
      poolKind: 'ceiledProduct',
      set: { reserve0: 1_100_000n, reserve1: 2_000_000n },
    });
  });

  it('move by the amounts if an older event does not have those before', () => {
    const pool = describePool({ protocolSharePips: 120_000, fundSharePips: 40_000 });
    assert.deepEqual(foldReserves({ ...trade, before: null }, pool, true), {
      ...{ poolKind: 'ceiledProduct', set: {} },
      add: { reserve0: 1_000_000n - 300n - 100n, reserve1: -900_000n },
    });
    const taxed = { ...pool, terms: { ...pool.terms, creatorFeePips: 100 } };
    assert.equal(foldReserves({ ...trade, before: null }, taxed, true), null);
    const silent = { ...trade, before: null, source: 'transfers' } as const;
    assert.equal(foldReserves(silent, pool, true), null);
  });
});
