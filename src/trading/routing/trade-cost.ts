// What a trade will use of a transaction, by model, in the family's own unit.

import type { ListedAccounts, SwapCost, TransactionCosts } from '../../chains/transaction-costs.ts';
import type { Address } from '../../model/ids.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { NODE_IN } from './route-field.ts';
import type { RouteCost } from './route-single.ts';
import type { PoolSwap, RouteHop } from './route-swaps.ts';

// Executed swaps in the order of a router: swap paths of consecutive pools.
//
// If all of an asset comes from one pool and goes on to one pool, the two are in one swap path. At
// every other asset swap paths end and begin, and the router holds the asset in between.

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

/** What the cost of a swap depends on. */
interface SwapLoad {
  readonly cost: SwapCost;
  /** The contract that holds the pool's tokens. */
  readonly vault: Address;
}

/** What the cost of a swap path depends on. */
interface PathLoad {
  readonly takes: PathSource;
  readonly hops: readonly (SwapLoad & { readonly ticksCrossed: number })[];
}

/** Of a swap by itself; tokens of the input have to be pulled. */
function computePoolCost(
  { pull }: TransactionCosts,
  { cost }: SwapLoad,
  at: { readonly ticksCrossed: number; readonly isFirst: boolean },
): bigint {
  return cost.hop + cost.perTick * BigInt(at.ticksCrossed) + (at.isFirst ? pull : 0n);
}

/** Adds up the cost of consecutive swap paths. */
class CostMeter {
  readonly #pull: bigint;
  #units: bigint;

  constructor(
    { base, pull, unwrap }: TransactionCosts,
    ends: { readonly isNativeIn: boolean; readonly isNativeOut: boolean },
  ) {
    this.#pull = ends.isNativeIn ? 0n : pull;
    this.#units = base + (ends.isNativeOut ? unwrap : 0n);
  }

  get units(): bigint {
    return this.#units;
  }

  addSwapPath(takes: PathSource, hops: PathLoad['hops']): void {
    if (takes === 'input') this.#units += this.#pull;
    this.#units += computeHopsCost(hops);
    for (const { cost, ticksCrossed } of hops) this.#units += cost.perTick * BigInt(ticksCrossed);
  }
}

function computeHopsCost(hops: readonly SwapLoad[]): bigint {
  return hops.reduce((sum, { cost, vault }, index) => {
    return sum + (hops[index - 1]?.vault === vault ? cost.hopInSameVault : cost.hop);
  }, 0n);
}

/**
 * A cost function for the router, in units of the output: `outPerUnit` is the value of one unit of
 * cost.
 */
export function createUnitCost(outPerUnit: {
  readonly numerator: bigint;
  readonly denominator: bigint;
}): RouteCost {
  const { numerator, denominator } = outPerUnit;
  return (path) => {
    const units = computeHopsCost(path.map(({ pool }) => pool));
    return (units * numerator) / denominator;
  };
}

export function computeTradeCost(
  costs: TransactionCosts,
  swapPaths: readonly PathLoad[],
  ends: {
    readonly isNativeIn: boolean;
    readonly isNativeOut: boolean;
    readonly isOutputFixed?: boolean;
    /** Whether the router holds the output of a given input first. */
    readonly holdsOutput?: boolean;
  },
): bigint {
  const meter = new CostMeter(costs, ends);
  for (const { takes, hops } of swapPaths) meter.addSwapPath(takes, hops);
  const { fixedOutput = 0n } = costs;
  if (!ends.isOutputFixed) return meter.units + (ends.holdsOutput ? fixedOutput : 0n);
  const swapCount = swapPaths.reduce((sum, { hops }) => sum + hops.length, 0);
  return meter.units + fixedOutput * BigInt(swapCount + 1);
}

// What one transaction has room for: by what it may use and by its length.

/** A swap in a pool. */
interface PoolLoad {
  readonly pool: GraphPool;
  readonly ticksCrossed: number;
  /** Whether it takes a part of the input. */
  readonly isFirst: boolean;
}

export interface RouteRoom {
  /** The share of the room that a swap takes. */
  computeShare(load: PoolLoad): number;
  /** Whether a single route is short enough. */
  hasBytesFor(path: HopRow['hops']): boolean;
  /** The share of the room that swap paths take in total: above 1 they do not fit. */
  computeUsed(swapPaths: readonly RoutePath[]): number;
}

/** Hops in a row, of swap paths or of a path that is not executed yet. */
interface HopRow {
  readonly hops: readonly { readonly pool: GraphPool; readonly zeroForOne: boolean }[];
}

/** What lists save: each account once, each list if it saves more than its name takes. */
function countSaved(rows: readonly HopRow[], listed: ListedAccounts): number {
  const { savedBytes, listBytes, byPool } = listed;
  const places = new Map<number, Set<number>>();
  for (const { pool } of rows.flatMap(({ hops }) => hops)) {
    for (const { list, place } of byPool.get(pool.pool) ?? []) {
      places.set(list, (places.get(list) ?? new Set()).add(place));
    }
  }
  const saved = Array.from(places.values(), ({ size }) => size * savedBytes - listBytes);
  return saved.reduce((sum, one) => sum + Math.max(0, one), 0);
}

/** What rows of hops add to a transaction's length, by model. */
export function countBytes(rows: readonly HopRow[], listed?: ListedAccounts): number {
  const sharers = new Set<string>();
  const tokens = new Set<Address>();
  let sum = 0;
  for (const { hops } of rows) {
    for (const [index, { pool, zeroForOne }] of hops.entries()) {
      const { command, first, next, fromZeroLess = 0, received = 0, shared } = pool.bytes;
      const tokenOut = zeroForOne ? pool.token1 : pool.token0;
      if (tokens.has(tokenOut)) sum -= received;
      tokens.add(tokenOut);
      const isNext = hops[index - 1]?.pool.bytes.command === command;
      sum += (isNext ? next : first) - (zeroForOne ? fromZeroLess : 0);
      if (shared === undefined) continue;
      if (sharers.has(shared.sharer)) sum -= shared.bytes;
      sharers.add(shared.sharer);
    }
  }
  return listed === undefined ? sum : sum - countSaved(rows, listed);
}

/** A hop in the pool by itself. */
export function countPoolBytes(pool: GraphPool, listed?: ListedAccounts): number {
  const saved =
    listed === undefined ? 0 : countSaved([{ hops: [{ pool, zeroForOne: false }] }], listed);
  return pool.bytes.first - saved;
}

function computePathsCost(costs: TransactionCosts, swapPaths: readonly RoutePath[]): bigint {
  // Whether coins or tokens are spent is not known here; tokens take more.
  const meter = new CostMeter(costs, { isNativeIn: false, isNativeOut: true });
  for (const { takes, hops } of swapPaths) {
    meter.addSwapPath(
      takes,
      hops.map(({ pool: { cost, vault }, ticksCrossed }) => ({ cost, vault, ticksCrossed })),
    );
  }
  return meter.units;
}

/** `small`: for trades whose cost is not known, or not all of it. */
export function createRoom(costs: TransactionCosts, size: 'whole' | 'small'): RouteRoom {
  const bytesMax = size === 'whole' ? costs.bytesMax : costs.fewBytesMax;
  const unitsMax = Number(costs.unitsMax);
  const { listed } = costs;
  return {
    computeShare({ pool, ticksCrossed, isFirst }) {
      const units = computePoolCost(costs, pool, { ticksCrossed, isFirst });
      return Math.max(Number(units) / unitsMax, countPoolBytes(pool, listed) / bytesMax);
    },
    hasBytesFor: (hops) => countBytes([{ hops }], listed) <= costs.bytesMax,
    computeUsed(swapPaths) {
      const used = countBytes(swapPaths, listed) / bytesMax;
      return Math.max(used, Number(computePathsCost(costs, swapPaths)) / unitsMax);
    },
  };
}
