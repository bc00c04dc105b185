// The part of the graph that routes between two assets can use, prepared for the search.

import type { Address } from '../../model/ids.ts';
import { type NativeCoin, type PoolGraph, toAsset } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { findCurve, mergeCurves, type RouteCurve } from './route-curve.ts';

/** A pool in one direction. */
export interface RouteEdge {
  readonly index: number;
  readonly pool: GraphPool;
  readonly zeroForOne: boolean;
  readonly from: number;
  readonly to: number;
  readonly curve: RouteCurve;
}

/** A path through the field, from the input asset to the output asset. */
export type RoutePath = readonly RouteEdge[];

/** All parallel pools from one node to another. */
export interface RouteLane {
  readonly index: number;
  readonly from: number;
  readonly to: number;
  readonly edges: readonly RouteEdge[];
  readonly curve: RouteCurve;
}

/** Which pools may be used, and in which direction. */
export type AcceptEdge = (pool: GraphPool, zeroForOne: boolean) => boolean;

/** Which pools a field has, of those that may be used. */
export type TakePool = (pool: GraphPool) => boolean;

/** Nodes are numbered: 0 is the input asset, 1 the output asset. */
export interface RouteField {
  readonly nodeCount: number;
  readonly edges: readonly RouteEdge[];
  /** Edges by the node that they leave. */
  readonly leaving: readonly (readonly RouteEdge[])[];
  readonly lanes: readonly RouteLane[];
  readonly lanesLeaving: readonly (readonly RouteLane[])[];
}

export const NODE_IN = 0;
export const NODE_OUT = 1;

/** The order of swaps: an asset is spent when all of it has arrived. */
export function findStage({ from, to }: { readonly from: number; readonly to: number }): 0 | 1 | 2 {
  return from === NODE_IN ? 0 : to === NODE_OUT ? 2 : 1;
}

/** Which pools a field has, of those between its assets. */
interface FieldLimits {
  readonly poolCountMax?: number | undefined;
  /** Everything by default. */
  readonly accepts?: AcceptEdge | undefined;
}

/** Native and wrapped coin are one asset if the graph has a wrapped coin. */
interface FieldEnds {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly hopCountMax?: number | undefined;
}

interface FieldReach {
  readonly assetIn: Address;
  readonly assetOut: Address;
  readonly hopCountMax: number;
}

/** The allowed directions of a pool: 1 is token 0 for token 1, 2 the reverse, 3 both. */
export type PoolWays = 0 | 1 | 2 | 3;

export const ONE_FOR_ZERO: PoolWays = 2;

/** Everything that a field is built from, as data that can be sent to another thread. */
export interface FieldPlan {
  readonly assetIn: Address;
  readonly assetOut: Address;
  /** Stands for the native coin, too; null if nothing does. */
  readonly native: NativeCoin;
  readonly pools: readonly { readonly pool: GraphPool; readonly ways: PoolWays }[];
}

export function isOpen(ways: PoolWays, zeroForOne: boolean): boolean {
  return (ways & (zeroForOne ? 1 : 2)) !== 0;
}

/** The most hops of one path. */
export const HOP_COUNT_MAX = 3;
const POOL_COUNT_MAX = 256;
/** The maximum lookups in the search for third hops. */
const LOOKUP_COUNT_MAX = 8_000;
/** Of an asset with more neighbours than this, only the hubs among them are tried. */
const REACH_COUNT_MAX = 256;
/** The same for assets next to both ends, which are cheaper to find. */
const SHARED_COUNT_MAX = 2_000;

interface PairPool {
  readonly pool: GraphPool;
  readonly depth: number;
  /** Its place among all pools, as they were collected. */
  readonly place: number;
}

/** The assets with most neighbours first, so that the limit drops the least important. */
function sortByDegree(graph: PoolGraph, assets: Iterable<Address>): Address[] {
  const degrees = Array.from(assets, (asset) => ({ asset, degree: graph.neighbours(asset).size }));
  degrees.sort((x, y) => y.degree - x.degree || (x.asset < y.asset ? -1 : 1));
  return degrees.map(({ asset }) => asset);
}

/** An asset's neighbours; for an asset with very many, only the hubs. */
function findReach(graph: PoolGraph, asset: Address): Set<Address> {
  const neighbours = graph.neighbours(asset);
  if (neighbours.size <= REACH_COUNT_MAX) return new Set(neighbours.keys());
  const reach = new Set<Address>();
  for (const hub of graph.hubs) if (neighbours.has(hub)) reach.add(hub);
  return reach;
}

/** Assets next to both ends, those with most neighbours first. */
function findShared(graph: PoolGraph, reach: FieldReach): Address[] {
  const a = graph.neighbours(reach.assetIn);
  const b = graph.neighbours(reach.assetOut);
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a];
  const candidates = fewer.size <= SHARED_COUNT_MAX ? fewer.keys() : graph.hubs;
  const shared: Address[] = [];
  for (const asset of candidates) if (fewer.has(asset) && more.has(asset)) shared.push(asset);
  return sortByDegree(graph, shared);
}

/** Pairs of assets, one next to each end, that share a pool. */
function findMiddles(graph: PoolGraph, { assetIn, assetOut }: FieldReach): [Address, Address][] {
  const reachOut = findReach(graph, assetOut);
  const middles: [Address, Address][] = [];
  let lookups = 0;
  for (const x of sortByDegree(graph, findReach(graph, assetIn))) {
    if (x === assetOut) continue;
    if (lookups > LOOKUP_COUNT_MAX) break;
    const beyond = graph.neighbours(x);
    const isFewer = beyond.size < reachOut.size;
    lookups += isFewer ? beyond.size : reachOut.size;
    for (const y of isFewer ? beyond.keys() : reachOut) {
      if (y === assetIn || y === assetOut) continue;
      if (isFewer ? reachOut.has(y) : beyond.has(y)) middles.push([x, y]);
    }
  }
  return middles;
}

/** The pairs of assets that routes can use, the most important first, each once. */
function listPairs(graph: PoolGraph, reach: FieldReach): (readonly [Address, Address])[] {
  const { assetIn, assetOut, hopCountMax } = reach;
  const pairs = new Map<string, readonly [Address, Address]>();
  const add = (a: Address, b: Address) => {
    const key = a < b ? a + b : b + a;
    if (!pairs.has(key)) pairs.set(key, [a, b]);
  };
  add(assetIn, assetOut);
  if (hopCountMax >= 2) {
    for (const asset of findShared(graph, reach)) {
      add(assetIn, asset);
      add(asset, assetOut);
    }
  }
  if (hopCountMax >= 3) {
    for (const [x, y] of findMiddles(graph, reach)) {
      add(assetIn, x);
      add(x, y);
      add(y, assetOut);
    }
  }
  return [...pairs.values()];
}

/** The pools between two assets, deepest first; `all` gets them, too. */
function listPairPools(
  graph: PoolGraph,
  [a, b]: readonly [Address, Address],
  all: GraphPool[],
): PairPool[] {
  const pools: PairPool[] = [];
  for (const id of graph.between(a, b)) {
    const pool = graph.get(id);
    if (pool === undefined) continue;
    // A pool without a price may have no depth: NaN would leave the order open.
    pools.push({ pool, depth: pool.curve.depth || 0, place: all.length });
    all.push(pool);
  }
  if (pools.length < 2) return pools;
  return pools.sort((x, y) => y.depth - x.depth || (x.pool.pool < y.pool.pool ? -1 : 1));
}

function findWays(pool: GraphPool, { accepts }: FieldLimits): PoolWays {
  // Only its hook knows what it pays.
  if (pool.inexact === 'hook') return 0;
  if (accepts === undefined) return 3;
  return ((accepts(pool, true) ? 1 : 0) | (accepts(pool, false) ? 2 : 0)) as PoolWays;
}

/** If there are too many, the deepest pools of each pair, then of the first pairs. */
function takeDeepest(pairs: readonly (readonly PairPool[])[], countMax: number): PairPool[] {
  const count = (each: number) =>
    pairs.reduce((sum, pools) => sum + Math.min(pools.length, each), 0);
  let each = countMax;
  while (each > 1 && count(each) > countMax) each = Math.ceil(each / 2);
  return pairs.flatMap((pools) => pools.slice(0, each)).slice(0, countMax);
}

/**
 * All pools that routes between two assets can use. The graph is walked once for all fields of a
 * trade. Pools are immutable, so fields stay valid for the moment at which they were collected.
 */
export class FieldPools {
  readonly #ends: Pick<FieldPlan, 'assetIn' | 'assetOut' | 'native'>;
  readonly #pairs: readonly (readonly PairPool[])[];
  /** By place. */
  readonly #all: readonly GraphPool[];

  constructor(graph: PoolGraph, { tokenIn, tokenOut, hopCountMax = HOP_COUNT_MAX }: FieldEnds) {
    const assetIn = graph.toAsset(tokenIn);
    const assetOut = graph.toAsset(tokenOut);
    if (assetIn === assetOut) throw new RangeError('a route needs two assets');
    const reach = { assetIn, assetOut, hopCountMax };
    this.#ends = { assetIn, assetOut, native: graph.native };
    const all: GraphPool[] = [];
    this.#pairs = listPairs(graph, reach).map((pair) => listPairPools(graph, pair, all));
    this.#all = all;
  }

  /** A field for each choice of pools, null being all of them. */
  plan(limits: FieldLimits, choices: readonly (TakePool | null)[]): FieldPlan[] {
    const { poolCountMax = POOL_COUNT_MAX } = limits;
    const ways = this.#all.map((pool) => findWays(pool, limits));
    return choices.map((isTaken) => {
      const pairs = this.#pairs.map((pools) =>
        pools.filter(({ pool, place }) => ways[place] !== 0 && (isTaken?.(pool) ?? true)),
      );
      const taken = takeDeepest(pairs, poolCountMax);
      taken.sort((x, y) => (x.pool.pool < y.pool.pool ? -1 : 1));
      const pools = taken.map(({ pool, place }) => ({ pool, ways: ways[place] ?? 0 }));
      return { ...this.#ends, pools };
    });
  }
}

/** A pool as edges: one where it touches an end, both ways in the middle. */
function buildEdges({ assetIn, assetOut, native, pools }: FieldPlan) {
  const nodes = new Map<Address, number>([
    [assetIn, NODE_IN],
    [assetOut, NODE_OUT],
  ]);
  const numberNode = (asset: Address): number => {
    const known = nodes.get(asset);
    if (known !== undefined) return known;
    nodes.set(asset, nodes.size);
    return nodes.size - 1;
  };
  const edges: RouteEdge[] = [];
  for (const { pool, ways } of pools) {
    const node0 = numberNode(toAsset(pool.token0, native));
    const node1 = numberNode(toAsset(pool.token1, native));
    for (const zeroForOne of [true, false]) {
      const [from, to] = zeroForOne ? [node0, node1] : [node1, node0];
      if (from === NODE_OUT || to === NODE_IN || !isOpen(ways, zeroForOne)) continue;
      const curve = findCurve(pool.curve, zeroForOne);
      edges.push({ index: edges.length, pool, zeroForOne, from, to, curve });
    }
  }
  return { edges, nodeCount: nodes.size };
}

function buildLanes(edges: readonly RouteEdge[], nodeCount: number): RouteLane[] {
  const grouped = Map.groupBy(edges, ({ from, to }) => from * nodeCount + to);
  return Array.from(grouped, ([key, group], index): RouteLane => {
    const curve = mergeCurves(group.map((edge) => edge.curve));
    return { index, from: Math.floor(key / nodeCount), to: key % nodeCount, edges: group, curve };
  });
}

function groupByStart<Step extends { readonly from: number }>(
  steps: readonly Step[],
  nodeCount: number,
): Step[][] {
  const leaving: Step[][] = Array.from({ length: nodeCount }, () => []);
  for (const step of steps) leaving[step.from]?.push(step);
  return leaving;
}

function buildField(edges: readonly RouteEdge[], nodeCount: number): RouteField {
  const lanes = buildLanes(edges, nodeCount);
  return {
    nodeCount,
    edges,
    leaving: groupByStart(edges, nodeCount),
    lanes,
    lanesLeaving: groupByStart(lanes, nodeCount),
  };
}

/** The field with only some of its edges, whose curves may have been cut. */
export function restrictField(field: RouteField, edges: readonly RouteEdge[]): RouteField {
  return buildField(
    edges.map((edge, index) => ({ ...edge, index })),
    field.nodeCount,
  );
}

export function createField(plan: FieldPlan): RouteField {
  const { edges, nodeCount } = buildEdges(plan);
  return buildField(edges, nodeCount);
}
