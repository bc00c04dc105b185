// What arrives of an asset, given to the pools that it goes on to, in exact swaps.

import type { Address } from '../../model/ids.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { RouteEdge } from './route-field.ts';

/** A pool with what is meant to go in. */
export interface PoolShare {
  readonly edge: RouteEdge;
  readonly flow: number;
}

export interface RouteHop {
  readonly pool: GraphPool;
  readonly zeroForOne: boolean;
  /** The pool's own tokens: the native coin or the wrapped one, whichever it holds. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly feeAmount: bigint;
  readonly ticksCrossed: number;
}

/** A swap that was executed. */
export interface PoolSwap {
  readonly edge: RouteEdge;
  readonly hop: RouteHop;
}

/** Parts are cut off at this many bits of the whole. */
const SHARE_BITS = 50;
/** Less than this part of an asset is not known of where a part should end: some 1e-4. */
const CLOSE_BITS = 13n;
/** One part in so many more a pool should be able to take that takes what is left. */
const MORE_PART = 64n;
/** It should itself be no less than one part in so many of the asset. */
const LAST_PART_MAX = 20n;
/** What is left free of a pool that took less than it was given, so that it surely takes it. */
const BRIM_PART = 1_000_000n;

function toPart(whole: bigint, share: number): bigint {
  const cut = BigInt(Math.floor(Math.min(share, 1) * 2 ** SHARE_BITS));
  return (whole * cut) >> BigInt(SHARE_BITS);
}

/** Null where the pool cannot take the whole amount, or pays nothing for it, which V2 refuses. */
export function swapWhole(edge: RouteEdge, amountIn: bigint): RouteHop | null {
  const { pool, zeroForOne } = edge;
  if (amountIn <= 0n) return null;
  const swap = pool.curve.swapIn(zeroForOne, amountIn);
  if (!swap.isFilled || swap.amountOut === 0n) return null;
  return {
    pool,
    zeroForOne,
    tokenIn: zeroForOne ? pool.token0 : pool.token1,
    tokenOut: zeroForOne ? pool.token1 : pool.token0,
    amountIn,
    amountOut: swap.amountOut,
    feeAmount: swap.feeAmount,
    ticksCrossed: swap.ticksCrossed,
  };
}

/** As much of the amount as the pool can take; null where that is nothing. */
function swapUpTo(edge: RouteEdge, amountIn: bigint): RouteHop | null {
  const whole = swapWhole(edge, amountIn);
  if (whole !== null || amountIn <= 0n) return whole;
  const taken = edge.pool.curve.swapIn(edge.zeroForOne, amountIn).amountIn;
  return swapWhole(edge, taken - taken / BRIM_PART - 1n);
}

/**
 * An asset as it has arrived: in lots, one from each pool that paid it. A part that would end close
 * to the end of a lot ends right there, for less than that is not known of where it should end; so
 * routes, which are told lot by lot, are few, and none is of dust. Where a part may not exceed what
 * was wanted it keeps that distance instead.
 */
export class Lots {
  readonly total: bigint;
  readonly #ends: bigint[] = [];
  readonly #near: bigint;
  readonly #mayExceed: boolean;
  #spent = 0n;

  constructor(lots: readonly bigint[], mayExceed: boolean) {
    let end = 0n;
    for (const lot of lots) {
      end += lot;
      this.#ends.push(end);
    }
    this.total = end;
    this.#near = end >> CLOSE_BITS;
    this.#mayExceed = mayExceed;
  }

  get left(): bigint {
    return this.total - this.#spent;
  }

  /** About so much, and no more than is left. */
  toWhole(amount: bigint): bigint {
    const wanted = this.#spent + amount;
    const [low, high] = [wanted - this.#near, wanted + this.#near];
    const close = this.#ends.find((end) => end >= low && end <= high) ?? 0n;
    const end = close <= wanted || this.#mayExceed ? close : close - this.#near;
    if (end > this.#spent) return end - this.#spent;
    return wanted > this.total ? this.left : amount;
  }

  spend(amount: bigint): void {
    this.#spent += amount;
  }
}

/** Gives pools their parts; what they cannot take is left. */
export function giveParts(lots: Lots, shares: readonly PoolShare[], wholeFlow: number): PoolSwap[] {
  const swaps: PoolSwap[] = [];
  const { left } = lots;
  for (const { edge, flow } of shares) {
    const hop = swapUpTo(edge, lots.toWhole(toPart(left, flow / wholeFlow)));
    if (hop === null) continue;
    lots.spend(hop.amountIn);
    swaps.push({ edge, hop });
  }
  return swaps;
}

export function byFlow(a: PoolShare, b: PoolShare): number {
  return b.flow - a.flow;
}

/** Above nothing, so that parts of it are numbers. */
export function toSum(shares: readonly PoolShare[]): number {
  return shares.reduce((sum, { flow }) => sum + flow, Number.MIN_VALUE);
}

/** What pools could not take of an asset. */
interface Excess {
  readonly left: bigint;
}

/** Whether a pool could take a little more, should a little more arrive by then. */
function hasMore(edge: RouteEdge, amountIn: bigint): boolean {
  return edge.pool.curve.swapIn(edge.zeroForOne, amountIn + amountIn / MORE_PART + 1n).isFilled;
}

/** Who takes what: one of the pools comes last and takes whatever is left. */
class RestGiver {
  readonly #done: Map<RouteEdge, PoolSwap>;
  #left: bigint;

  constructor(parts: readonly PoolSwap[], left: bigint) {
    this.#done = new Map(parts.map((swap) => [swap.edge, swap]));
    this.#left = left;
  }

  get left(): bigint {
    return this.#left;
  }

  /** Gives a pool as much of what is left as it can take. */
  fill(edge: RouteEdge): void {
    const amount = this.#toPart(edge) + this.#left;
    const hop = swapUpTo(edge, amount);
    this.#done.delete(edge);
    this.#left = amount - (hop?.amountIn ?? 0n);
    if (hop !== null) this.#done.set(edge, { edge, hop });
  }

  /** All swaps with this one at the end; null where it is less than `least`, or has no room. */
  endWith(edge: RouteEdge, least: bigint): PoolSwap[] | null {
    const amount = this.#toPart(edge) + this.#left;
    const hop = amount < least || !hasMore(edge, amount) ? null : swapWhole(edge, amount);
    if (hop === null) return null;
    return [...[...this.#done.values()].filter((swap) => swap.edge !== edge), { edge, hop }];
  }

  end(): PoolSwap[] {
    return [...this.#done.values()];
  }

  #toPart(edge: RouteEdge): bigint {
    return this.#done.get(edge)?.hop.amountIn ?? 0n;
  }
}

/**
 * Gives pools all that there is. The largest that could take a little more comes last, for it will
 * take what is left by then.
 */
export function giveAll(lots: Lots, shares: readonly PoolShare[]): PoolSwap[] | Excess {
  const [largest, ...others] = shares.toSorted(byFlow);
  if (largest === undefined) return { left: lots.left };
  const least = lots.left / LAST_PART_MAX;
  const giver = new RestGiver(giveParts(lots, others, toSum(shares)), lots.left);
  const whole = giver.endWith(largest.edge, least);
  if (whole !== null) return whole;
  for (const { edge } of [largest, ...others]) if (giver.left > 0n) giver.fill(edge);
  if (giver.left > 0n) return { left: giver.left };
  for (const { edge } of others) {
    const swaps = giver.endWith(edge, least);
    if (swaps !== null) return swaps;
  }
  return giver.end();
}
