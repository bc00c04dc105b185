// Executed swaps in the order of a router: swap paths of consecutive pools.
//
// If all of an asset comes from one pool and goes on to one pool, the two are in one swap path. At
// every other asset swap paths end and begin, and the router holds the asset in between.

import { NODE_IN } from './route-field.ts';
import type { PoolSwap, RouteHop } from './route-swaps.ts';

/**
 * What a swap path begins with: a part of the input, a part of what the router holds of an asset,
 * or all that is left of it, however much that is.
 */
export type PathSource = 'input' | 'part' | 'rest';

export interface RoutePath {
  readonly takes: PathSource;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly hops: readonly RouteHop[];
}

/** How many pools pay an asset, and how many take it. */
interface Traffic {
  arriving: number;
  departing: number;
}

function countAt(swaps: readonly PoolSwap[]): Map<number, Traffic> {
  const traffic = new Map<number, Traffic>();
  const at = (node: number): Traffic => {
    const known = traffic.get(node) ?? { arriving: 0, departing: 0 };
    traffic.set(node, known);
    return known;
  };
  for (const { edge } of swaps) {
    at(edge.to).arriving += 1;
    at(edge.from).departing += 1;
  }
  return traffic;
}

/** From swaps in execution order. */
export function buildSwapPaths(swaps: readonly PoolSwap[]): RoutePath[] {
  const traffic = countAt(swaps);
  const isPassage = (node: number) => {
    const { arriving, departing } = traffic.get(node) ?? { arriving: 0, departing: 0 };
    return node !== NODE_IN && arriving === 1 && departing === 1;
  };
  const swapPaths: PoolSwap[][] = [];
  const ending = new Map<number, PoolSwap[]>();
  for (const swap of swaps) {
    const { from, to } = swap.edge;
    let swapPath = isPassage(from) ? ending.get(from) : undefined;
    if (swapPath === undefined) {
      swapPath = [];
      swapPaths.push(swapPath);
    }
    swapPath.push(swap);
    ending.set(to, swapPath);
  }
  const held = new Map<number, bigint>();
  return swapPaths.map((swapPath) => buildSwapPath(swapPath, held));
}

/** The last swap path of an asset takes the whole balance, whatever it is by then. */
function buildSwapPath(swapPath: readonly PoolSwap[], held: Map<number, bigint>): RoutePath {
  const [first, last] = [swapPath[0] as PoolSwap, swapPath.at(-1) as PoolSwap];
  const { from } = first.edge;
  const { amountIn } = first.hop;
  const { amountOut } = last.hop;
  const there = held.get(from) ?? 0n;
  held.set(from, there - amountIn);
  held.set(last.edge.to, (held.get(last.edge.to) ?? 0n) + amountOut);
  const takes = from === NODE_IN ? 'input' : there === amountIn ? 'rest' : 'part';
  return { takes, amountIn, amountOut, hops: swapPath.map(({ hop }) => hop) };
}
