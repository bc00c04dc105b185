// From flows between assets to routes through single pools.
//
// Pools side by side share a lane's flow so that all of them end at one price. Each route takes one
// pool of every lane on its way and as much as the fullest of them has left, so that there are
// hardly more routes than pools. An asset is the same wherever it came from, so what counts at each
// asset is how much arrives and how much leaves; at its average rate each pool then gets just what
// the division meant for it.

import type { RouteEdge, RouteField, RouteLane } from './route-field.ts';
import type { RouteFlow } from './route-flow.ts';
import type { RoutePath } from './route-simulate.ts';

/** A route and its part of the input. */
export interface PathFlow {
  readonly path: RoutePath;
  readonly flow: number;
}

/** Less than this part of a flow is a rest of rounding. */
const REST_MAX = 1e-7;

/** Inputs that differ by more from what was meant for their pool are not believed. */
const FLAT_FACTOR = 1.2;

/** A route with what is meant to go in at its start and into its last pool. */
interface Route {
  readonly steps: readonly RouteEdge[];
  input: number;
  lastIn: number;
}

class PoolShares {
  /** By edge: the input that is meant for it, what is left of that, and its average rate. */
  readonly meant: Float64Array;
  readonly #left: Float64Array;
  readonly #rates: Float64Array;

  constructor(field: RouteField, flow: RouteFlow) {
    this.meant = new Float64Array(field.edges.length);
    this.#left = new Float64Array(field.edges.length);
    this.#rates = new Float64Array(field.edges.length);
    for (const { index, curve, edges } of field.lanes) {
      const amount = flow.flows[index] ?? 0;
      if (amount <= 0) continue;
      const price = curve.toPrice(amount);
      for (const edge of edges) {
        const meant = edge.curve.toIn(price);
        this.meant[edge.index] = meant;
        this.#left[edge.index] = meant;
        this.#rates[edge.index] = meant > 0 ? edge.curve.toOut(meant) / meant : 0;
      }
    }
  }

  /** The pool of a lane with the most left to take. */
  pick(lane: RouteLane): RouteEdge {
    let best = lane.edges[0];
    if (best === undefined) throw new Error('a lane has no pools');
    for (const edge of lane.edges) {
      if ((this.#left[edge.index] ?? 0) > (this.#left[best.index] ?? 0)) best = edge;
    }
    return best;
  }

  /**
   * The most that the first pool may pay so that no pool on the way gets more than was meant. Where
   * all pools of a later lane are used up, what comes there is a rest of rounding and may pass.
   */
  toFirstOutMax(steps: readonly RouteEdge[], wanted: number): number {
    let most = wanted;
    // What comes to a step for each unit that leaves the first one.
    let arriving = 0;
    for (const { index } of steps) {
      const left = this.#left[index] ?? 0;
      const rate = this.#rates[index] ?? 0;
      if (arriving === 0) most = Math.min(most, left * rate);
      else if (left > (this.meant[index] ?? 0) * REST_MAX) most = Math.min(most, left / arriving);
      arriving = arriving === 0 ? 1 : arriving * rate;
    }
    return most;
  }

  /** What must go in for the first pool to pay so much, at its average rate. */
  toFirstIn(steps: readonly RouteEdge[], firstOut: number): number {
    return firstOut / (this.#rates[steps[0]?.index ?? -1] ?? 0);
  }

  take(steps: readonly RouteEdge[], firstOut: number): Route {
    const input = this.toFirstIn(steps, firstOut);
    let amount = input;
    let lastIn = input;
    for (const { index } of steps) {
      this.#left[index] = Math.max(0, (this.#left[index] ?? 0) - amount);
      lastIn = amount;
      amount *= this.#rates[index] ?? 0;
    }
    return { steps, input, lastIn };
  }
}

/** A row of lanes with what is still to be taken of it, at the end of its first lane. */
interface OpenRow {
  readonly lanes: readonly RouteLane[];
  readonly wanted: number;
  rest: number;
}

/** A leg that could be taken next. */
interface NextLeg {
  readonly open: OpenRow;
  readonly steps: readonly RouteEdge[];
  readonly firstOut: number;
  readonly input: number;
}

/** The largest leg that is left in any row; rows in which none is left are dropped. */
function findLargest(shares: PoolShares, rows: Set<OpenRow>): NextLeg | null {
  let largest: NextLeg | null = null;
  for (const open of rows) {
    const steps = open.lanes.map((lane) => shares.pick(lane));
    const firstOut = shares.toFirstOutMax(steps, open.rest);
    if (firstOut <= open.wanted * REST_MAX) {
      rows.delete(open);
      continue;
    }
    const input = shares.toFirstIn(steps, firstOut);
    if (largest === null || input > largest.input) largest = { open, steps, firstOut, input };
  }
  return largest;
}

/**
 * Takes the largest leg first, so that most of the input is in few legs and the rest can be left
 * out where there is no room for it. Each turn uses up a pool or a row.
 */
function collectRoutes(shares: PoolShares, field: RouteField, flow: RouteFlow): Route[] {
  const routes = new Map<string, Route>();
  const rows = new Set<OpenRow>();
  for (const { row, firstOut } of flow.toUsed()) {
    rows.add({ lanes: row.lanes, wanted: firstOut, rest: firstOut });
  }
  const turnCountMax = field.edges.length + rows.size;
  for (let turn = 0; turn <= turnCountMax; turn += 1) {
    const next = findLargest(shares, rows);
    if (next === null) break;
    const { open, steps, firstOut } = next;
    const route = shares.take(steps, firstOut);
    open.rest -= firstOut;
    const key = steps.map((edge) => edge.index).join('.');
    const known = routes.get(key);
    if (known === undefined) {
      routes.set(key, route);
    } else {
      known.input += route.input;
      known.lastIn += route.lastIn;
    }
  }
  const keyed = [...routes].sort(([a, x], [b, y]) => y.input - x.input || (a < b ? -1 : 1));
  return keyed.map(([, route]) => route);
}

/**
 * What must go in for each route so that its last pool gets what was meant for it. Of routes that
 * share a pool the earlier gets the better price there, so it needs less than on average.
 */
function toInputs(field: RouteField, routes: readonly Route[]): number[] {
  const paid = new Float64Array(field.edges.length);
  return routes.map(({ steps, input, lastIn }) => {
    let amount = lastIn;
    for (const { index, curve } of steps.slice(0, -1).toReversed()) {
      const before = paid[index] ?? 0;
      paid[index] = before + amount;
      amount = curve.toInFor(before + amount) - curve.toInFor(before);
    }
    return Number.isFinite(amount) && amount > 0 ? amount : input;
  });
}

/** The division over single pools, most first, to be executed in this order. */
export function toPathFlows(field: RouteField, flow: RouteFlow): PathFlow[] {
  const shares = new PoolShares(field, flow);
  const routes = collectRoutes(shares, field, flow);
  const inputs = toInputs(field, routes);
  const totals = new Float64Array(field.edges.length);
  const toFirst = ({ steps }: Route) => steps[0]?.index ?? -1;
  for (const [index, route] of routes.entries()) {
    totals[toFirst(route)] = (totals[toFirst(route)] ?? 0) + (inputs[index] ?? 0);
  }
  return routes.map((route, index) => {
    const factor = (shares.meant[toFirst(route)] ?? 0) / (totals[toFirst(route)] ?? 1);
    // Where a pool is nearly emptied its curve is too flat to say what went in.
    const isFlat = factor > FLAT_FACTOR || factor < 1 / FLAT_FACTOR;
    return { path: route.steps, flow: (inputs[index] ?? 0) * (isFlat ? factor : 1) };
  });
}
