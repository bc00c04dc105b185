// A pair of Solidly's family as a row: what its events set, and what it is worth.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import type { PoolChange } from '../../model/pool.ts';
import type { PoolDraft, PoolTicks } from '../pool-kind.ts';
import { takesChange } from '../pool-kinds.ts';
import { solidlyPairKind } from './solidly-pair-kind.ts';

const NO_TICKS: PoolTicks = { get: () => undefined, change: () => true, order: [] };
const E18 = 10n ** 18n;

function createDraft(): PoolDraft<'solidlyPair'> {
  return {
    ...{ pool: poolId('0xpool'), kind: 'solidlyPair', venue: 'camelot-v2' },
    ...{ token0: address('0xa'), token1: address('0xb'), vault: address('0xpool') },
    ...{ feePips: 0, createdBlock: 1, createdAtMs: 1, complete: true },
    terms: {
      ...{ rounding: 'router', loop: 'settled', reserveBits: 112 },
      ...{ feeLeavesPips: 0, stableFeeLeavesPips: 500_000 },
    },
    ...{ state: solidlyPairKind.stateAtStart, lastSwapAtMs: null, liquidityUsdE18: null },
  };
}

function apply(draft: PoolDraft<'solidlyPair'>, change: PoolChange): void {
  assert.equal(takesChange(draft, change), true);
  solidlyPairKind.apply(draft, change as never, { ticks: NO_TICKS, swapped: null });
}

const RESERVES = { reserve0: 1000n * E18, reserve1: 4000n * 10n ** 6n };
const SYNC = { poolKind: 'constantProduct', ...RESERVES } as const;
const READ = {
  poolKind: 'solidlyPair',
  set: { decimals0: 18, decimals1: 6, isStable: false, fee0: 3000, fee1: 9000 },
} as const;

describe('a pair of the Solidly family', () => {
  it("takes the reserves of Uniswap's log, and is complete once the rest is known", () => {
    const draft = createDraft();
    apply(draft, SYNC);
    assert.equal(draft.complete, false);
    assert.equal(solidlyPairKind.createSwapPool(draft, [], undefined), null);
    apply(draft, READ);
    assert.equal(draft.complete, true);
    assert.equal(draft.feePips, 3000);
    const pool = solidlyPairKind.createSwapPool(draft, [], undefined) ?? assert.fail();
    assert.deepEqual([pool.feePips(true), pool.feePips(false)], [3000, 9000]);
    assert.deepEqual(solidlyPairKind.holdings(draft.state), {
      ...{ amount0: SYNC.reserve0, amount1: SYNC.reserve1 },
    });
  });

  it('has a price before its fees are known, if it is volatile', () => {
    const draft = createDraft();
    apply(draft, SYNC);
    assert.equal(solidlyPairKind.price(draft.state), null);
    apply(draft, { poolKind: 'solidlyPair', set: { isStable: false } });
    const { reserve0: denominator, reserve1: numerator } = RESERVES;
    assert.deepEqual(solidlyPairKind.price(draft.state), { numerator, denominator });
    apply(draft, { poolKind: 'solidlyPair', set: { isStable: true } });
    assert.equal(solidlyPairKind.price(draft.state), null);
  });

  it('is not exact if its fee may change without an event', () => {
    const draft = createDraft();
    apply(draft, READ);
    const find = (rounding: 'fee' | 'router', flags: string) =>
      solidlyPairKind.findFlags?.({ ...draft.state, flags }, { ...draft.terms, rounding });
    assert.equal(find('fee', ''), 'unannouncedFee');
    assert.equal(find('fee', 'feeUnknown'), 'feeUnknown');
    assert.equal(find('router', ''), '');
  });

  it('is exact once a swap was charged its fee, which other charges correct', () => {
    const draft = createDraft();
    draft.terms = { ...draft.terms, rounding: 'fee' };
    apply(draft, SYNC);
    apply(draft, { ...READ, set: { ...READ.set, fee1: 3000 } });
    const charge = (in0: bigint, taken0: bigint) => {
      const charged = { in0, taken0, in1: 0n, taken1: 0n };
      apply(draft, { poolKind: 'solidlyPair', charged });
      const { fee0, fee1 } = draft.state;
      const flags = solidlyPairKind.findFlags?.(draft.state, draft.terms);
      return { fees: [fee0, fee1], flags, complete: draft.complete };
    };
    const whole = { flags: '', complete: true };
    const first = charge(150n, 0n);
    const unsure = { flags: 'unannouncedFee', complete: true };
    assert.deepEqual(first, { fees: [3000, 3000], ...unsure }, 'too small to prove a fee');
    assert.deepEqual(charge(1_000_000n, 3000n), { fees: [3000, 3000], ...whole });
    assert.deepEqual(charge(150n, 0n), { fees: [3000, 3000], ...whole });
    assert.deepEqual(charge(1_000_001n, 500n), { fees: [500, 500], ...whole });
    assert.deepEqual(charge(1_000_000n, 0n), { fees: [0, 0], ...whole });
    assert.equal(draft.feePips, 0);
    const broken = charge(1_000_000n, 77n);
    assert.equal(broken.complete, false, 'no fee fits: it is read again');
    assert.equal(solidlyPairKind.createSwapPool(draft, [], undefined), null);
  });

  it('was stored before charges were compared', () => {
    const draft = createDraft();
    apply(draft, SYNC);
    apply(draft, READ);
    const text = solidlyPairKind.encodeState(draft.state);
    const before = text.slice(0, text.lastIndexOf(','));
    assert.deepEqual(solidlyPairKind.decodeState(before), draft.state);
  });

  it('refuses changes of other kinds', () => {
    const change = { poolKind: 'concentrated', type: 'protocolFee', protocolFee: 0 } as const;
    assert.equal(takesChange(createDraft(), change), false);
  });

  it('may become stable, with another price and depth', () => {
    const draft = createDraft();
    apply(draft, READ);
    apply(draft, SYNC);
    apply(draft, { poolKind: 'solidlyPair', set: { isStable: true } });
    const { numerator, denominator } = solidlyPairKind.price(draft.state) ?? assert.fail();
    const price = (Number(numerator) / Number(denominator)) * 1e12;
    // (3x²y + y³) / (x³ + 3xy²) at x = 1 and y = 4
    assert.ok(Math.abs(price - 76 / 49) < 1e-9);
    const pay = solidlyPairKind.payableRaw(draft, 'token0', NO_TICKS);
    const pool = solidlyPairKind.createSwapPool(draft, [], undefined) ?? assert.fail();
    const free = pool.withFees({ zeroForOne: 0, oneForZero: 0 });
    const { after } = free.swapAndMove(true, free.swapOut(true, pay).amountIn);
    const [before, later] = [free.midPrice(true), after.midPrice(true)];
    const share =
      Number((later.numerator * before.denominator * 10n ** 9n) / later.denominator) /
      Number(before.numerator);
    assert.ok(Math.abs(share / 1e9 - 0.98) < 1e-4, `${share}`);
  });

  it('is stored and restored, known or not', () => {
    const draft = createDraft();
    for (const change of [SYNC, READ]) {
      apply(draft, change);
      const text = solidlyPairKind.encodeState(draft.state);
      assert.deepEqual(solidlyPairKind.decodeState(text), draft.state);
    }
    const terms = solidlyPairKind.decodeTerms(solidlyPairKind.encodeTerms(draft.terms));
    assert.deepEqual(terms, draft.terms);
    const pool = solidlyPairKind.createSwapPool(draft, [], undefined) ?? assert.fail();
    const revived = solidlyPairKind.revive(pool.toPlain(), null);
    assert.deepEqual(revived.swapIn(true, E18), pool.swapIn(true, E18));
  });
});
