// Trades whose best pools do not fit in one transaction together take others that do.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { buildFakeAddress, COIN } from '../../../test/fakes/fake-market.ts';
import { createPair, DEEP } from '../../../test/fakes/fake-pair.ts';
import { findSwapBytes, SOLANA_TRADE_COSTS } from '../../../test/fakes/trade-costs.ts';
import type { Address } from '../../model/ids.ts';
import { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { SafetyCache } from '../graph/safety-cache.ts';
import { searchTrade } from './find-trade-route.ts';
import { SearchWork } from './search-work.ts';
import { countBytes } from './trade-cost.ts';
import { type GivenAmount, planTrade } from './trade-plan.ts';

const WSOL = buildFakeAddress('ee', 1);
const USDC = buildFakeAddress('ee', 2);
const TOKEN = buildFakeAddress('aa', 1);

type Kind = Parameters<typeof findSwapBytes>[0];

/** A pool with the length of a swap on Solana; it pays the better, the more it has of token 1. */
function createSwap(
  number: number,
  kind: Kind,
  tokens: readonly [Address, Address],
  reserve1 = DEEP,
): GraphPool {
  return createPair(number, tokens, [DEEP, reserve1], { bytes: findSwapBytes(kind) });
}

function search(pools: readonly GraphPool[], size: Partial<GivenAmount> = {}) {
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: WSOL } });
  for (const pool of pools) graph.set(pool);
  const plan = planTrade({
    ...{
      graph,
      safetyCache: new SafetyCache(),
      trusted: new Set([WSOL, USDC]),
      isPaused: () => false,
    },
    ...{ tokenIn: WSOL, tokenOut: TOKEN, outPerUnit: null, costs: SOLANA_TRADE_COSTS },
    size: { fixed: 'input', amountRaw: 10n ** 18n, reserveBps: 0, ...size },
  });
  return searchTrade(plan, new SearchWork());
}

function listPools(found: ReturnType<typeof search>): readonly string[] {
  if (found.kind === 'none') return [found.reason];
  return found.found.route.legs.flatMap(({ hops }) => hops.map(({ pool }) => pool.pool));
}

describe('a trade whose best pools are too long together', () => {
  const long = createSwap(1, 'rangeX64', [WSOL, USDC], DEEP * 2n);
  const next = createSwap(2, 'rangeX64', [USDC, TOKEN]);
  const short = createSwap(3, 'singleRange', [WSOL, USDC]);
  const sizes = [{}, { fixed: 'output', amountRaw: 10n ** 17n }] as const;

  it('takes a shorter first hop that pays less', () => {
    for (const size of sizes) {
      assert.deepEqual(listPools(search([long, next], size)), ['tooLong']);
      assert.deepEqual(listPools(search([long, next, short], size)), [short.pool, next.pool]);
    }
  });

  it('takes a shorter last hop that pays less', () => {
    const last = createSwap(4, 'singleRange', [USDC, TOKEN], DEEP / 2n);
    for (const size of sizes) {
      assert.deepEqual(listPools(search([long, next, last], size)), [long.pool, last.pool]);
    }
  });

  it('takes the better of the ways that fit', () => {
    // A long first hop with a short last one pays less than the reverse.
    const last = createSwap(4, 'singleRange', [USDC, TOKEN], DEEP / 4n);
    for (const size of sizes) {
      const found = listPools(search([long, next, short, last], size));
      assert.deepEqual(found, [short.pool, next.pool]);
    }
  });
});

/** The most that any route of two hops pays, each tried. */
function findMost(pools: readonly GraphPool[], amountIn: bigint): bigint {
  const firsts = pools.filter(({ token0 }) => token0 === WSOL);
  let most = 0n;
  for (const first of firsts) {
    const between = first.curve.swapIn(true, amountIn).amountOut;
    for (const last of pools.filter(({ token0 }) => token0 === first.token1)) {
      const hops = [first, last].map((pool) => ({ pool, zeroForOne: true }));
      if (countBytes([{ hops }]) > SOLANA_TRADE_COSTS.bytesMax) continue;
      const { amountOut } = last.curve.swapIn(true, between);
      if (amountOut > most) most = amountOut;
    }
  }
  return most;
}

it('of random markets no route that fits is missed', () => {
  const random = createRandom(24);
  const kinds: readonly Kind[] = ['rangeX64', 'bins', 'ceiledProduct', 'singleRange'];
  let [found, refused] = [0, 0];
  for (let round = 0; round < 150; round += 1) {
    const others = [1, 2, 3].map((one) => buildFakeAddress('bb', one));
    const pools = Array.from({ length: 2 + Math.floor(random() * 7) }, (_, index) => {
      const other = others[Math.floor(random() * others.length)] ?? assert.fail();
      const kind = kinds[Math.floor(random() ** 2 * kinds.length)] ?? assert.fail();
      const reserve1 = (DEEP * BigInt(1 + Math.floor(random() * 40))) / 10n;
      const tokens = random() < 0.5 ? ([WSOL, other] as const) : ([other, TOKEN] as const);
      return createSwap(index + 1, kind, tokens, reserve1);
    });
    const amountRaw = 10n ** 18n;
    const most = findMost(pools, amountRaw);
    const route = search(pools, { amountRaw });
    if (route.kind === 'none') {
      refused += 1;
      assert.equal(most, 0n, `round ${round}: ${route.reason}`);
      continue;
    }
    found += 1;
    assert.ok(route.found.amountOut >= most, `round ${round}`);
    assert.ok(countBytes(route.found.route.swapPaths) <= SOLANA_TRADE_COSTS.bytesMax);
  }
  assert.ok(found > 20 && refused > 20, `${found} found, ${refused} refused`);
});
