// Fees that no log tells are read while quotes use their pools, and a fee is sure only then.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPair } from '../../../test/fakes/fake-pair.ts';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { address } from '../../../test/test-ids.ts';
import { SolidlyPairPool, type SolidlyTerms } from '../../amm/solidly-pair/solidly-pair-pool.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { PoolFeeWatch } from './pool-fee-watch.ts';

const TOKENS = [address(`0x${'1'.repeat(40)}`), address(`0x${'2'.repeat(40)}`)] as const;
const TERMS: SolidlyTerms = {
  ...{ rounding: 'fee', loop: 'checked', reserveBits: 256 },
  ...{ feeLeavesPips: 1_000_000, stableFeeLeavesPips: 1_000_000 },
};

/** A pair of Aerodrome, as the index knows it. */
function createSolidly(number: number, feePips = 3000): GraphPool {
  const fees = { zeroForOne: feePips, oneForZero: feePips };
  const curve = new SolidlyPairPool({
    ...{ reserve0: 10n ** 20n, reserve1: 10n ** 20n, decimals0: 18, decimals1: 18 },
    ...{ isStable: true, fees, terms: TERMS },
  });
  const kind = { kind: 'solidlyPair', terms: TERMS, venue: 'aerodrome-v2' } as const;
  return createPair(number, TOKENS, undefined, { ...kind, curve, feePips } as Partial<GraphPool>);
}

const PAIR = createSolidly(1);

function createWatch() {
  const clock = new ManualClock();
  const state = { charged: 3000, isDown: false, errors: 0 };
  const asked: string[][] = [];
  const changed: string[] = [];
  const watch = new PoolFeeWatch({
    readFees: async (pools) => {
      asked.push(pools.map(({ pool, isStable }) => `${pool} ${isStable}`));
      if (state.isDown) throw new Error('down');
      return pools.map(() => ({ zeroForOne: state.charged, oneForZero: state.charged }));
    },
    clock,
    onChanged: (pool) => changed.push(pool),
    onError: () => {
      state.errors += 1;
    },
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    watch.poll();
    await watch.settled();
  };
  return { watch, state, asked, changed, pass };
}

describe('the fee of a pair that no log tells', () => {
  it('is sure after a reading, for a short time, and nothing is read unless it is used', async () => {
    const { watch, asked, pass } = createWatch();
    await pass(1000);
    assert.equal(watch.isSure(PAIR), false);
    assert.deepEqual(asked, []);
    watch.note([PAIR]);
    await pass(1000);
    assert.deepEqual(asked, [[`${PAIR.pool} true`]]);
    assert.equal(watch.isSure(PAIR), true);
    for (let second = 0; second < 30; second += 1) await pass(1000);
    assert.ok(asked.length >= 3 && asked.length <= 5, `${asked.length} readings`);
    for (let second = 0; second < 200; second += 1) await pass(1000);
    const { length } = asked;
    await pass(60_000);
    assert.equal(asked.length, length, 'nobody uses it any more');
    assert.equal(watch.isSure(PAIR), false);
  });

  it('is not sure if it is another one: that is then the fee', async () => {
    const { watch, state, changed, pass } = createWatch();
    watch.note([PAIR]);
    await pass(1000);
    assert.deepEqual(changed, [PAIR.pool]);
    state.charged = 5000;
    await pass(10_000);
    assert.equal(watch.isSure(PAIR), false);
    assert.deepEqual(watch.find(PAIR), { zeroForOne: 5000, oneForZero: 5000 });
    assert.deepEqual(changed, [PAIR.pool, PAIR.pool]);
  });

  it('is compared anew when the index hears of another', async () => {
    const { watch, state, asked, pass } = createWatch();
    watch.note([PAIR]);
    await pass(1000);
    const later = createSolidly(1, 5000);
    assert.equal(watch.find(later), null, 'the reading is older than the fee');
    assert.equal(watch.isSure(later), false);
    state.charged = 5000;
    watch.note([later]);
    await pass(1000);
    assert.equal(asked.length, 2, 'at once');
    assert.equal(watch.isSure(later), true);
  });

  it('is not sure while the node does not answer', async () => {
    const { watch, state, pass } = createWatch();
    state.isDown = true;
    watch.note([PAIR]);
    await pass(1000);
    assert.deepEqual([watch.isSure(PAIR), state.errors], [false, 1]);
  });

  it('is read of so many pools at most', async () => {
    const { watch, asked, pass } = createWatch();
    watch.note(Array.from({ length: 150 }, (_, index) => createSolidly(index + 1)));
    await pass(1000);
    assert.equal(asked[0]?.length, 100);
    assert.ok(
      asked[0]?.some((one) => one.startsWith(createSolidly(150).pool)),
      'the last ones',
    );
  });
});

it('the fees of other pools are not read', async () => {
  const { watch, asked, pass } = createWatch();
  const pair = createPair(1, TOKENS);
  watch.note([pair]);
  await pass(1000);
  assert.deepEqual([watch.isSure(pair), asked], [null, []]);
});
