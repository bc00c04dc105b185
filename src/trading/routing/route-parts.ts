// What a division gives to each pool, and the value of each pool.
//
// In the best division each intermediate asset has a price: what one unit of it buys at the end. A
// pool gains what it pays at the price of what it sells minus what it takes at the price of what it
// buys. Dropping the pool loses at least that, and hardly more if the pool is small. An asset
// bought directly with the input may pass one more pool than one that came through an intermediate
// pool: the two have separate prices.
//
// If the liquidity of a lane ends exactly where the division has brought it, the rate of its last
// unit and that of the next differ a lot, and so do the prices of its two assets. We use the lowest
// prices at which nothing would be sent elsewhere: the pool is what is scarce.

import { findStage, NODE_IN, NODE_OUT, type RouteField, type RouteLane } from './route-field.ts';
import type { RouteFlow } from './route-flow.ts';
import type { PoolShare } from './route-swaps.ts';

export interface PoolPart extends PoolShare {
  /** In units of the output. */
  readonly gain: number;
  /** The value of one unit of its output, and the rate at which it would gain nothing. */
  readonly worth: number;
  readonly fair: number;
}

/** What a pool would gain at the same prices with this input. */
export function computeGainAt(
  { edge, worth, fair }: Omit<PoolPart, 'gain'>,
  amountIn: number,
): number {
  return Math.max(0, worth * (edge.curve.computeOut(amountIn) - fair * amountIn));
}

/**
 * Rates are read this share of a flow ahead and behind, because liquidity may end exactly there.
 */
const LOOK_SHARE = 1e-4;

class NodePrices {
  /** By lane: what the next unit would pay, and what the last one paid. */
  readonly #ups: Float64Array;
  readonly #downs: Float64Array;
  /** By node: of amounts that may pass one more pool before the last, and of those that may not. */
  readonly #fresh: Float64Array;
  readonly #late: Float64Array;
  #input = 0;

  constructor(field: RouteField, flow: RouteFlow, hopCountMax: number) {
    const lanes = field.lanes.filter((lane) => hopCountMax > 2 || findStage(lane) !== 1);
    this.#ups = new Float64Array(field.lanes.length);
    this.#downs = new Float64Array(field.lanes.length);
    this.#fresh = new Float64Array(field.nodeCount);
    this.#late = new Float64Array(field.nodeCount);
    this.#readSlopes(lanes, flow);
    this.#ask(lanes);
    this.#offer(lanes.filter(({ index }) => (flow.flows[index] ?? 0) > 0));
  }

  computeTerms(lane: RouteLane): { readonly worth: number; readonly fair: number } {
    const worth = this.#priceBought(lane);
    const rate = this.#priceSold(lane) / worth;
    // Uses the lane's own rate, because the difference of two prices is less precise than a gain.
    const fair = Math.min(Math.max(rate, this.#findUp(lane)), this.#downs[lane.index] ?? 0);
    return { worth, fair };
  }

  #readSlopes(lanes: readonly RouteLane[], flow: RouteFlow): void {
    const point = { out: 0, slope: 0, bend: 0 };
    for (const { index, curve } of lanes) {
      const amount = flow.flows[index] ?? 0;
      curve.read(amount * (1 + LOOK_SHARE), point);
      this.#ups[index] = point.slope;
      curve.read(amount * (1 - LOOK_SHARE), point);
      this.#downs[index] = point.slope;
    }
  }

  /** From the output back: no asset is worth less than what its next unit would buy. */
  #ask(lanes: readonly RouteLane[]): void {
    for (const lane of lanes) {
      if (lane.to === NODE_OUT && lane.from !== NODE_IN)
        raise(this.#late, lane.from, this.#findUp(lane));
    }
    this.#fresh.set(this.#late);
    for (const lane of lanes) {
      if (findStage(lane) === 1)
        raise(this.#fresh, lane.from, this.#findUp(lane) * this.#priceBought(lane));
    }
    for (const lane of lanes) {
      if (findStage(lane) !== 0) continue;
      this.#input = Math.max(this.#input, this.#findUp(lane) * this.#priceBought(lane));
    }
  }

  /** From the input on: no asset is worth less than was paid for its last unit. */
  #offer(used: readonly RouteLane[]): void {
    for (const stage of [0, 1]) {
      for (const lane of used) {
        if (findStage(lane) !== stage || lane.to === NODE_OUT) continue;
        const price = this.#priceSold(lane) / (this.#downs[lane.index] ?? 0);
        raise(stage === 0 ? this.#fresh : this.#late, lane.to, price);
      }
    }
  }

  #findUp({ index }: RouteLane): number {
    return this.#ups[index] ?? 0;
  }

  #priceBought({ from, to }: RouteLane): number {
    if (to === NODE_OUT) return 1;
    return (from === NODE_IN ? this.#fresh : this.#late)[to] ?? 0;
  }

  #priceSold({ from, to }: RouteLane): number {
    if (from === NODE_IN) return this.#input;
    return (to === NODE_OUT ? this.#late : this.#fresh)[from] ?? 0;
  }
}

function raise(prices: Float64Array, node: number, price: number): void {
  if (price > (prices[node] ?? 0) && Number.isFinite(price)) prices[node] = price;
}

/**
 * Using one pool in both directions is never best, but fees below the search tolerance can leave
 * it: the circular part is cancelled.
 */
function cancel(there: PoolPart, back: PoolPart): PoolPart {
  const paid = there.edge.curve.computeOut(there.flow);
  if (paid <= back.flow) return { ...back, flow: back.flow - paid };
  return { ...there, flow: Math.min(there.flow, there.edge.curve.computeInFor(paid - back.flow)) };
}

/** Parallel pools share the flow of their lane so that all end at one price. */
export function buildPoolParts(
  field: RouteField,
  flow: RouteFlow,
  hopCountMax: number,
): PoolPart[] {
  const prices = new NodePrices(field, flow, hopCountMax);
  const parts = new Map<string, PoolPart>();
  for (const lane of field.lanes) {
    const amount = flow.flows[lane.index] ?? 0;
    if (amount <= 0) continue;
    const price = lane.curve.computePrice(amount);
    const terms = prices.computeTerms(lane);
    for (const edge of lane.edges) {
      const into = lane.edges.length === 1 ? amount : edge.curve.computeInAt(price);
      // Also false if a pool is empty and its price is NaN.
      if (!(into > 0)) continue;
      const bare = { edge, flow: into, ...terms };
      const part = { ...bare, gain: computeGainAt(bare, into) };
      const known = parts.get(edge.pool.pool);
      parts.set(edge.pool.pool, known === undefined ? part : cancel(known, part));
    }
  }
  return [...parts.values()];
}
