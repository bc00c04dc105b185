// A trade is divided over routers only where that pays more for certain, and never for a lower
// minimum.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  buildFees,
  createBuildScene,
  OTHER_ROUTER,
  ROUTER,
  SALE,
  TOKEN,
  WETH,
} from '../../../test/build-scene.ts';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import { createPair } from '../../../test/fakes/fake-pair.ts';
import { RUN_SEED } from '../../../test/run-seed.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { findSplit, type SplitPart } from './split-trade.ts';

const ETHER = 10n ** 18n;
const OTHER = { venue: 'other-v2' };
const BETWEEN = buildFakeAddress('aaaa', 18);

const CALLS = { version: '2.0.0', chainId: '0x539', from: '', atomicRequired: true } as const;

interface Terms {
  readonly amountIn?: bigint;
  readonly slippageBps?: number;
  /** Above what the price would give. */
  readonly minAmountOutRaw?: bigint;
  /** How much more the batch pays than its price says. */
  readonly moreRaw?: bigint;
  readonly batchGas?: bigint;
  readonly baseFee?: bigint;
}

/** Prices a sale for WETH, and what would be offered beside it; the chain's side is simulated. */
async function offer(t: TestContext, pools: readonly GraphPool[], terms: Terms = {}) {
  const { pricing, chain, fees } = await createBuildScene(t, pools);
  const { amountIn = 1000n * ETHER, slippageBps = 50, moreRaw = 0n } = terms;
  if (terms.baseFee !== undefined) fees.current = buildFees(terms.baseFee);
  const amountInRaw = amountIn.toString();
  const asked = pricing.parse({ ...SALE, quoteMint: WETH, amountInRaw, slippageBps });
  const priced = await pricing.price(asked);
  const { minAmountOutRaw = priced.minAmountOutRaw } = terms;
  const single = { ...priced, minAmountOutRaw };
  const builds: (readonly SplitPart[])[] = [];
  const split = await findSplit({
    ...{ single, chain, unitsUsed: 150_000n },
    price: pricing.price,
    build: async ({ amountOutRaw }, parts) => {
      builds.push(parts);
      return {
        walletCalls: { ...CALLS, calls: [] },
        amountOutRaw: amountOutRaw + moreRaw,
        unitsUsed: terms.batchGas ?? 300_000n,
        deadlineSeconds: 1,
      };
    },
  });
  return { single, split, builds };
}

function sumOf(parts: readonly SplitPart[], field: 'amountInRaw' | 'amountOutRaw'): bigint {
  return parts.reduce((sum, part) => sum + part[field], 0n);
}

const DEPTH = 10_000n * ETHER;
const HERE = createPair(1, [TOKEN, WETH], [DEPTH, DEPTH]);
const THERE = createPair(2, [TOKEN, WETH], [DEPTH, DEPTH], OTHER);

describe('findSplit', () => {
  it('divides a trade evenly over two routers of the same depth', async (t) => {
    const { single, split } = await offer(t, [HERE, THERE]);
    const { parts, gainBps, minAmountOutRaw } = split ?? assert.fail('no offer');
    assert.deepEqual(parts.map(({ router }) => router).sort(), [OTHER_ROUTER.name, ROUTER.name]);
    assert.equal(sumOf(parts, 'amountInRaw'), single.amountInRaw);
    for (const { amountInRaw } of parts) {
      const off = amountInRaw * 2n - single.amountInRaw;
      assert.ok(off * 50n < single.amountInRaw && -off * 50n < single.amountInRaw);
    }
    // 1000 of 10,000 moves the price by some 9 %, half of it by half of that.
    assert.ok(gainBps > 400 && gainBps < 500, `${gainBps}`);
    assert.ok(minAmountOutRaw > single.minAmountOutRaw);
  });

  it("keeps to the trade's minimum if that is above its own", async (t) => {
    const { single: plain } = await offer(t, [HERE, THERE]);
    const least = (plain.amountOutRaw * 1_030n) / 1_000n;
    const { split } = await offer(t, [HERE, THERE], { slippageBps: 1000, minAmountOutRaw: least });
    assert.equal(split?.minAmountOutRaw, least);
    assert.equal(
      split.parts.reduce((sum, part) => sum + part.minAmountOutRaw, 0n),
      least,
    );
  });

  it('is not offered for less than 5 basis points, or if the gas takes the gain', async (t) => {
    const small = await offer(t, [HERE, THERE], { amountIn: ETHER });
    assert.deepEqual([small.split, small.builds], [null, []]);
    const terms = { baseFee: 10n ** 12n };
    assert.ok((await offer(t, [HERE, THERE], terms)).split !== null);
    const dear = await offer(t, [HERE, THERE], { ...terms, batchGas: 45_000_000n });
    assert.deepEqual([dear.split, dear.builds.length], [null, 1]);
  });

  it('is not offered if the simulation pays another amount, even a higher one', async (t) => {
    for (const moreRaw of [-1n, 1n]) {
      const { split, builds } = await offer(t, [HERE, THERE], { moreRaw });
      assert.deepEqual([split, builds.length], [null, 1]);
    }
  });

  it('is not offered where one router has the best route', async (t) => {
    const { split, builds } = await offer(t, [HERE, createPair(3, [TOKEN, WETH])]);
    assert.deepEqual([split, builds], [null, []]);
  });

  it('takes pools of the two tokens where routers would hand tokens to each other', async (t) => {
    const deep = [DEPTH * 50n, DEPTH * 51n] as const;
    const mixed = [
      createPair(4, [TOKEN, BETWEEN], deep, OTHER),
      createPair(5, [BETWEEN, WETH], deep),
    ];
    const { split } = await offer(t, [HERE, THERE, ...mixed]);
    const { parts } = split ?? assert.fail('no offer');
    for (const { swapPaths } of parts) {
      assert.deepEqual(
        swapPaths.map(({ hops }) => hops.length),
        [1],
      );
    }
  });

  it('has at most three parts: those of the deepest pools', async (t) => {
    const others = [10, 11, 12, 13].map((number) => {
      const depth = DEPTH + BigInt(number) * ETHER;
      return createPair(number, [TOKEN, WETH], [depth, depth], OTHER);
    });
    const { single, split } = await offer(t, [HERE, ...others]);
    const { parts } = split ?? assert.fail('no offer');
    assert.equal(parts.length, 3);
    assert.equal(sumOf(parts, 'amountInRaw'), single.amountInRaw);
  });

  it('whatever the pools: the parts are the trade, and no minimum is above what it pays', async (t) => {
    const random = createRandom(RUN_SEED);
    let offered = 0;
    for (let round = 0; round < 12; round += 1) {
      const pools = Array.from({ length: 2 + Math.floor(random() * 5) }, (_, index) => {
        const depth = BigInt(Math.floor(1e4 + 9e4 * random())) * ETHER;
        const price = BigInt(Math.floor(970 + 60 * random()));
        const isOther = index === 1 || (index > 1 && random() < 0.5);
        const reserves = [depth, (depth * price) / 1000n] as const;
        return createPair(20 + index, [TOKEN, WETH], reserves, isOther ? OTHER : {});
      });
      const amountIn = BigInt(Math.floor(1e3 + 2e4 * random())) * ETHER;
      const slippageBps = Math.floor(random() * 300);
      const { single, split } = await offer(t, pools, { amountIn, slippageBps });
      if (split === null) continue;
      offered += 1;
      const { parts, minAmountOutRaw, batch } = split;
      assert.equal(sumOf(parts, 'amountInRaw'), single.amountInRaw);
      assert.equal(sumOf(parts, 'amountOutRaw'), batch.amountOutRaw);
      const least = parts.reduce((sum, part) => sum + part.minAmountOutRaw, 0n);
      assert.equal(least, minAmountOutRaw);
      assert.ok(least >= single.minAmountOutRaw);
      assert.ok(batch.amountOutRaw * 10_000n >= single.amountOutRaw * 10_005n);
      for (const part of parts) {
        assert.ok(part.minAmountOutRaw > 0n && part.minAmountOutRaw <= part.amountOutRaw);
      }
    }
    t.diagnostic(`${offered} offered`);
    assert.ok(offered > 0, 'nothing was offered');
  });
});
