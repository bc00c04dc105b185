// What the room takes is what a transaction can carry: encoded by the very encoder that build uses.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toFakeAddress } from '../../../test/fakes/fake-market.ts';
import { ConstantProductPool } from '../../amm/constant-product.ts';
import { encodeSwap } from '../../chains/evm/transactions/encode-swap.ts';
import type { SwapHop } from '../../chains/evm/transactions/swap-plan.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { createTransactionRoom } from './transaction-room.ts';

type Kind = 'v2' | 'v3' | 'v4';

/** Nodes pass nothing longer on. */
const TRANSACTION_BYTES_MAX = 131_072;
const CURVE = new ConstantProductPool({ reserve0: 1n, reserve1: 1n }, 3000);
const ROUTER = {
  address: toFakeAddress('cc', 1),
  version: '2.1',
  permit2: toFakeAddress('cc', 2),
  wrapped: toFakeAddress('cc', 3),
} as const;

let created = 0;

function createPool(kind: Kind): GraphPool {
  created += 1;
  const address = toFakeAddress('dd', created);
  return {
    pool: kind === 'v4' ? `0x${address.slice(2).padStart(64, '0')}` : address,
    venue: `uniswap-${kind}`,
    token0: toFakeAddress('aa', 1),
    token1: toFakeAddress('aa', 2),
    feePips: 3000,
    tickSpacing: kind === 'v2' ? null : 60,
    hooks: null,
    inexact: null,
    curve: CURVE,
  };
}

function toHop(kind: Kind, index: number): SwapHop {
  const [tokenIn, tokenOut] = [toFakeAddress('aa', index + 1), toFakeAddress('aa', index + 2)];
  if (kind === 'v2') return { tokenIn, tokenOut, pool: { kind, pair: toFakeAddress('dd', 1) } };
  if (kind === 'v3') return { tokenIn, tokenOut, pool: { kind, feePips: 3000 } };
  const key = { currency0: tokenIn, currency1: tokenOut, fee: 3000, tickSpacing: 60 };
  return { tokenIn, tokenOut, pool: { kind, key: { ...key, hooks: toFakeAddress('bb', 1) } } };
}

function toLength(kinds: readonly Kind[], legCount: number): number {
  const hops = kinds.map(toHop);
  const leg = { amountInRaw: 10n ** 30n, amountOutRaw: 10n ** 30n, hops };
  const plan = {
    tokenIn: hops[0]?.tokenIn ?? '',
    tokenOut: hops.at(-1)?.tokenOut ?? '',
    amountOutMin: 10n ** 30n,
    legs: Array.from({ length: legCount }, () => leg),
    outputTaxBps: 0,
    recipient: toFakeAddress('ee', 1),
    deadlineSeconds: 4_000_000_000,
  };
  return encodeSwap(plan, ROUTER).data.length / 2;
}

const EVERY_SHAPE = (['v2', 'v3', 'v4'] as const).flatMap((a) => [
  [a],
  ...(['v2', 'v3', 'v4'] as const).flatMap((b) => [
    [a, b],
    ...(['v2', 'v3', 'v4'] as const).map((c) => [a, b, c]),
  ]),
]);

describe('createTransactionRoom', () => {
  it('takes no more than a transaction can be long, whatever the routes', () => {
    for (const kinds of EVERY_SHAPE) {
      // Pools that all have used before take least gas, so that length decides.
      const room = createTransactionRoom(0);
      const path = kinds.map((kind) => ({ pool: createPool(kind) }));
      let legCount = 0;
      while (room.take(path)) legCount += 1;
      const length = toLength(kinds, legCount);
      assert.ok(length <= TRANSACTION_BYTES_MAX, `${kinds} ${legCount} legs, ${length} bytes`);
      assert.ok(legCount >= 40, `${kinds}: ${legCount} legs only`);
    }
  });

  it('takes fewer where ticks are crossed, and none after the first that does not fit', () => {
    const count = (ticksCrossed: number) => {
      const room = createTransactionRoom(ticksCrossed);
      let legCount = 0;
      while (room.take([{ pool: createPool('v3') }])) legCount += 1;
      assert.equal(room.take([{ pool: createPool('v2') }]), false);
      return legCount;
    };
    assert.ok(count(0) > 150 && count(0) < 210, `${count(0)}`);
    assert.ok(count(300) < count(0) - 90, `${count(300)}`);
    assert.equal(count(10_000), 0);
  });
});
