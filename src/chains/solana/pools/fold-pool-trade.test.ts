// Pools after recorded swaps: what events say agrees with what the vaults hold.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  readSolanaFixture,
  readSolanaTransaction,
  skipWithoutSolana as skip,
} from '../../../../test/solana-fixtures.ts';
import { ceiledProductKind } from '../../../amm/ceiled-product/ceiled-product-kind.ts';
import type { PoolDraft } from '../../../amm/pool-kind.ts';
import { pumpKind } from '../../../amm/pump/pump-kind.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import { decodeTrades } from '../blocks/decode-trades.ts';
import type { VenueTrade } from '../venues/venue-trade.ts';
import { foldPoolTrade } from './fold-pool-trade.ts';

function readTrades(venue: string): VenueTrade[] {
  const { transactions } = readSolanaFixture('expected.json') as {
    transactions: { file: string }[];
  };
  return transactions
    .flatMap(({ file }) => decodeTrades(readSolanaTransaction(file)).trades)
    .filter((trade) => trade.venue === venue);
}

function foldFields(trade: VenueTrade, pool: object, isZeroIn: boolean): Record<string, unknown> {
  const change = foldPoolTrade(trade, pool as PoolDescription, { isZeroIn, nowSeconds: 1 });
  return (change as { readonly set: Record<string, unknown> } | null)?.set ?? {};
}

describe('after a recorded swap', { skip }, () => {
  it('a PumpSwap pool holds what is in its vaults', () => {
    const pool = { kind: 'pump', terms: { stage: 'amm', virtualQuote: 5n } };
    const trades = readTrades('pumpswap');
    assert.ok(trades.length > 2);
    for (const trade of trades) {
      const { heldAfter, instruction } = trade;
      const isBaseIn = instruction === 'sell';
      const { held0, held1, reserve0, reserve1 } = foldFields(trade, pool, isBaseIn);
      const [base, quote] = isBaseIn
        ? [heldAfter?.in, heldAfter?.out]
        : [heldAfter?.out, heldAfter?.in];
      assert.deepEqual([held0, held1], [base, quote], trade.txHash);
      assert.deepEqual([reserve0, reserve1], [base, (quote ?? 0n) + 5n]);
    }
  });

  it('a DLMM pool has the bin of its last price', () => {
    const trades = readTrades('meteora-dlmm').filter(({ fold }) => fold !== null);
    assert.ok(trades.length > 2);
    for (const trade of trades) {
      const pool = { kind: 'bins', terms: { binStep: 10 } };
      const { activeId, priceX64, held0, held1 } = foldFields(trade, pool, true);
      assert.equal(typeof activeId, 'number');
      const price = Number(priceX64) / 2 ** 64;
      assert.ok(Math.abs(Math.log(price) - Number(activeId) * Math.log(1.001)) < 1e-6);
      assert.deepEqual([held0, held1], [trade.heldAfter?.in, trade.heldAfter?.out]);
    }
  });

  it('a CLMM pool has the price of the event and what is in its vaults', () => {
    for (const trade of readTrades('raydium-clmm')) {
      const pool = { kind: 'rangeX64', terms: { table: 'raydium', tickSpacing: 1 } };
      const fields = foldFields(trade, pool, false);
      assert.ok(Number(fields['sqrtPriceX64']) > 0);
      const held = [fields['held0'], fields['held1']];
      assert.deepEqual(held, [trade.heldAfter?.out, trade.heldAfter?.in]);
    }
  });

  it('a pool of another kind than its venue has takes nothing', () => {
    for (const trade of [...readTrades('raydium-clmm'), ...readTrades('pumpswap')]) {
      const pool = { kind: 'concentrated', terms: {} } as unknown as PoolDescription;
      assert.equal(foldPoolTrade(trade, pool, { isZeroIn: true, nowSeconds: 1 }), null);
    }
  });
});

describe('a pool is incomplete after a swap without an event', () => {
  const silent = {
    ...{ change: null, fold: null, before: null, source: 'transfers' as const },
    ...{ amountIn: 1000n, amountOut: 900n, heldAfter: { in: 11_000n, out: 9100n } },
  };
  const context = { ticks: null as never, swapped: null };
  const moment = { isZeroIn: true, nowSeconds: 1 };

  it('if its state is its reserves', () => {
    const terms = { creatorFeePips: 0, protocolSharePips: 120_000, fundSharePips: 40_000 };
    const draft = {
      ...{ kind: 'ceiledProduct', complete: true, feePips: 2500, terms },
      state: { reserve0: 10_000n, reserve1: 10_000n, flags: '' },
    } as unknown as PoolDraft<'ceiledProduct'>;
    const change = foldPoolTrade(silent, draft, moment);
    ceiledProductKind.apply(draft, change as never, context);
    assert.equal(draft.complete, false);
    assert.equal(ceiledProductKind.createSwapPool(draft, [], undefined), null);
  });

  it("if it is one of pump's", () => {
    const reserves = { reserve0: 10_000n, held0: 10_000n, reserve1: 10_000n, held1: 10_000n };
    const fees = { lpBps: 20, protocolBps: 5, creatorBps: 5, feesFrom: 0n, feesBelow: 10n ** 9n };
    const draft = {
      ...{ kind: 'pump', complete: true, terms: { stage: 'amm', virtualQuote: 0n } },
      state: {
        ...{ ...reserves, ...fees, supply: 10n ** 6n },
        ...{ isComplete: false, isMigrated: false, flags: '' },
      },
    } as unknown as PoolDraft<'pump'>;
    assert.notEqual(pumpKind.createSwapPool(draft, [], undefined), null);
    pumpKind.apply(draft, foldPoolTrade(silent, draft, moment) as never, context);
    assert.equal(draft.complete, false);
    assert.equal(pumpKind.createSwapPool(draft, [], undefined), null);
  });
});
