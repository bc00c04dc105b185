// Distributes what arrived of an asset among the pools that take it, in exact swaps.

import type { Address } from '../../model/ids.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { RouteEdge } from './route-field.ts';

/** A pool with its planned input. */
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
  /** If the output is given: what the pool is asked for. It may pay a little more. */
  readonly askedOut?: bigint;
  readonly feeAmount: bigint;
  readonly ticksCrossed: number;
}

/** A swap that was executed. */
export interface PoolSwap {
  readonly edge: RouteEdge;
  readonly hop: RouteHop;
}

/** Shares have this many bits of precision. */
const SHARE_BITS = 50;
/** How close to a lot's end counts as the end, as a power of two: some 1e-4 of the asset. */
const CLOSE_BITS = 13n;
/** The last pool should be able to take this fraction more. */
const MORE_PART = 64n;
/** It should get at least this fraction of the asset. */
const LAST_PART_MAX = 20n;
/** What is left free in a pool that took less than it was given, so that it surely takes it. */
const BRIM_PART = 1_000_000n;

function scaleDown(whole: bigint, share: number): bigint {
  const cut = BigInt(Math.floor(Math.min(share, 1) * 2 ** SHARE_BITS));
  return (whole * cut) >> BigInt(SHARE_BITS);
}

/** Null if the pool cannot take the whole amount, or pays nothing for it, which V2 rejects. */
export function swapWhole(
  { pool, zeroForOne }: Pick<RouteEdge, 'pool' | 'zeroForOne'>,
  amountIn: bigint,
): RouteHop | null {
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

/** As much of the amount as the pool can take; null if that is nothing. */
function swapUpTo(edge: RouteEdge, amountIn: bigint): RouteHop | null {
  const whole = swapWhole(edge, amountIn);
  if (whole !== null || amountIn <= 0n) return whole;
  const taken = edge.pool.curve.swapIn(edge.zeroForOne, amountIn).amountIn;
  return swapWhole(edge, taken - taken / BRIM_PART - 1n);
}

/**
 * An asset as it arrived: in lots, one from each pool that paid it. A part that would end close to
 * the end of a lot is made to end there, since its exact end does not matter that much; so there
 * are few routes, which are shown lot by lot, and none of dust. If a part must not exceed its
 * planned amount, it keeps that distance instead.
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

  /** About this much, and no more than is left. */
  roundAmount(amount: bigint): bigint {
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
    const hop = swapUpTo(edge, lots.roundAmount(scaleDown(left, flow / wholeFlow)));
    if (hop === null) continue;
    lots.spend(hop.amountIn);
    swaps.push({ edge, hop });
  }
  return swaps;
}

export function byFlow(a: PoolShare, b: PoolShare): number {
  return b.flow - a.flow;
}

/** Never zero, so that shares of it are numbers. */
export function sumFlows(shares: readonly PoolShare[]): number {
  return shares.reduce((sum, { flow }) => sum + flow, Number.MIN_VALUE);
}

/** What pools could not take of an asset. */
interface Excess {
  readonly left: bigint;
}

/** Whether a pool could take a little more, in case more arrives at execution. */
function hasMore(edge: RouteEdge, amountIn: bigint): boolean {
  return edge.pool.curve.swapIn(edge.zeroForOne, amountIn + amountIn / MORE_PART + 1n).isFilled;
}

/** Distributes an asset so that one of the pools comes last and takes the rest. */
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

  /** Gives a pool as much of the rest as it can take. */
  fill(edge: RouteEdge): void {
    const amount = this.#findPart(edge) + this.#left;
    const hop = swapUpTo(edge, amount);
    this.#done.delete(edge);
    this.#left = amount - (hop?.amountIn ?? 0n);
    if (hop !== null) this.#done.set(edge, { edge, hop });
  }

  /** All swaps with this one last; null if it gets less than `least`, or has no room. */
  endWith(edge: RouteEdge, least: bigint): PoolSwap[] | null {
    const amount = this.#findPart(edge) + this.#left;
    const hop = amount < least || !hasMore(edge, amount) ? null : swapWhole(edge, amount);
    if (hop === null) return null;
    return [...[...this.#done.values()].filter((swap) => swap.edge !== edge), { edge, hop }];
  }

  end(): PoolSwap[] {
    return [...this.#done.values()];
  }

  #findPart(edge: RouteEdge): bigint {
    return this.#done.get(edge)?.hop.amountIn ?? 0n;
  }
}

/**
 * Gives pools everything. The largest that could take a little more comes last, because it will
 * take what is left at execution.
 */
export function giveAll(lots: Lots, shares: readonly PoolShare[]): PoolSwap[] | Excess {
  const [largest, ...others] = shares.toSorted(byFlow);
  if (largest === undefined) return { left: lots.left };
  const least = lots.left / LAST_PART_MAX;
  const giver = new RestGiver(giveParts(lots, others, sumFlows(shares)), lots.left);
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
