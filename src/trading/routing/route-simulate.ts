// Several routes executed one after the other, exactly: a pool that two of them use has moved by
// the time that the second comes.

import type { SwapOutcome } from '../../amm/swap-outcome.ts';
import { type SwapPool, swapAndMove } from '../../amm/swap-pool.ts';
import type { Address, PoolId } from '../../model/market-event.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { RouteEdge } from './route-field.ts';

/** A way through the field, from what is spent to what is bought. */
export type RoutePath = readonly RouteEdge[];

export interface RouteHop {
  readonly pool: GraphPool;
  readonly zeroForOne: boolean;
  /** The pool's own tokens: the zero address where it holds the native coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly feeAmount: bigint;
  readonly ticksCrossed: number;
}

/** One route with its part of the input. */
export interface RouteLeg {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly hops: readonly RouteHop[];
}

export interface PathAmount {
  readonly path: RoutePath;
  readonly amountIn: bigint;
}

function countUses(legs: readonly PathAmount[]): Map<PoolId, number> {
  const uses = new Map<PoolId, number>();
  for (const { path } of legs) {
    for (const { pool } of path) uses.set(pool.pool, (uses.get(pool.pool) ?? 0) + 1);
  }
  return uses;
}

/** The pools as the hops before left them. */
class MovingPools {
  readonly #uses: Map<PoolId, number>;
  readonly #moved = new Map<PoolId, SwapPool>();

  constructor(legs: readonly PathAmount[]) {
    this.#uses = countUses(legs);
  }

  /** Where a pool is used again later, its state after this swap is worked out too. */
  swap({ pool, zeroForOne }: RouteEdge, amountIn: bigint): SwapOutcome {
    const curve = this.#moved.get(pool.pool) ?? pool.curve;
    const usesLeft = (this.#uses.get(pool.pool) ?? 0) - 1;
    this.#uses.set(pool.pool, usesLeft);
    if (usesLeft === 0) return curve.swapIn(zeroForOne, amountIn);
    const { swap, after } = swapAndMove(curve, zeroForOne, amountIn);
    this.#moved.set(pool.pool, after);
    return swap;
  }
}

/** A leg that some pool could not take whole, and the part of it that the pool took. */
interface Overfull {
  readonly pool: PoolId;
  readonly takenShare: number;
}

function simulateLeg(pools: MovingPools, { path, amountIn }: PathAmount): RouteLeg | Overfull {
  const hops: RouteHop[] = [];
  let amount = amountIn;
  for (const edge of path) {
    const { pool, zeroForOne } = edge;
    const swap = pools.swap(edge, amount);
    if (!swap.isFilled) {
      return { pool: pool.pool, takenShare: Number(swap.amountIn) / Number(amount) };
    }
    if (swap.amountOut === 0n) return { pool: pool.pool, takenShare: 0 };
    const { amountOut, feeAmount, ticksCrossed } = swap;
    hops.push({
      pool,
      zeroForOne,
      tokenIn: zeroForOne ? pool.token0 : pool.token1,
      tokenOut: zeroForOne ? pool.token1 : pool.token0,
      amountIn: amount,
      amountOut,
      feeAmount,
      ticksCrossed,
    });
    amount = amountOut;
  }
  return { amountIn, amountOut: amount, hops };
}

const ATTEMPT_COUNT_MAX = 6;
/** Shares are cut off at this many bits. */
const SHARE_BITS = 40;

/** What an overfull leg should have been, a little less to be sure. */
function toLess(amountIn: bigint, takenShare: number): bigint {
  const share = Math.max(0, 1 - 1.5 * (1 - takenShare) - 1e-6);
  return (amountIn * BigInt(Math.floor(share * 2 ** SHARE_BITS))) >> BigInt(SHARE_BITS);
}

/**
 * Adds to the legs that touch none of the full pools, each in proportion to what it has; the first
 * of them takes what rounding leaves. Null where there are none.
 */
function spread(
  legs: readonly PathAmount[],
  excess: bigint,
  full: ReadonlySet<PoolId>,
): PathAmount[] | null {
  const isOpen = ({ path }: PathAmount) => !path.some(({ pool }) => full.has(pool.pool));
  const total = legs.reduce((sum, leg) => sum + (isOpen(leg) ? leg.amountIn : 0n), 0n);
  if (total === 0n) return null;
  const shares = legs.map((leg) => (isOpen(leg) ? (excess * leg.amountIn) / total : 0n));
  const first = legs.findIndex(isOpen);
  const rest = excess - shares.reduce((sum, share) => sum + share, 0n);
  return legs.map(({ path, amountIn }, index) => ({
    path,
    amountIn: amountIn + (shares[index] ?? 0n) + (index === first ? rest : 0n),
  }));
}

/**
 * Executes the legs in order. What a pool on the way cannot take is divided among the other legs,
 * and all are executed anew: null where some is left over even so. A pool that pays nothing counts
 * as one that can take nothing, for V2 would revert.
 */
export function simulateLegs(legs: readonly PathAmount[]): RouteLeg[] | null {
  const full = new Set<PoolId>();
  let wanted = legs;
  for (let attempt = 0; attempt < ATTEMPT_COUNT_MAX; attempt += 1) {
    const pools = new MovingPools(wanted);
    const done: RouteLeg[] = [];
    const next: PathAmount[] = [];
    let excess = 0n;
    for (const leg of wanted) {
      const result = simulateLeg(pools, leg);
      if ('hops' in result) {
        done.push(result);
        next.push(leg);
        continue;
      }
      full.add(result.pool);
      const amountIn = toLess(leg.amountIn, result.takenShare);
      excess += leg.amountIn - amountIn;
      if (amountIn > 0n) next.push({ path: leg.path, amountIn });
    }
    if (excess === 0n) return done;
    const spreadOut = spread(next, excess, full);
    if (spreadOut === null) return null;
    wanted = spreadOut;
  }
  return null;
}
