// The combined result of two views of a round trip.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import type { RoundTripView, SwapMeasure } from '../../chains/chain-nodes.ts';
import { judgePoolSafety } from './judge-pool-safety.ts';

const PROBED = {
  pool: poolId('0xdd'),
  token0: address('0xaa'),
  token1: address('0xee'),
  zeroForOne: false,
  isVouched: false,
  hookFees: null,
  checkedAtMs: 7,
};

function measure(amounts: Partial<SwapMeasure> = {}): SwapMeasure {
  const whole = { sent: 10_000n, arrived: 10_000n, paid: 10_000n, received: 10_000n, stray: 0n };
  return { isDone: true, unusualUnits: 0n, before: null, ...whole, ...amounts };
}

const FINE: RoundTripView = { there: measure(), back: measure() };
const FAILED = measure({ isDone: false, arrived: 0n, paid: 0n, received: 0n });

function judgeBought(asContract: RoundTripView | null, asWallet: RoundTripView | null) {
  return judgePoolSafety(PROBED, { asContract, asWallet })?.side0 ?? null;
}

test('a trip without loss has no tax', () => {
  const clean = { outBps: 0, inBps: 0, sellable: true };
  const safety = judgePoolSafety(PROBED, { asContract: FINE, asWallet: FINE });
  assert.deepEqual(safety, {
    ...{ pool: '0xdd', token0: '0xaa', token1: '0xee', hookFees: null, checkedAtMs: 7 },
    side0: clean,
    side1: clean,
  });
});

for (const [received, bps] of [
  [9700n, 300],
  [9999n, 1],
  [0n, null],
  [10_001n, 0.01],
] as const) {
  test(`${received} of 10000 received is ${bps} bps`, () => {
    const view = { there: measure({ received }), back: measure() };
    assert.equal(judgeBought(view, view)?.outBps, bps);
  });
}

test('shares are rounded to the nearest, not down', () => {
  const view = { there: measure({ paid: 3_000_000n, received: 2_910_001n }), back: measure() };
  assert.equal(judgeBought(view, null)?.outBps, 300);
});

test("a contract's trip alone promises nothing of a token that nobody vouches for", () => {
  const views = { asContract: FINE, asWallet: null };
  const clean = { outBps: 0, inBps: 0, sellable: true };
  const vouched = judgePoolSafety({ ...PROBED, isVouched: true }, views);
  assert.deepEqual([vouched?.side0, vouched?.side1], [clean, clean]);
  const other = judgePoolSafety(PROBED, views);
  assert.deepEqual(other?.side0, { outBps: 0.01, inBps: 0.01, sellable: true });
  assert.deepEqual(other?.side1, clean);
});

test('a loss that rounds to zero is still not exact', () => {
  const view = { there: measure({ paid: 10n ** 18n, received: 10n ** 18n - 1n }), back: measure() };
  assert.equal(judgeBought(view, view)?.outBps, 0.01);
});

test('stray coins in a pair end exactness for sales there', () => {
  const view = { there: measure({ stray: 1n }), back: measure() };
  assert.deepEqual(judgeBought(view, view), { outBps: 0, inBps: 0.01, sellable: true });
});

test('the cost of a sale is reported if it is unusually high, by the worse view', () => {
  const dear = { there: measure(), back: measure({ unusualUnits: 900_000n }) };
  const cheap = { there: measure(), back: measure() };
  assert.equal(judgeBought(cheap, cheap)?.sellUnits, undefined);
  assert.equal(judgeBought(dear, cheap)?.sellUnits, 900_000);
  assert.equal(judgeBought(cheap, dear)?.sellUnits, 900_000);
  // The other token's transfer is measured separately.
  assert.equal(
    judgePoolSafety(PROBED, { asContract: dear, asWallet: dear })?.side1.sellUnits,
    undefined,
  );
});

test('the worse of two views counts', () => {
  const taxed = { there: measure({ received: 9900n }), back: measure({ arrived: 9300n }) };
  assert.deepEqual(judgeBought(taxed, FINE), { outBps: 100, inBps: 700, sellable: true });
  assert.deepEqual(judgeBought(FINE, taxed), { outBps: 100, inBps: 700, sellable: true });
  const stuck = { there: measure(), back: FAILED };
  assert.deepEqual(judgeBought(stuck, FINE), { outBps: 0, inBps: 0, sellable: false });
  assert.deepEqual(judgeBought(FINE, stuck), { outBps: 0, inBps: 0, sellable: false });
  assert.equal(judgeBought(stuck, stuck)?.inBps, null);
});

test('if only a wallet can buy, only its view counts', () => {
  assert.equal(judgeBought({ there: FAILED, back: null }, FINE)?.sellable, true);
  assert.equal(judgeBought(FINE, { there: FAILED, back: null })?.sellable, true);
});

test('if nobody can buy, the token is unknown', () => {
  const shut = { there: FAILED, back: null };
  assert.deepEqual(judgeBought(shut, shut), { outBps: null, inBps: null, sellable: null });
  const safety = judgePoolSafety(PROBED, { asContract: shut, asWallet: null });
  assert.equal(safety?.side1.sellable, false);
});

test('a sale that was never reached counts as failed', () => {
  assert.equal(judgeBought({ there: measure(), back: null }, null)?.sellable, false);
});

test('a trip that did not reach the pool shows nothing', () => {
  const lost = { there: null, back: null };
  assert.equal(judgePoolSafety(PROBED, { asContract: lost, asWallet: lost }), null);
  assert.equal(judgePoolSafety(PROBED, { asContract: null, asWallet: null }), null);
});
