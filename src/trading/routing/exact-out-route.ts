// The cheapest route that pays a fixed output.
//
// A route is a few paths that share no pool, each executed by commands that are told what to pay.
// Where one command can do several hops, the pools themselves find out what the hop before has to
// pay. Otherwise the router buys a fixed amount of the token in between first, with a reserve in
// case prices move; what is left of it goes to the wallet.
//
// Routers that cannot combine paths take one. For a router that can only be told what to spend, the
// path is executed with the smallest input that pays the output.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { SwapOutcome } from '../../amm/swap-outcome.ts';
import type { OutputCall } from '../../chains/trade-router.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { BestRoute } from './route.ts';
import {
  type FieldPlan,
  HOP_COUNT_MAX,
  isOpen,
  NODE_IN,
  NODE_OUT,
  ONE_FOR_ZERO,
  type RouteEdge,
  type RouteField,
} from './route-field.ts';
import type { RouteCost } from './route-single.ts';
import type { RouteHop } from './route-swaps.ts';
import { type SearchWork, SWAP_EVALUATIONS } from './search-work.ts';
import type { RoutePath, RouteRoom } from './trade-cost.ts';
import type { TaxPlan } from './trade-plan.ts';

// Paths that pay a fixed output, found from the output back: of all ways to pay an amount of a
// token, the one that takes least of the token before.

const BPS = 10_000n;
/** More than the curves' own error. */
const ABOUT_MARGIN = 1 - 2e-6;

/** A hop, what it is asked for, and the swap that pays it. */
interface OutputStep {
  readonly edge: RouteEdge;
  readonly askedOut: bigint;
  readonly swap: SwapOutcome;
}

function findTokens({ pool, zeroForOne }: RouteEdge): readonly [Address, Address] {
  return zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
}

/** Whether one command does both hops. */
function areJoined(first: RouteEdge, next: RouteEdge): boolean {
  const isSameToken = findTokens(first)[1] === findTokens(next)[0];
  return isSameToken && first.pool.bytes.command === next.pool.bytes.command;
}

/** What a hop is asked for so that the next one has enough, also if its price moves. */
function addReserve(amount: bigint, reserveBps: number): bigint {
  return (amount * (BPS + BigInt(reserveBps)) + BPS - 1n) / BPS;
}

class OutputPath {
  readonly #edges: readonly RouteEdge[];

  constructor(edges: readonly RouteEdge[]) {
    this.#edges = edges;
  }

  get length(): number {
    return this.#edges.length;
  }

  get edges(): readonly RouteEdge[] {
    return this.#edges;
  }

  /** Whether the hop at this index and the one before are done by one command. */
  isJoined(index: number): boolean {
    const [before, edge] = [this.#edges[index - 1], this.#edges[index]];
    return before !== undefined && edge !== undefined && areJoined(before, edge);
  }

  /** In execution order; null if a pool cannot pay what it is asked for. */
  findSteps(amountOut: bigint, reserveBps: number): readonly OutputStep[] | null {
    const steps: OutputStep[] = [];
    let askedOut = amountOut;
    for (let index = this.#edges.length - 1; index >= 0; index -= 1) {
      const edge = this.#edges[index] as RouteEdge;
      const swap = edge.pool.curve.swapOut(edge.zeroForOne, askedOut);
      if (!swap.isFilled) return null;
      steps.unshift({ edge, askedOut, swap });
      askedOut = this.isJoined(index) ? swap.amountIn : addReserve(swap.amountIn, reserveBps);
    }
    return steps;
  }
}

/** A node that can be left with an amount, by the given edges. */
interface NeededAmount {
  readonly node: number;
  readonly amount: bigint;
  readonly edges: readonly RouteEdge[];
}

interface PathSearch {
  /** Whether a transaction is long enough for a path; absent if any is. */
  readonly hasBytesFor?: ((path: readonly RouteEdge[]) => boolean) | undefined;
  readonly reserveBps: number;
  readonly cost: RouteCost;
  readonly work: SearchWork;
}

/** The paths of a field, without those through pools that were excluded. */
export class OutputPaths {
  readonly #search: PathSearch;
  readonly #arriving: readonly (readonly RouteEdge[])[];
  readonly #excluded = new Set<PoolId>();

  constructor(field: RouteField, search: PathSearch) {
    this.#search = search;
    const arriving: RouteEdge[][] = Array.from({ length: field.nodeCount }, () => []);
    for (const edge of field.edges) arriving[edge.to]?.push(edge);
    this.#arriving = arriving;
  }

  get isUntouched(): boolean {
    return this.#excluded.size === 0;
  }

  exclude({ edges }: OutputPath): void {
    for (const { pool } of edges) this.#excluded.add(pool.pool);
  }

  /** Net of cost; null if no path can pay the output. */
  findCheapest(amountOut: bigint): OutputPath | null {
    let allNeeded: readonly NeededAmount[] = [{ node: NODE_OUT, amount: amountOut, edges: [] }];
    let best: { readonly edges: readonly RouteEdge[]; readonly net: bigint } | null = null;
    for (let hop = 1; hop <= HOP_COUNT_MAX; hop += 1) {
      const next = allNeeded.flatMap((needed) => [...this.#stepBack(needed)]);
      for (const { node, amount, edges } of next) {
        const { cost, hasBytesFor = () => true } = this.#search;
        const net = node === NODE_IN ? amount + cost(edges) : null;
        const isBetter = net !== null && (best === null || net < best.net);
        if (isBetter && hasBytesFor(edges)) best = { edges, net };
      }
      allNeeded = keepCheapest(next.filter(({ node }) => node !== NODE_IN));
    }
    return best && new OutputPath(best.edges);
  }

  /** The cheapest hop of each command from each node to a needed's. */
  *#stepBack(needed: NeededAmount): Generator<NeededAmount> {
    const [after] = needed.edges;
    const amountOf = (edge: RouteEdge) =>
      after === undefined || areJoined(edge, after)
        ? needed.amount
        : addReserve(needed.amount, this.#search.reserveBps);
    const isChanged = ({ shared }: RouteEdge['pool']) =>
      shared !== undefined && needed.edges.some((edge) => edge.pool.shared === shared);
    const isFree = ({ pool }: RouteEdge) => !this.#excluded.has(pool.pool) && !isChanged(pool);
    const edges = (this.#arriving[needed.node] ?? []).filter(isFree);
    for (const group of Map.groupBy(edges, nameGroup).values()) {
      const found = this.#findCheapestEdge(group, amountOf);
      if (found === null) continue;
      const { edge, amount } = found;
      yield { node: edge.from, amount, edges: [edge, ...needed.edges] };
    }
  }

  /** The curves say which pools need not be computed exactly. */
  #findCheapestEdge(edges: readonly RouteEdge[], amountOf: (edge: RouteEdge) => bigint) {
    const { work } = this.#search;
    const guesses = edges.map((edge) => {
      const askedOut = amountOf(edge);
      return { edge, askedOut, about: edge.curve.computeInFor(Number(askedOut)) };
    });
    work.add(guesses.length);
    const able = guesses.filter(({ about }) => Number.isFinite(about));
    able.sort((a, b) => a.about - b.about);
    let best: { readonly edge: RouteEdge; readonly amount: bigint } | null = null;
    for (const { edge, askedOut, about } of able) {
      if (best !== null && about * ABOUT_MARGIN > Number(best.amount)) break;
      work.add(SWAP_EVALUATIONS);
      const { isFilled, amountIn } = edge.pool.curve.swapOut(edge.zeroForOne, askedOut);
      if (isFilled && (best === null || amountIn < best.amount)) best = { edge, amount: amountIn };
    }
    return best;
  }
}

/** Hops of one command are compared: which one it is decides what a hop before costs. */
function nameGroup(edge: RouteEdge): string {
  return `${edge.from} ${edge.pool.bytes.command} ${findTokens(edge)[0]}`;
}

/** Of the allNeeded that are equal for the hops before them, the one that takes least. */
function keepCheapest(allNeeded: readonly NeededAmount[]): NeededAmount[] {
  const kept = new Map<string, NeededAmount>();
  for (const needed of allNeeded) {
    const [edge] = needed.edges;
    const name = edge === undefined ? '' : nameGroup(edge);
    const known = kept.get(name);
    if (known === undefined || needed.amount < known.amount) kept.set(name, needed);
  }
  return [...kept.values()];
}

// The pools over which a router can pay a given output, and by which of its calls.

interface OutputField {
  readonly field: FieldPlan;
  readonly call: OutputCall;
}

/** Without pools whose hooks may move others: a given output is paid by the last pool first. */
function dropHooked(field: FieldPlan): FieldPlan {
  return { ...field, pools: field.pools.filter(({ pool }) => pool.hook?.class !== 'after') };
}

/** The pools that can be told what to pay. */
function pickOutputPools(field: FieldPlan): FieldPlan {
  const pools = field.pools.flatMap((one) => {
    const { fixesOutput } = one.pool.bytes;
    if (fixesOutput === true) return [one];
    const isOneWay = fixesOutput === 'oneForZero' && isOpen(one.ways, false);
    return isOneWay ? [{ ...one, ways: ONE_FOR_ZERO }] : [];
  });
  return { ...field, pools };
}

/**
 * A router whose call takes pools of one kind has a field for each kind. A path through several
 * kinds is executed by its calls for a given input.
 */
export function listOutputFields(plan: Pick<TaxPlan, 'field' | 'router'>): OutputField[] {
  const call = plan.router?.outputCall ?? 'commands';
  const whole = dropHooked(plan.field);
  const able = pickOutputPools(whole);
  if (call === 'commands') return [{ field: able, call }];
  const byInput: OutputField = { field: whole, call: 'input' };
  if (call === 'input') return [byInput];
  const kinds = Map.groupBy(able.pools, ({ pool }) => pool.bytes.command).values();
  const fields = Array.from(kinds, (pools): OutputField => ({ field: { ...able, pools }, call }));
  const isWhole = fields[0]?.field.pools.length === whole.pools.length;
  return isWhole ? fields : [...fields, byInput];
}

interface ExactOutSearch {
  readonly amountOut: bigint;
  readonly reserveBps: number;
  readonly call: OutputCall;
  readonly room: RouteRoom | null;
  /** In units of the input. */
  readonly cost: RouteCost;
  readonly work: SearchWork;
}

const PATH_COUNT_MAX = 8;
/** Give up after this many further paths in a row that do not make the trade cheaper. */
const VAIN_MAX = 2;
/** The output is first divided in this many parts, then in smaller and smaller ones. */
const PART_COUNT = 32n;
const FINEST_PART_COUNT = 1n << 14n;
/** Further paths are compared by what they charge for a part of the output. */
const FURTHER_PARTS = [4n, 16n, 64n] as const;

/** What a path pays, and what that takes. */
interface PricedPath {
  readonly path: OutputPath;
  readonly amountOut: bigint;
  readonly amountIn: bigint;
}

/** Splits an output among paths so that they take as little as possible. */
class OutputSplit {
  readonly #paths: readonly OutputPath[];
  readonly #price: (path: OutputPath, amountOut: bigint) => bigint | null;
  readonly #outs: bigint[];
  readonly #ins: bigint[];

  constructor(
    paths: readonly OutputPath[],
    price: (path: OutputPath, amountOut: bigint) => bigint | null,
  ) {
    this.#paths = paths;
    this.#price = price;
    this.#outs = paths.map(() => 0n);
    this.#ins = paths.map(() => 0n);
  }

  /** False if the paths cannot pay it. */
  divide(amountOut: bigint): boolean {
    const part = amountOut / PART_COUNT || 1n;
    const first = amountOut - part * (amountOut / part - 1n);
    for (let left = amountOut, step = first; left > 0n; left -= step, step = part) {
      if (!this.#give(step)) return false;
    }
    if (this.#paths.length === 1) return true;
    const finest = amountOut / FINEST_PART_COUNT || 1n;
    for (let step = part / 2n; step >= finest; step /= 2n) this.#exchange(step);
    return true;
  }

  get parts(): PricedPath[] {
    const parts = this.#paths.map((path, index) => ({
      path,
      amountOut: this.#outs[index] ?? 0n,
      amountIn: this.#ins[index] ?? 0n,
    }));
    return parts.filter(({ amountOut }) => amountOut > 0n);
  }

  /** What a path takes more if it pays so much more; null if it cannot. */
  #priceMore(index: number, more: bigint): bigint | null {
    const path = this.#paths[index];
    const amountOut = (this.#outs[index] ?? 0n) + more;
    if (path === undefined || amountOut < 0n) return null;
    const amountIn = amountOut === 0n ? 0n : this.#price(path, amountOut);
    return amountIn === null ? null : amountIn - (this.#ins[index] ?? 0n);
  }

  #add(index: number, more: { readonly out: bigint; readonly in: bigint }): void {
    this.#outs[index] = (this.#outs[index] ?? 0n) + more.out;
    this.#ins[index] = (this.#ins[index] ?? 0n) + more.in;
  }

  /** Gives a part to the path that charges least for it. */
  #give(part: bigint): boolean {
    let best: { readonly index: number; readonly charge: bigint } | null = null;
    for (const index of this.#paths.keys()) {
      const charge = this.#priceMore(index, part);
      if (charge !== null && (best === null || charge < best.charge)) best = { index, charge };
    }
    if (best === null) return false;
    this.#add(best.index, { out: part, in: best.charge });
    return true;
  }

  /** Moves parts from path to path as long as that makes the trade cheaper. */
  #exchange(part: bigint): void {
    for (const from of this.#paths.keys()) {
      for (const to of this.#paths.keys()) {
        if (from === to) continue;
        const less = this.#priceMore(from, -part);
        const more = less === null ? null : this.#priceMore(to, part);
        if (less === null || more === null || less + more >= 0n) continue;
        this.#add(from, { out: -part, in: less });
        this.#add(to, { out: part, in: more });
      }
    }
  }
}

/** Whether a pool pays for what arrives, which may be a little more than it was asked for. */
function paysForArrivals({ pool }: RouteEdge, call: OutputCall): boolean {
  if (call === 'input' || call === 'exactPath') return call === 'input';
  return kindOf(pool).countsArrivals && pool.bytes.paysAsked !== true;
}

/** The hops of a path as they are executed. */
function executeHops(path: OutputPath, amountOut: bigint, search: ExactOutSearch): RouteHop[] {
  const { call, reserveBps } = search;
  const asked = path.findSteps(amountOut, reserveBps) ?? [];
  const hops: RouteHop[] = [];
  for (const [index, step] of asked.entries()) {
    const { pool, zeroForOne } = step.edge;
    const isNext = index > 0 && (call === 'input' || path.isJoined(index));
    const countsArrivals = paysForArrivals(step.edge, call);
    const paid = hops.at(-1)?.amountOut ?? 0n;
    const amountIn = isNext && countsArrivals ? paid : step.swap.amountIn;
    const swap = countsArrivals ? pool.curve.swapIn(zeroForOne, amountIn) : step.swap;
    hops.push({
      ...{ pool, zeroForOne, amountIn, amountOut: swap.amountOut, askedOut: step.askedOut },
      tokenIn: zeroForOne ? pool.token0 : pool.token1,
      tokenOut: zeroForOne ? pool.token1 : pool.token0,
      feeAmount: swap.feeAmount,
      ticksCrossed: swap.ticksCrossed,
    });
  }
  return hops;
}

function buildRoute(parts: readonly PricedPath[], search: ExactOutSearch): BestRoute {
  const swapPaths = parts.map(({ path, amountOut, amountIn }): RoutePath => {
    const hops = executeHops(path, amountOut, search);
    return { takes: 'input', amountIn, amountOut: hops.at(-1)?.amountOut ?? 0n, hops };
  });
  const legs = swapPaths.map(({ amountIn, amountOut, hops }) => ({ amountIn, amountOut, hops }));
  return {
    amountIn: swapPaths.reduce((sum, { amountIn }) => sum + amountIn, 0n),
    amountOut: swapPaths.reduce((sum, { amountOut }) => sum + amountOut, 0n),
    swapPaths,
    legs: legs.sort((a, b) => (a.amountIn > b.amountIn ? -1 : 1)),
    cost: swapPaths.reduce((sum, { hops }) => sum + search.cost(hops), 0n),
    exact: swapPaths.every(({ hops }) => hops.every(({ pool }) => pool.inexact === null)),
  };
}

/** The best path for the whole output or, if none can pay it, for a part of it. */
function findNextPath(paths: OutputPaths, { amountOut }: ExactOutSearch): OutputPath | null {
  const whole = paths.isUntouched ? [1n] : [];
  for (const parts of [...whole, ...FURTHER_PARTS]) {
    const path = paths.findCheapest(amountOut / parts || 1n);
    if (path !== null) return path;
  }
  return null;
}

/** Null if no route can pay the whole output. */
export function findExactOutRoute(field: RouteField, search: ExactOutSearch): BestRoute | null {
  const { amountOut, reserveBps, work, room, call } = search;
  const pathCountMax = call === 'commands' ? PATH_COUNT_MAX : 1;
  const paths = new OutputPaths(field, { ...search, hasBytesFor: room?.hasBytesFor });
  const price = (path: OutputPath, amount: bigint) => {
    work.add(SWAP_EVALUATIONS * path.length);
    return path.findSteps(amount, reserveBps)?.[0]?.swap.amountIn ?? null;
  };
  const taken: OutputPath[] = [];
  let best: BestRoute | null = null;
  for (let vain = 0; taken.length < pathCountMax && vain < VAIN_MAX; ) {
    const path = findNextPath(paths, search);
    if (path === null || (best !== null && work.isSpent)) break;
    taken.push(path);
    paths.exclude(path);
    const split = new OutputSplit(taken, price);
    if (!split.divide(amountOut)) continue;
    const route = buildRoute(split.parts, search);
    if ((room?.computeUsed(route.swapPaths) ?? 0) > 1) break;
    const isCheaper = best === null || route.amountIn + route.cost < best.amountIn + best.cost;
    if (isCheaper) [best, vain] = [route, 0];
    else vain += 1;
  }
  return best;
}
