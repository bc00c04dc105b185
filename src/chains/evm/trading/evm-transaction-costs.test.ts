// What fits in the room fits in a transaction, as encoded by build's own encoder.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress } from '../../../../test/fakes/fake-market.ts';
import { TRANSACTION_ROOM } from '../../../../test/fakes/trade-costs.ts';
import { poolId } from '../../../../test/test-ids.ts';
import { ConstantProductPool } from '../../../amm/constant-product/constant-product-pool.ts';
import type { PoolTerms } from '../../../model/pool.ts';
import type { GraphPool } from '../../../trading/graph/pool-graph-pool.ts';
import type { RouteHop } from '../../../trading/routing/route-swaps.ts';
import type { PathSource } from '../../../trading/routing/trade-cost.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import type { SwapHop, SwapPath } from '../venues/swap-plan.ts';
import { encodeSwap } from '../venues/universal-router/encode-swap.ts';
import type { UniversalRouter } from '../venues/universal-router/universal-router.ts';
import { findHopBytes, findSwapCost } from './evm-transaction-costs.ts';

type Kind = 'v2' | 'v3' | 'v4';

/** Nodes relay nothing larger. */
const TRANSACTION_BYTES_MAX = 131_072;
const CURVE = new ConstantProductPool({ reserve0: 1n, reserve1: 1n }, 3000);
const ROUTER: UniversalRouter = {
  ...{ kind: 'universal', name: 'universal', venues: new Set() },
  ...{ canDivide: true, canTax: true, isProven: true, outputCall: 'commands' },
  address: buildFakeAddress('cc', 1),
  version: '2.1',
  permit2: buildFakeAddress('cc', 2),
  wrapped: buildFakeAddress('cc', 3),
} as const;

let created = 0;

function buildTerms(kind: Kind): PoolTerms {
  if (kind === 'v2') return { kind: 'constantProduct', terms: null };
  const custody =
    kind === 'v4' ? ({ kind: 'singleton', hooks: null } as const) : ({ kind: 'own' } as const);
  return { kind: 'concentrated', terms: { tickSpacing: 60, custody } };
}

function createPool(kind: Kind): GraphPool {
  created += 1;
  const contract = buildFakeAddress('dd', created);
  const terms = buildTerms(kind);
  return {
    pool: poolId(kind === 'v4' ? `0x${contract.slice(2).padStart(64, '0')}` : contract),
    venue: `uniswap-${kind}`,
    token0: buildFakeAddress('aa', 1),
    token1: buildFakeAddress('aa', 2),
    feePips: 3000,
    vault: kind === 'v4' ? buildFakeAddress('bb', 9) : contract,
    ...terms,
    cost: findSwapCost(terms),
    bytes: findHopBytes(terms),
    inexact: null,
    curve: CURVE,
  };
}

function buildHop(kind: Kind, index: number): SwapHop {
  const [tokenIn, tokenOut] = [
    buildFakeAddress('aa', index + 1),
    buildFakeAddress('aa', index + 2),
  ];
  if (kind === 'v2') return { tokenIn, tokenOut, pool: { kind, pair: buildFakeAddress('dd', 1) } };
  if (kind === 'v3') return { tokenIn, tokenOut, pool: { kind, feePips: 3000, tickSpacing: 60 } };
  const key = { currency0: tokenIn, currency1: tokenOut, fee: 3000, tickSpacing: 60 };
  return { tokenIn, tokenOut, pool: { kind, key: { ...key, hooks: buildFakeAddress('bb', 1) } } };
}

/** A swap path of the route, and the same for the encoder. */
function createSwapPath(kinds: readonly Kind[], takes: PathSource, ticksCrossed = 0) {
  const amounts = { takes, amountIn: 1n, amountOut: 1n };
  const hops = kinds.map((kind) => ({ pool: createPool(kind), ticksCrossed }) as RouteHop);
  const raw = { takes, amountInRaw: 10n ** 30n, amountOutRaw: 10n ** 30n };
  return { route: { ...amounts, hops }, swap: { ...raw, hops: kinds.map(buildHop) } };
}

function measureLength(swapPaths: readonly SwapPath[]): number {
  const plan = {
    tokenIn: swapPaths[0]?.hops[0]?.tokenIn ?? ZERO_ADDRESS,
    tokenOut: swapPaths.at(-1)?.hops.at(-1)?.tokenOut ?? ZERO_ADDRESS,
    amountOutMin: 10n ** 30n,
    swapPaths,
    outputTaxBps: 0,
    recipient: buildFakeAddress('ee', 1),
    deadlineSeconds: 4_000_000_000,
  };
  return encodeSwap(plan, ROUTER).data.length / 2;
}

/** How many such swap paths fit; those after the first may spend what the router holds. */
function fill(kinds: readonly Kind[], takes: PathSource, ticksCrossed = 0) {
  const swapPaths = [];
  for (;;) {
    const next = createSwapPath(kinds, swapPaths.length === 0 ? 'input' : takes, ticksCrossed);
    if (TRANSACTION_ROOM.computeUsed([...swapPaths, next].map(({ route }) => route)) > 1)
      return swapPaths;
    swapPaths.push(next);
  }
}

const EVERY_SHAPE = (['v2', 'v3', 'v4'] as const).flatMap((a) => [
  [a],
  ...(['v2', 'v3', 'v4'] as const).flatMap((b) => [
    [a, b],
    ...(['v2', 'v3', 'v4'] as const).map((c) => [a, b, c]),
  ]),
]);

describe('the room of a transaction', () => {
  it('takes no more than a transaction can be long, whatever the swap paths', () => {
    for (const kinds of EVERY_SHAPE) {
      for (const takes of ['input', 'part', 'rest'] as const) {
        const swapPaths = fill(kinds, takes);
        const length = measureLength(swapPaths.map(({ swap }) => swap));
        const name = `${kinds} ${takes}: ${swapPaths.length} swap paths, ${length} bytes`;
        assert.ok(length <= TRANSACTION_BYTES_MAX, name);
        assert.ok(swapPaths.length * kinds.length >= 100, name);
      }
    }
  });

  it('takes fewer where ticks are crossed', () => {
    const count = (ticksCrossed: number) => fill(['v3'], 'part', ticksCrossed).length;
    assert.ok(count(0) > 180 && count(0) < 220, `${count(0)}`);
    assert.ok(count(3) < count(0) / 2, `${count(3)}`);
    assert.equal(count(10_000), 0);
  });

  it('finds how many bytes a pool takes in a transaction', () => {
    const { route } = createSwapPath(['v3'], 'part');
    const pool = route.hops[0]?.pool ?? assert.fail();
    const swapPaths = fill(['v3'], 'part');
    const computeShare = (ticksCrossed: number, isFirst = false) =>
      TRANSACTION_ROOM.computeShare({ pool, ticksCrossed, isFirst });
    const share = computeShare(0) * swapPaths.length + TRANSACTION_ROOM.computeUsed([]);
    assert.ok(share > 0.99 && share <= 1, `${share}`);
    assert.ok(computeShare(3) > 2 * computeShare(0));
    assert.ok(computeShare(0, true) > computeShare(0));
  });
});
