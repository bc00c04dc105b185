// Finds routes by trying everything: every path, every split in small steps, every order.
//
// It shares nothing with the router but the pools, whose swaps are tested against the contracts.

import type { SwapPool } from '../../src/amm/swap-pool.ts';
import type { GraphPool } from '../../src/trading/graph/pool-graph-pool.ts';

export interface OracleHop {
  readonly pool: GraphPool;
  readonly zeroForOne: boolean;
}

export type OraclePath = readonly OracleHop[];

/** Every path of at most this many hops that visits no asset twice. */
export function findAllPaths(
  pools: readonly GraphPool[],
  ends: { readonly from: string; readonly to: string; readonly hopCountMax: number },
): OraclePath[] {
  const found: OraclePath[] = [];
  const visit = (at: string, path: OraclePath, seen: readonly string[]): void => {
    for (const pool of pools) {
      for (const zeroForOne of [true, false]) {
        const [tokenIn, tokenOut] = zeroForOne
          ? [pool.token0, pool.token1]
          : [pool.token1, pool.token0];
        if (tokenIn !== at || seen.includes(tokenOut)) continue;
        const longer = [...path, { pool, zeroForOne }];
        if (tokenOut === ends.to) found.push(longer);
        else if (longer.length < ends.hopCountMax) visit(tokenOut, longer, [...seen, tokenOut]);
      }
    }
  };
  visit(ends.from, [], [ends.from]);
  return found;
}

export interface OracleLeg {
  readonly path: OraclePath;
  readonly amountIn: bigint;
}

/** What the legs pay one after the other; null if a pool cannot take its input or pays nothing. */
export function executeLegs(
  legs: readonly OracleLeg[],
): { readonly amountOut: bigint; readonly moved: ReadonlyMap<string, SwapPool> } | null {
  const moved = new Map<string, SwapPool>();
  let amountOut = 0n;
  for (const { path, amountIn } of legs) {
    let amount = amountIn;
    for (const { pool, zeroForOne } of path) {
      if (amount === 0n) return null;
      const { swap, after } = (moved.get(pool.pool) ?? pool.curve).swapAndMove(zeroForOne, amount);
      if (!swap.isFilled) return null;
      moved.set(pool.pool, after);
      amount = swap.amountOut;
    }
    if (amount === 0n) return null;
    amountOut += amount;
  }
  return { amountOut, moved };
}

/** Consecutive pools, as a router executes them. */
export interface OracleSwapPath {
  readonly takes: 'input' | 'part' | 'rest';
  readonly amountIn: bigint;
  readonly hops: OraclePath;
}

/**
 * What swap paths pay one after the other. Throws if a pool occurs twice, something missing is
 * spent, or something is left behind.
 */
export function executeSwapPaths(swapPaths: readonly OracleSwapPath[]): {
  readonly amountOut: bigint;
  readonly moved: ReadonlyMap<string, SwapPool>;
} {
  const moved = new Map<string, SwapPool>();
  const held = new Map<string, bigint>();
  for (const { takes, amountIn, hops } of swapPaths) {
    const [first, last] = [hops[0], hops.at(-1)];
    if (first === undefined || last === undefined) throw new Error('a swap path without hops');
    const start = first.zeroForOne ? first.pool.token0 : first.pool.token1;
    const end = last.zeroForOne ? last.pool.token1 : last.pool.token0;
    const there = takes === 'input' ? amountIn : (held.get(start) ?? 0n);
    if (takes === 'rest' ? there !== amountIn : there < amountIn) {
      throw new Error(`${amountIn} of ${there} are spent`);
    }
    held.set(start, there - amountIn);
    let amount = amountIn;
    for (const { pool, zeroForOne } of hops) {
      if (moved.has(pool.pool)) throw new Error(`${pool.pool} comes twice`);
      const { swap, after } = pool.curve.swapAndMove(zeroForOne, amount);
      if (!swap.isFilled || swap.amountOut === 0n) throw new Error(`${pool.pool} takes not all`);
      moved.set(pool.pool, after);
      amount = swap.amountOut;
    }
    held.set(end, (held.get(end) ?? 0n) + amount);
  }
  const left = [...held.values()].filter((amount) => amount > 0n);
  if (left.length !== 1) throw new Error('something is left behind');
  return { amountOut: left[0] ?? 0n, moved };
}

export function findBestPathByTrying(paths: readonly OraclePath[], amountIn: bigint): bigint {
  let best = 0n;
  for (const path of paths) {
    const amountOut = executeLegs([{ path, amountIn }])?.amountOut ?? 0n;
    if (amountOut > best) best = amountOut;
  }
  return best;
}

/** Ordered choices of up to this many paths. */
function* listChoices(
  paths: readonly OraclePath[],
  legCountMax: number,
  chosen: readonly OraclePath[] = [],
): Generator<readonly OraclePath[]> {
  if (chosen.length > 0) yield chosen;
  if (chosen.length === legCountMax) return;
  for (const path of paths) {
    if (!chosen.includes(path)) yield* listChoices(paths, legCountMax, [...chosen, path]);
  }
}

/** Every way to cut `parts` into this many pieces of at least one. */
function* listCuts(parts: number, pieces: number): Generator<number[]> {
  if (pieces === 1) {
    yield [parts];
    return;
  }
  for (let first = 1; first <= parts - pieces + 1; first += 1) {
    for (const rest of listCuts(parts - first, pieces - 1)) yield [first, ...rest];
  }
}

function buildLegs(choice: readonly OraclePath[], shares: readonly number[], amountIn: bigint) {
  const total = shares.reduce((sum, share) => sum + share, 0);
  const legs = choice.map((path, index) => ({
    path,
    amountIn: (amountIn * BigInt(Math.round(((shares[index] ?? 0) / total) * 1e12))) / 10n ** 12n,
  }));
  const given = legs.reduce((sum, leg) => sum + leg.amountIn, 0n);
  const [first] = legs;
  if (first !== undefined) legs[0] = { ...first, amountIn: first.amountIn + amountIn - given };
  return legs.filter((leg) => leg.amountIn > 0n);
}

interface Best {
  net: bigint;
  choice: readonly OraclePath[];
  shares: readonly number[];
}

interface OracleSearch {
  readonly amountIn: bigint;
  /** The steps of the first split. */
  readonly parts: number;
  readonly legCountMax: number;
  /** The maximum number of pools. */
  readonly poolCountMax: number;
  readonly cost: (path: OraclePath) => bigint;
}

function countPools(choice: readonly OraclePath[]): number {
  return new Set(choice.flatMap((path) => path.map(({ pool }) => pool.pool))).size;
}

/** What a split pays minus the cost of its legs; nothing if it cannot be executed. */
function computeNet(
  choice: readonly OraclePath[],
  shares: readonly number[],
  search: OracleSearch,
) {
  const legs = buildLegs(choice, shares, search.amountIn);
  const paid = executeLegs(legs)?.amountOut;
  return paid === undefined ? 0n : legs.reduce((sum, { path }) => sum - search.cost(path), paid);
}

/** Moves shares back and forth in ever smaller steps as long as that pays more. */
function refine(best: Best, search: OracleSearch): void {
  let step = 0.5;
  while (step > 1e-4) {
    let isBetter = false;
    for (let from = 0; from < best.shares.length; from += 1) {
      for (let to = 0; to < best.shares.length; to += 1) {
        const shares = [...best.shares];
        const taken = Math.min(shares[from] ?? 0, step);
        if (from === to || taken <= 0) continue;
        shares[from] = (shares[from] ?? 0) - taken;
        shares[to] = (shares[to] ?? 0) + taken;
        const net = computeNet(best.choice, shares, search);
        if (net <= best.net) continue;
        best.net = net;
        best.shares = shares;
        isBetter = true;
      }
    }
    if (!isBetter) step /= 2;
  }
}

/** The best net result of every choice and order of paths, in steps and then finer. */
export function findBestByTrying(paths: readonly OraclePath[], search: OracleSearch): bigint {
  const best: Best = { net: 0n, choice: [], shares: [] };
  for (const choice of listChoices(paths, search.legCountMax)) {
    if (countPools(choice) > search.poolCountMax) continue;
    for (const shares of listCuts(search.parts, choice.length)) {
      const net = computeNet(choice, shares, search);
      if (net <= best.net) continue;
      best.net = net;
      best.choice = choice;
      best.shares = shares;
    }
  }
  refine(best, search);
  return best.net;
}
