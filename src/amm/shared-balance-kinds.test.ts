// Pools of more than two tokens as rows of two: what their events set, and what they are worth.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address, poolId } from '../../test/test-ids.ts';
import { readExchanges, skipWithoutVenues as skip } from '../../test/venue-fixtures.ts';
import type { PoolKindName, StateOf, TermsOf } from '../model/pool.ts';
import type { PoolDraft, PoolKind, PoolTicks } from './pool-kind.ts';
import { stableSwapKind } from './stable-swap/stable-swap-kind.ts';
import { weightedKind } from './weighted/weighted-kind.ts';

const NO_TICKS: PoolTicks = { get: () => undefined, change: () => true, order: [] };
const CONTEXT = { ticks: NO_TICKS, swapped: null };

function createDraft<K extends PoolKindName>(kind: PoolKind<K>, terms: TermsOf<K>): PoolDraft<K> {
  return {
    ...{ pool: poolId('0xpool'), kind: kind.name, venue: 'test' },
    ...{ token0: address('0xa'), token1: address('0xb'), vault: address('0xpool') },
    ...{ feePips: 0, createdBlock: 1, createdAtMs: 1, complete: true, terms },
    ...{ state: kind.stateAtStart, lastSwapAtMs: null, liquidityUsdE18: null },
  } as unknown as PoolDraft<K>;
}

function assertStored<K extends PoolKindName>(kind: PoolKind<K>, draft: PoolDraft<K>): void {
  const state: StateOf<K> = kind.decodeState(kind.encodeState(draft.state));
  assert.deepEqual(state, draft.state);
  assert.deepEqual(kind.decodeTerms(kind.encodeTerms(draft.terms)), draft.terms);
  const pool = kind.createSwapPool(draft, [], undefined) ?? assert.fail();
  const revived = kind.revive(pool.toPlain(), null);
  assert.deepEqual(revived.swapIn(true, 10n ** 9n), pool.swapIn(true, 10n ** 9n));
}

/** What is paid until the price has fallen by two per cent. */
function assertPayable<K extends PoolKindName>(kind: PoolKind<K>, draft: PoolDraft<K>): void {
  const paid = kind.payableRaw(draft, 'token0', NO_TICKS);
  const pool = kind.createSwapPool(draft, [], undefined) ?? assert.fail();
  const free = pool.withFees({ zeroForOne: 0, oneForZero: 0 });
  const { after } = free.swapAndMove(true, free.swapOut(true, paid).amountIn);
  const toNumber = (price: { numerator: bigint; denominator: bigint }) =>
    Number((price.numerator * 10n ** 30n) / price.denominator);
  const share = toNumber(after.midPrice(true)) / toNumber(free.midPrice(true));
  assert.ok(Math.abs(share - 0.98) < 1e-4, `${share}`);
}

describe('a StableSwap pool', { skip }, () => {
  const exchanges = readExchanges();
  const [first = assert.fail()] = exchanges;
  const READ = {
    poolKind: 'stableSwap',
    set: {
      ...{ index0: 0, index1: 1, balances: first.balances.join(' '), rates: first.rates.join(' ') },
      ...{ ampPrecise: BigInt(first.ampPrecise), fee: BigInt(first.fee) },
      ...{ offpegMultiplier: BigInt(first.offpegFeeMultiplier), oldAdminFee: '' },
    },
  } as const;

  it('follows its balances through the logs of swaps', () => {
    const draft = createDraft(stableSwapKind, { coinCount: 2 });
    stableSwapKind.apply(draft, READ, CONTEXT);
    for (const [index, one] of exchanges.slice(0, 50).entries()) {
      const { i: soldIndex, j: boughtIndex } = one;
      const amounts = { amountIn: BigInt(one.dx), amountOut: BigInt(one.dy) };
      const change = { poolKind: 'stableSwap', soldIndex, boughtIndex, ...amounts } as const;
      stableSwapKind.apply(draft, change, CONTEXT);
      assert.equal(draft.state.balances, exchanges[index + 1]?.balances.join(' '));
    }
    assert.equal(draft.complete, true);
    assertStored(stableSwapKind, draft);
    assertPayable(stableSwapKind, draft);
  });

  it('is read again if a swap paid other than computed', () => {
    const draft = createDraft(stableSwapKind, { coinCount: 2 });
    stableSwapKind.apply(draft, READ, CONTEXT);
    const amounts = { amountIn: BigInt(first.dx), amountOut: BigInt(first.dy) + 1n };
    const indexes = { soldIndex: first.i, boughtIndex: first.j };
    stableSwapKind.apply(draft, { poolKind: 'stableSwap', ...indexes, ...amounts }, CONTEXT);
    assert.equal(draft.complete, false);
    assert.equal(stableSwapKind.createSwapPool(draft, [], undefined), null);
    assert.ok(stableSwapKind.holdings(draft.state), 'what it held last is still shown');
  });

  it('is read again after a log that does not tell what it changed', () => {
    const draft = createDraft(stableSwapKind, { coinCount: 2 });
    stableSwapKind.apply(draft, READ, CONTEXT);
    stableSwapKind.apply(draft, { poolKind: 'stableSwap', unread: true }, CONTEXT);
    assert.equal(draft.complete, false);
    assert.equal(stableSwapKind.createSwapPool(draft, [], undefined), null);
    assert.deepEqual(stableSwapKind.assembleState(READ.set, []), { ...READ.set, flags: '' });
  });

  it('is incomplete and not quoted until all of it is known', () => {
    const draft = createDraft(stableSwapKind, { coinCount: 2 });
    const { balances: _left, ...set } = READ.set;
    stableSwapKind.apply(draft, { poolKind: 'stableSwap', set }, CONTEXT);
    assert.equal(draft.complete, false);
    assert.equal(stableSwapKind.createSwapPool(draft, [], undefined), null);
    assert.equal(stableSwapKind.assembleState(set, []), null);
    assert.equal(stableSwapKind.holdings(draft.state), null);
  });
});

describe('a weighted pool', () => {
  const TERMS = { poolWord: '0xpool', tokens: '0xa 0xb 0xc', hasShortcuts: false };
  const STATE = {
    ...{ balance0: 10n ** 24n, balance1: 10n ** 12n, decimals0: 18, decimals1: 6 },
    ...{ weight0: 8n * 10n ** 17n, weight1: 2n * 10n ** 17n },
    ...{ swapFee: 3n * 10n ** 15n, tokenCount: 3, flags: '', lastSwap: '' },
  } as const;
  const TRADE = { poolKind: 'tradesOnly', set: { last0: 1n, last1: 1n } } as never;

  function createRead(): PoolDraft<'weighted'> {
    return { ...createDraft(weightedKind, TERMS), state: STATE };
  }

  it('adds what logs tell to its balances, whichever of its tokens they are of', () => {
    const unread = createDraft(weightedKind, TERMS);
    weightedKind.apply(unread, { poolKind: 'weighted', deltas: { '0xa': 5n } }, CONTEXT);
    assert.equal(unread.state.balance0, null);
    const draft = createRead();
    const deltas = { '0xa': 7n, '0xb': -5n, '0xc': 9n };
    weightedKind.apply(draft, { poolKind: 'weighted', deltas }, CONTEXT);
    assert.equal(draft.state.balance0, 10n ** 24n + 7n);
    assert.equal(draft.state.balance1, 10n ** 12n - 5n);
    assert.equal(draft.complete, true);
    assertStored(weightedKind, draft);
    assertPayable(weightedKind, draft);
    const gone = { '0xb': -(10n ** 13n) };
    weightedKind.apply(draft, { poolKind: 'weighted', deltas: gone }, CONTEXT);
    assert.equal(draft.complete, false);
  });

  it('follows its own swaps, of a given input or output', () => {
    const draft = createRead();
    for (const zeroForOne of [true, false]) {
      const pool = weightedKind.createSwapPool(draft, [], undefined) ?? assert.fail();
      for (const { amountIn, amountOut } of [
        pool.swapIn(zeroForOne, 10n ** 10n),
        pool.swapOut(zeroForOne, 10n ** 9n),
      ]) {
        const row = { ...draft };
        const [amount0, amount1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn];
        weightedKind.apply(row, TRADE, { ticks: NO_TICKS, swapped: { amount0, amount1 } });
        assert.equal(row.complete, true, `${amountIn} for ${amountOut}`);
        assert.equal(row.state.balance0, STATE.balance0 + amount0);
        assert.equal(row.state.balance1, STATE.balance1 + amount1);
      }
    }
  });

  it('is read again if a swap paid other than computed', () => {
    const draft = createRead();
    const pool = weightedKind.createSwapPool(draft, [], undefined) ?? assert.fail();
    const { amountIn: amount0, amountOut } = pool.swapIn(true, 10n ** 20n);
    const swapped = { amount0, amount1: -amountOut - 1n };
    weightedKind.apply(draft, TRADE, { ticks: NO_TICKS, swapped });
    assert.deepEqual([draft.complete, draft.state.flags], [false, 'unread']);
    assert.equal(weightedKind.createSwapPool(draft, [], undefined), null);
    weightedKind.apply(draft, { poolKind: 'weighted', set: { swapFee: 1n } }, CONTEXT);
    assert.equal(draft.complete, false, 'a fee does not make it known');
  });

  it('must explain the last swap when it is read', () => {
    const unread = createDraft(weightedKind, TERMS);
    unread.complete = false;
    const pool = weightedKind.createSwapPool(createRead(), [], undefined) ?? assert.fail();
    const { amountIn: amount0, amountOut } = pool.swapIn(true, 10n ** 20n);
    const swapped = { amount0, amount1: -amountOut };
    weightedKind.apply(unread, TRADE, { ticks: NO_TICKS, swapped });
    const kept = weightedKind.decodeState(weightedKind.encodeState(unread.state));
    assert.deepEqual(kept, unread.state);
    const balance0 = STATE.balance0 + amount0;
    const balance1 = STATE.balance1 - amountOut;
    const isExplained = (read: object) => {
      const state = weightedKind.assembleState({ ...STATE, balance0, balance1, ...read }, []);
      return weightedKind.explains?.({ terms: TERMS, state: state ?? assert.fail() }, unread.state);
    };
    assert.equal(isExplained({}), true);
    assert.equal(isExplained({ balance1: STATE.balance1 }), false, 'of the block before');
    assert.equal(isExplained({ weight0: STATE.weight1, weight1: STATE.weight0 }), false);
    assert.equal(isExplained({ swapFee: STATE.swapFee * 2n }), false);
    const deltas = { '0xa': 7n };
    weightedKind.apply(unread, { poolKind: 'weighted', deltas }, CONTEXT);
    assert.equal(isExplained({ balance1: STATE.balance1 }), true, 'not the last log any more');
  });

  it('takes no swaps while it is paused, and has the fee of its last log', () => {
    const draft = createRead();
    weightedKind.apply(draft, { poolKind: 'weighted', isPaused: true }, CONTEXT);
    assert.equal(weightedKind.createSwapPool(draft, [], undefined), null);
    weightedKind.apply(draft, { poolKind: 'weighted', isPaused: false }, CONTEXT);
    weightedKind.apply(draft, { poolKind: 'weighted', set: { swapFee: 10n ** 16n } }, CONTEXT);
    const pool = weightedKind.createSwapPool(draft, [], undefined) ?? assert.fail();
    assert.deepEqual([pool.feePips(true), draft.feePips], [10_000, 10_000]);
  });

  it('has the price of its balances and weights, and counts a token once in all its rows', () => {
    const { numerator, denominator } = weightedKind.price(STATE) ?? assert.fail();
    // A million of each: token 0 has four times the weight.
    assert.equal(numerator * 10n ** 12n, denominator * 4n);
    const half = { amount0: STATE.balance0 / 2n, amount1: STATE.balance1 / 2n };
    assert.deepEqual(weightedKind.holdings(STATE), half);
  });
});
