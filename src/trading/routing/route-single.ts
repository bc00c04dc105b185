// The best route that takes the whole input, exact.
//
// More of an asset always buys at least as much of the next, so of all paths to an asset with the
// same number of hops only the one that brings most is continued. The curves select the paths to
// compute exactly: they hardly ever pay less than the pools, and then by a millionth at most.

import type { GraphPool } from '../graph/pool-graph-pool.ts';
import {
  NODE_IN,
  NODE_OUT,
  type RouteEdge,
  type RouteField,
  type RoutePath,
} from './route-field.ts';
import { type SearchWork, SWAP_EVALUATIONS } from './search-work.ts';

/** What to subtract from a route's output, such as its network cost; in units of the output. */
export type RouteCost = (path: readonly { readonly pool: GraphPool }[]) => bigint;

interface SingleRoute {
  readonly path: RoutePath;
  readonly amountOut: bigint;
}

/** An asset reached with an amount. */
interface Label {
  readonly amount: bigint;
  readonly edge: RouteEdge | null;
  readonly before: Label | null;
}

/** A step that may be worth taking, with the output of its curve. */
interface StepCandidate {
  readonly from: Arrivals;
  readonly edge: RouteEdge;
  readonly about: number;
}

/** More than the curves' own error. */
const ABOUT_MARGIN = 1 + 2e-6;

/** Whether the way to a label has already changed the pool of this edge, through another row. */
function isChanged(label: Label, { pool }: RouteEdge): boolean {
  if (pool.shared === undefined) return false;
  for (let at: Label | null = label; at !== null; at = at.before) {
    if (at.edge?.pool.shared === pool.shared) return true;
  }
  return false;
}

/** How many smaller arrivals are tried if a pool cannot take the largest. */
const LESSER_COUNT_MAX = 8;

function byAmount(a: Label, b: Label): number {
  return a.amount > b.amount ? -1 : a.amount < b.amount ? 1 : 0;
}

/** All paths to one asset with the same number of hops, computed exactly only as far as needed. */
class Arrivals {
  readonly #candidates: StepCandidate[] = [];
  readonly #labels: Label[] = [];
  readonly #work: SearchWork;
  #next = 0;

  constructor(work: SearchWork) {
    this.#work = work;
  }

  static start(amountIn: bigint, work: SearchWork): Arrivals {
    const arrivals = new Arrivals(work);
    arrivals.#labels.push({ amount: amountIn, edge: null, before: null });
    return arrivals;
  }

  add(candidate: StepCandidate): void {
    this.#work.add(1);
    this.#candidates.push(candidate);
  }

  /** Computes all that may be the best net of cost; sorts the labels by amount, largest first. */
  settle(priceLabel: (label: Label) => bigint): readonly Label[] {
    this.#candidates.sort((a, b) => b.about - a.about);
    let best = -1;
    while (this.#next < this.#candidates.length) {
      const about = this.#candidates[this.#next]?.about ?? 0;
      if (about * ABOUT_MARGIN < best) break;
      const label = this.#reckonNext();
      if (label !== null) best = Math.max(best, Number(label.amount - priceLabel(label)));
    }
    return this.#labels.sort(byAmount);
  }

  get best(): Label | undefined {
    return this.#labels[0];
  }

  /** Takes the largest amount that the edge's pool can take completely. */
  take(edge: RouteEdge): Label | null {
    for (let i = 0; i < LESSER_COUNT_MAX; i += 1) {
      const label = this.#labels[i] ?? this.#reckonNext();
      if (label === null || label === undefined) return null;
      if (isChanged(label, edge)) continue;
      this.#work.add(SWAP_EVALUATIONS);
      const swap = edge.pool.curve.swapIn(edge.zeroForOne, label.amount);
      if (swap.isFilled) {
        return swap.amountOut === 0n ? null : { amount: swap.amountOut, edge, before: label };
      }
    }
    return null;
  }

  /** Null if the next candidate fails or there is none. */
  #reckonNext(): Label | null {
    const candidate = this.#candidates[this.#next];
    if (candidate === undefined) return null;
    this.#next += 1;
    const label = candidate.from.take(candidate.edge);
    if (label !== null) this.#labels.push(label);
    return label;
  }
}

/** No cost. */
export const FREE: RouteCost = () => 0n;

/** Collects the steps from every reached node to those that `isWanted` picks. */
function* findSteps(
  field: RouteField,
  reached: readonly (Arrivals | null)[],
  isWanted: (edge: RouteEdge) => boolean,
): Generator<StepCandidate> {
  for (const [node, from] of reached.entries()) {
    const best = from?.best;
    if (from === null || best === undefined) continue;
    const amount = Number(best.amount);
    for (const edge of field.leaving[node] ?? []) {
      if (isWanted(edge)) yield { from, edge, about: edge.curve.computeOut(amount) };
    }
  }
}

function advance(
  field: RouteField,
  reached: readonly (Arrivals | null)[],
  work: SearchWork,
): (Arrivals | null)[] {
  const next: (Arrivals | null)[] = new Array(field.nodeCount).fill(null);
  for (const candidate of findSteps(field, reached, ({ to }) => to !== NODE_OUT)) {
    const { to } = candidate.edge;
    const arrivals = next[to] ?? new Arrivals(work);
    arrivals.add(candidate);
    next[to] = arrivals;
  }
  for (const arrivals of next) arrivals?.settle(() => 0n);
  return next;
}

function tracePath(label: Label): RoutePath {
  const path: RouteEdge[] = [];
  for (let at: Label | null = label; at !== null && at.edge !== null; at = at.before) {
    path.unshift(at.edge);
  }
  return path;
}

/** Null if no single route takes the whole input and fits. Of equal ones the shortest. */
export function findBestSingle(
  field: RouteField,
  search: {
    readonly amountIn: bigint;
    readonly hopCountMax: number;
    readonly cost: RouteCost;
    readonly work: SearchWork;
    /** Whether a transaction is long enough for a path; absent if any is. */
    readonly hasBytesFor?: ((path: RoutePath) => boolean) | undefined;
  },
): SingleRoute | null {
  const { work, hasBytesFor: fits = () => true } = search;
  const last = new Arrivals(work);
  let reached: (Arrivals | null)[] = new Array(field.nodeCount).fill(null);
  reached[NODE_IN] = Arrivals.start(search.amountIn, work);
  for (let hop = 1; hop <= search.hopCountMax; hop += 1) {
    if (hop > 1) reached = advance(field, reached, work);
    for (const candidate of findSteps(field, reached, ({ to }) => to === NODE_OUT)) {
      last.add(candidate);
    }
  }
  let best: (SingleRoute & { readonly net: bigint }) | null = null;
  const priceLabel = (label: Label) => {
    const path = tracePath(label);
    return fits(path) ? search.cost(path) : label.amount;
  };
  for (const label of last.settle(priceLabel)) {
    const path = tracePath(label);
    if (!fits(path)) continue;
    const net = label.amount - search.cost(path);
    const isBetter =
      best === null || net > best.net || (net === best.net && path.length < best.path.length);
    if (isBetter) best = { path, amountOut: label.amount, net };
  }
  return best;
}
