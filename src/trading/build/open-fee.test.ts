// A price that only an uncertain fee keeps from being exact is exact once it was simulated.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createBuildScene, SALE, TOKEN, WETH } from '../../../test/build-scene.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import type { NodeScript } from '../../../test/fakes/scripted-node.ts';

const FOR_WETH = { quoteMint: WETH };
const BLOCK_SECONDS = 1_790_000_000;

async function createScene(
  t: TestContext,
  unchecked: string,
  { paidMore = 0n, ...script }: Partial<NodeScript> & { readonly paidMore?: bigint } = {},
) {
  const pair = createPair(1, [TOKEN, WETH], [DEEP, DEEP], { inexact: 'unchecked', unchecked });
  const scene = await createBuildScene(t, [pair], script);
  const { pricing, node, chain } = scene;
  const failures: unknown[] = [];
  Object.assign(chain, { noteFailure: (failure: unknown) => failures.push(failure) });
  const priced = await pricing.price(pricing.parse({ ...SALE, ...FOR_WETH }));
  assert.equal(priced.exact, false);
  const [warning] = priced.warnings.filter(({ code }) => code === 'UNCHECKED_POOL');
  assert.match(warning?.message ?? '', new RegExp(unchecked.split(' ')[0] ?? ''));
  node.script.arrivingRaw = priced.amountOutRaw + paidMore;
  const answer = await scene.build(FOR_WETH);
  const isWarned = answer.quote.warnings.some(({ code }) => code === 'UNCHECKED_POOL');
  const { exact } = answer.quote;
  return { ...scene, priced, answer, failures, outcome: { exact, isWarned } };
}

const EXACT = { exact: true, isWarned: false };
const OPEN = { exact: false, isWarned: true };

describe('a fee that depends on the time of the block', () => {
  it('is simulated for the time of the next block; the same amount is exact', async (t) => {
    const { outcome, node, answer } = await createScene(t, 'timedFee', { blockSeconds: 12 });
    assert.deepEqual(outcome, EXACT);
    assert.equal(node.askedTime, BLOCK_SECONDS + 12);
    assert.equal(answer.simulation.blockTime, (BLOCK_SECONDS + 12) * 1000);
  });

  it('is simulated for a later second where blocks share one', async (t) => {
    const { node } = await createScene(t, 'timedFee', { blockSeconds: 0 });
    assert.equal(node.askedTime, BLOCK_SECONDS + 1);
  });

  it('stays open, with its reason, if the simulation paid something else', async (t) => {
    for (const paidMore of [-1n, 1n]) {
      const { outcome, priced, answer } = await createScene(t, 'timedFee', { paidMore });
      assert.deepEqual(outcome, OPEN);
      assert.equal(answer.simulation.amountOutRaw, String(priced.amountOutRaw + paidMore));
    }
  });

  it('stays open if the node cannot simulate, or not at that time', async (t) => {
    assert.deepEqual((await createScene(t, 'timedFee', { outcomeOf: null })).outcome, OPEN);
    const { outcome, answer } = await createScene(t, 'timedFee', { keepsTime: true });
    assert.deepEqual(outcome, OPEN);
    assert.equal(answer.simulation.blockTime, undefined);
  });

  it('is no failure of the pool if it has risen', async (t) => {
    const paidMore = -(10n ** 15n);
    assert.deepEqual((await createScene(t, 'timedFee', { paidMore })).failures, []);
    assert.equal((await createScene(t, 'feeUnchecked', { paidMore })).failures.length, 1);
  });
});

describe('a fee that may have changed without an event', () => {
  it('is exact once the simulation paid the same, at whatever time', async (t) => {
    const { outcome, node, answer } = await createScene(t, 'unannouncedFee');
    assert.deepEqual([outcome, node.askedTime], [EXACT, null]);
    assert.equal(answer.simulation.blockTime, undefined);
    const { outcome: other } = await createScene(t, 'unannouncedFee', { paidMore: -1n });
    assert.deepEqual(other, OPEN);
  });
});

describe('a pool with another uncertain feature', () => {
  it('is never exact, whatever the simulation pays', async (t) => {
    assert.deepEqual((await createScene(t, 'timedFee movingRates')).outcome, OPEN);
    assert.deepEqual((await createScene(t, 'feeUnchecked')).outcome, OPEN);
  });
});
