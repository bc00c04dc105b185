// Compares sandwich legs with the literal definition.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildSwapEvent } from '../../../test/fakes/index-events.ts';
import { fc } from '../../../test/fast-check.ts';
import { address, poolId } from '../../../test/test-ids.ts';
import type { SwapEvent } from '../../model/block-events.ts';
import { findSandwichLegs } from './examine-block.ts';

function isBuy(event: SwapEvent): boolean {
  return event.amount0 > 0n;
}

/** Every pair, and everything between it. */
function findSlowly(swaps: readonly SwapEvent[]): Set<SwapEvent> {
  const legs = new Set<SwapEvent>();
  swaps.forEach((front, from) => {
    swaps.slice(from + 1).forEach((back, distance) => {
      if (front.pool !== back.pool || front.wallet !== back.wallet) return;
      if (isBuy(front) === isBuy(back)) return;
      const hasVictim = swaps
        .slice(from + 1, from + 1 + distance)
        .some(
          (between) =>
            between.pool === front.pool &&
            between.wallet !== front.wallet &&
            isBuy(between) === isBuy(front),
        );
      if (hasVictim) legs.add(front).add(back);
    });
  });
  return legs;
}

function make(pool: string, wallet: string, buys: boolean): SwapEvent {
  return buildSwapEvent(poolId(pool), buys ? [1n, -1n] : [-1n, 1n], { wallet: address(wallet) });
}

describe('findSandwichLegs', () => {
  it('finds what the definition says, in any block', () => {
    const event = fc
      .tuple(fc.constantFrom('p', 'q'), fc.constantFrom('a', 'b', 'c'), fc.boolean())
      .map(([pool, wallet, buys]) => make(pool, wallet, buys));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 14 }), (swaps) => {
        const found = findSandwichLegs(swaps);
        const expected = findSlowly(swaps);
        assert.deepEqual(
          swaps.map((one) => found.has(one)),
          swaps.map((one) => expected.has(one)),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('ignores a wallet that trades around another in the opposite direction', () => {
    const swaps = [make('p', 'a', true), make('p', 'b', false), make('p', 'a', false)];
    assert.equal(findSandwichLegs(swaps).size, 0);
  });

  it('ignores other pools', () => {
    const swaps = [make('p', 'a', true), make('q', 'b', true), make('p', 'a', false)];
    assert.equal(findSandwichLegs(swaps).size, 0);
  });
});
