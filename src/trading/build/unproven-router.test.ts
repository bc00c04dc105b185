// A router whose own contract was never executed is built on only if its trade was simulated.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  createBuildScene,
  OTHER_ROUTER,
  ROUTER,
  SALE,
  TOKEN,
  WETH,
} from '../../../test/build-scene.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import type { NodeScript } from '../../../test/fakes/scripted-node.ts';

const FOR_WETH = { quoteMint: WETH };
const BETTER = createPair(1, [TOKEN, WETH], [DEEP, DEEP], { venue: 'other-v2' });
const WORSE = createPair(2, [TOKEN, WETH], [DEEP, DEEP / 2n]);
const UNABLE: Partial<NodeScript> = { outcomeOf: null };

async function build(
  t: TestContext,
  { pools, script = {} }: { pools: (typeof BETTER)[]; script?: Partial<NodeScript> },
) {
  const scene = await createBuildScene(t, pools, script);
  const { pricing, node } = scene;
  node.script.arrivingRaw = (
    await pricing.price(pricing.parse({ ...SALE, ...FOR_WETH }))
  ).amountOutRaw;
  return scene.build(FOR_WETH);
}

function findRouter({ transactions }: Awaited<ReturnType<typeof build>>): string {
  const swap = transactions.find(({ kind }) => kind === 'swap');
  return swap?.type === 'eip1559' ? swap.to.toLowerCase() : '';
}

describe('a router that was never executed', () => {
  it('is used if the trade was simulated, with an approval of its own', async (t) => {
    const answer = await build(t, { pools: [BETTER, WORSE] });
    assert.equal(findRouter(answer), OTHER_ROUTER.address);
    const kinds = answer.transactions.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['approve', 'swap']);
    assert.equal(answer.issues.allowance?.spender.toLowerCase(), OTHER_ROUTER.address);
    assert.equal(answer.simulation.status, 'ok');
  });

  it('gives way to one that was where no node can simulate', async (t) => {
    const answer = await build(t, { pools: [BETTER, WORSE], script: UNABLE });
    assert.equal(findRouter(answer), ROUTER.address);
    assert.equal(answer.simulation.status, 'skipped');
  });

  it('is not offered there if others pay less than it was quoted to pay, or nothing', async (t) => {
    const dry = createPair(3, [TOKEN, WETH], [10n ** 30n, 10n]);
    for (const [pool, amountInRaw] of [
      [WORSE, String(10n ** 18n)],
      [dry, '200'],
    ] as const) {
      const { pricing, build } = await createBuildScene(t, [BETTER, pool], UNABLE);
      const trade = { ...FOR_WETH, amountInRaw };
      const priced = await pricing.price(pricing.parse({ ...SALE, ...trade }));
      assert.equal(priced.router, OTHER_ROUTER.name);
      const { quoteId } = pricing.sealAnswer(priced);
      await assert.rejects(build({ ...trade, quoteId }), { code: 'VENUE_NOT_SUPPORTED' });
    }
  });

  it('is not offered there if no other leads to the token', async (t) => {
    await assert.rejects(build(t, { pools: [BETTER], script: UNABLE }), (error: Error) => {
      assert.match(error.message, /other-v2/);
      return (error as Error & { code: string }).code === 'VENUE_NOT_SUPPORTED';
    });
  });
});
