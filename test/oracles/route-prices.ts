// Searches prices of the intermediate assets at which the pools' best trades balance: one after the
// other, each where supply meets demand, and all at once.
//
// Routes have at most three hops: an asset bought directly with the input may pass one more pool
// before the last, one that came through a middle pool may not. The two have separate prices, of
// which the second is not above the first.

import type { GraphPool } from '../../src/trading/graph/pool-graph-pool.ts';
import { findCurve, type RouteCurve } from '../../src/trading/routing/route-curve.ts';

interface Price {
  at: number;
}

/** A pool in one direction, between two prices. */
export interface BoundEdge {
  readonly pool: GraphPool;
  readonly zeroForOne: boolean;
  readonly curve: RouteCurve;
  readonly paid: Price;
  readonly bought: Price;
  /** Whether it takes a part of the input. */
  readonly isFirst: boolean;
}

/** The name of a pool in one direction. */
export function nameEdge({ pool, zeroForOne }: Pick<BoundEdge, 'pool' | 'zeroForOne'>): string {
  return `${pool.pool} ${zeroForOne}`;
}

/** An intermediate asset. */
interface Middle {
  /** After the first hop. */
  readonly fresh: Price;
  /** Before the last hop. */
  readonly late: Price;
  readonly intoFresh: BoundEdge[];
  readonly outOfFresh: BoundEdge[];
  readonly intoLate: BoundEdge[];
  readonly outOfLate: BoundEdge[];
}

export interface Ends {
  readonly from: string;
  readonly to: string;
}

interface Step extends Ends {
  readonly pool: GraphPool;
  readonly zeroForOne: boolean;
}

const SWEEP_COUNT_MAX = 1000;
const SWEEPS_APIECE = 5;
/** If this many sweeps gain less than this, it is enough. */
const GAIN_MIN = 1e-7;
const HALVING_COUNT = 50;
/** Prices are searched within this factor of their current value. */
const FACTOR = 1e9;

export function computeFlowIn({ curve, paid, bought }: BoundEdge): number {
  return curve.computeInAt(Math.sqrt(bought.at / paid.at));
}

function sumIn(edges: readonly BoundEdge[]): number {
  return edges.reduce((sum, edge) => sum + computeFlowIn(edge), 0);
}

function sumOut(edges: readonly BoundEdge[]): number {
  return edges.reduce((sum, edge) => sum + edge.curve.computeOut(computeFlowIn(edge)), 0);
}

/** The price at which `computeExcess`, which rises with it, is zero; `set` tries one. */
function findPrice(
  start: number,
  set: (price: number) => void,
  computeExcess: () => number,
): number {
  let [low, high] = [start / FACTOR, start * FACTOR];
  for (let turn = 0; turn < HALVING_COUNT; turn += 1) {
    const price = Math.sqrt(low * high);
    set(price);
    if (computeExcess() > 0) high = price;
    else low = price;
  }
  return Math.sqrt(low * high);
}

/** Whether what was bought with the input may go directly to the output. */
function isBoth({ intoFresh, outOfLate }: Middle): boolean {
  return intoFresh.length > 0 && outOfLate.length > 0;
}

export class PriceSearch {
  /** All edges; the search may be limited to some of them. */
  readonly all: BoundEdge[] = [];
  readonly edges: BoundEdge[] = [];
  readonly input: Price = { at: 0 };
  readonly #amountIn: number;
  readonly #leaving: BoundEdge[] = [];
  readonly #middles = new Map<string, Middle>();
  readonly #output: Price = { at: 1 };
  readonly #kept: ReadonlySet<string> | null;

  constructor(
    pools: readonly GraphPool[],
    ends: Ends,
    search: { readonly amountIn: number; readonly kept: ReadonlySet<string> | null },
  ) {
    this.#amountIn = search.amountIn;
    this.#kept = search.kept;
    const isNextTo = (end: string) => {
      const next = pools.filter(({ token0, token1 }) => token0 === end || token1 === end);
      return new Set(next.flatMap(({ token0, token1 }) => [token0, token1]));
    };
    const [nextToInput, nextToOutput] = [isNextTo(ends.from), isNextTo(ends.to)];
    for (const pool of pools) {
      for (const zeroForOne of [true, false]) {
        const [from, to] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
        if (to === ends.from || from === ends.to) continue;
        // Edges on no route of three hops are left out.
        const isMiddle = from !== ends.from && to !== ends.to;
        if (isMiddle && !(nextToInput.has(from) && nextToOutput.has(to))) continue;
        this.#add({ pool, zeroForOne, from, to }, ends);
      }
    }
    this.#guess();
  }

  get #prices(): Price[] {
    const middles = [...this.#middles.values()];
    return [this.input, ...middles.flatMap(({ fresh, late }) => [fresh, late])];
  }

  #openMiddle(asset: string): Middle {
    const known = this.#middles.get(asset);
    if (known !== undefined) return known;
    const created: Middle = {
      ...{ fresh: { at: 0 }, late: { at: 0 } },
      ...{ intoFresh: [], outOfFresh: [], intoLate: [], outOfLate: [] },
    };
    this.#middles.set(asset, created);
    return created;
  }

  #add({ pool, zeroForOne, from, to }: Step, ends: Ends): void {
    const curve = findCurve(pool.curve, zeroForOne);
    const source = from === ends.from ? null : this.#openMiddle(from);
    const target = to === ends.to ? null : this.#openMiddle(to);
    const paid = source === null ? this.input : target === null ? source.late : source.fresh;
    const bought = target === null ? this.#output : source === null ? target.fresh : target.late;
    const edge = { pool, zeroForOne, curve, paid, bought, isFirst: source === null };
    this.all.push(edge);
    if (this.#kept !== null && !this.#kept.has(nameEdge(edge))) return;
    this.edges.push(edge);
    if (source === null) this.#leaving.push(edge);
    else (target === null ? source.outOfLate : source.outOfFresh).push(edge);
    if (target !== null) (source === null ? target.intoFresh : target.intoLate).push(edge);
  }

  /** The best rates of the untouched pools. */
  #guess(): void {
    const point = { out: 0, slope: 0, bend: 0 };
    const readRate = ({ curve }: BoundEdge) => {
      curve.read(0, point);
      return point.slope;
    };
    const best = (edges: readonly BoundEdge[]) =>
      edges.reduce((most, edge) => Math.max(most, readRate(edge) * edge.bought.at), 0);
    const middles = [...this.#middles.values()];
    for (const { late, outOfLate } of middles) late.at = best(outOfLate);
    for (const { fresh, late, outOfFresh } of middles) {
      fresh.at = Math.max(late.at, best(outOfFresh));
    }
    this.input.at = best(this.#leaving);
    // An asset that nothing is paid for must be almost free, but prices are above zero.
    const least = this.input.at * 1e-30 || 1e-300;
    for (const { fresh, late } of middles) {
      late.at = Math.max(late.at, least);
      fresh.at = Math.max(fresh.at, late.at);
    }
  }

  #settle(middle: Middle): void {
    const { fresh, late, intoFresh, outOfFresh, intoLate, outOfLate } = middle;
    const excessFresh = () => sumOut(intoFresh) - sumIn(outOfFresh);
    const excessLate = () => sumOut(intoLate) - sumIn(outOfLate);
    const setBoth = (price: number) => {
      fresh.at = price;
      late.at = price;
    };
    const hasBoth = isBoth(middle);
    if (hasBoth) setBoth(findPrice(fresh.at, setBoth, () => excessFresh() + excessLate()));
    // Fresh may be used as late, but not the reverse.
    if (hasBoth && excessLate() <= 0) return;
    const shared = fresh.at;
    if (intoFresh.length > 0 && outOfFresh.length > 0) {
      fresh.at = findPrice(shared, (price) => (fresh.at = price), excessFresh);
    }
    if (intoLate.length > 0 && outOfLate.length > 0) {
      late.at = findPrice(shared, (price) => (late.at = price), excessLate);
    }
    if (!hasBoth) return;
    fresh.at = Math.max(fresh.at, shared);
    late.at = Math.min(late.at, shared);
  }

  /** Scales all prices at once by one factor, because one after the other they converge slowly. */
  #scale(): void {
    const starts = this.#prices.map(({ at }) => at);
    const set = (factor: number) => {
      for (const [index, price] of this.#prices.entries()) {
        price.at = (starts[index] ?? 0) * factor;
      }
    };
    const computeExcess = () => {
      const value = this.edges.reduce((sum, edge) => {
        const amount = computeFlowIn(edge);
        const bought = edge.bought === this.#output ? 0 : edge.bought.at;
        return sum + bought * edge.curve.computeOut(amount) - edge.paid.at * amount;
      }, 0);
      return this.input.at * this.#amountIn + value;
    };
    set(findPrice(1, set, computeExcess));
  }

  run(): void {
    let starts = this.#prices.map(({ at }) => at);
    let before = Number.POSITIVE_INFINITY;
    for (let sweep = 1; sweep <= SWEEP_COUNT_MAX; sweep += 1) {
      const { input } = this;
      const computeExcess = () => this.#amountIn - sumIn(this.#leaving);
      input.at = findPrice(input.at, (price) => (input.at = price), computeExcess);
      for (const middle of this.#middles.values()) this.#settle(middle);
      this.#scale();
      if (sweep % SWEEPS_APIECE !== 0) continue;
      const now = this.#goOn(starts);
      if (now > before * (1 - GAIN_MIN)) return;
      before = now;
      starts = this.#prices.map(({ at }) => at);
    }
  }

  /** Continues in the direction of the last sweeps, as long as the bound falls. */
  #goOn(starts: readonly number[]): number {
    const ends = this.#prices.map(({ at }) => at);
    const set = (times: number) => {
      for (const [index, price] of this.#prices.entries()) {
        const [start, end] = [starts[index] ?? 1, ends[index] ?? 1];
        price.at = end * (end / start) ** times;
      }
    };
    let least = this.#computeBound();
    let best = 0;
    for (let times = 1; times <= 64; times *= 2) {
      set(times);
      const bound = this.#computeBound();
      // Also false if a price has become NaN.
      if (!(bound < least) || !this.#isAllowed()) break;
      least = bound;
      best = times;
    }
    set(best);
    return least;
  }

  #isAllowed(): boolean {
    return [...this.#middles.values()].every(
      (middle) => !isBoth(middle) || middle.fresh.at >= middle.late.at,
    );
  }

  #computeBound(): number {
    return this.edges.reduce((sum, edge) => {
      const amount = computeFlowIn(edge);
      return sum + edge.bought.at * edge.curve.computeOut(amount) - edge.paid.at * amount;
    }, this.input.at * this.#amountIn);
  }
}
