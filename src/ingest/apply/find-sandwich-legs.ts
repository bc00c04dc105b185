// Finds sandwich legs: one wallet's swaps around another's, in the same pool and block.

import type { SwapEvent } from '../../model/block-events.ts';
import type { PoolId } from '../../model/ids.ts';

type Direction = 0 | 1;

/** How many swaps in a direction there were so far, in total and of one wallet. */
interface Seen {
  readonly all: [number, number];
  readonly wallet: [number, number];
}

function findDirection(swap: SwapEvent): Direction {
  return swap.amount0 > 0n ? 1 : 0;
}

/**
 * For each swap, in the given order: is there an earlier one of the same wallet in the other
 * direction, with another wallet's swap of `between` in between? Checking the first such one is
 * enough, since it has the most in between. Runs in linear time.
 */
function markSecondLegs(
  swaps: readonly SwapEvent[],
  legs: Set<SwapEvent>,
  between: 'same' | 'other',
): void {
  const all: [number, number] = [0, 0];
  const wallets = new Map<
    string,
    { counts: [number, number]; first: [Seen | null, Seen | null] }
  >();
  for (const swap of swaps) {
    const direction = findDirection(swap);
    const opposite: Direction = direction === 0 ? 1 : 0;
    const victim = between === 'same' ? direction : opposite;
    let wallet = wallets.get(swap.wallet);
    if (wallet === undefined) {
      wallet = { counts: [0, 0], first: [null, null] };
      wallets.set(swap.wallet, wallet);
    }
    const first = wallet.first[opposite];
    if (first !== null) {
      const sinceAll = all[victim] - first.all[victim];
      const sinceOwn = wallet.counts[victim] - first.wallet[victim];
      if (sinceAll > sinceOwn) legs.add(swap);
    }
    all[direction] += 1;
    wallet.counts[direction] += 1;
    wallet.first[direction] ??= { all: [...all], wallet: [...wallet.counts] };
  }
}

/**
 * Two swaps of one wallet in opposite directions, with a swap of another wallet in the direction of
 * the first between them: front run, victim and back run.
 */
export function findSandwichLegs(swaps: readonly SwapEvent[]): ReadonlySet<SwapEvent> {
  const legs = new Set<SwapEvent>();
  if (swaps.length < 3) return legs;
  const byPool = new Map<PoolId, SwapEvent[]>();
  for (const swap of swaps) {
    const list = byPool.get(swap.pool);
    if (list === undefined) byPool.set(swap.pool, [swap]);
    else list.push(swap);
  }
  for (const list of byPool.values()) {
    if (list.length < 3) continue;
    markSecondLegs(list, legs, 'other');
    // In reverse order the back run comes first, and the victim has the direction of the front run.
    markSecondLegs(list.toReversed(), legs, 'same');
  }
  return legs;
}
