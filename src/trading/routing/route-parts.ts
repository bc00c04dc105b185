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

import type { PoolId } from '../../model/ids.ts';
import { toAsset } from '../graph/pool-graph.ts';
import {
  type FieldPlan,
  findStage,
  isOpen,
  NODE_IN,
  NODE_OUT,
  type RouteField,
  type RouteLane,
} from './route-field.ts';
import type { RouteFlow } from './route-flow.ts';
import type { PoolShare, PoolSwap, RouteHop } from './route-swaps.ts';

// A quick upper bound on how much the market can take, without a search.
//
// An amount above the capacity of all pools that take the input cannot be traded.

/** Adds up what the pools that take the input have room for, until that is enough. */
function sumRoom({ assetIn, native, pools }: FieldPlan, enough: number): number {
  let room = 0;
  for (const { pool, ways } of pools) {
    for (const zeroForOne of [true, false]) {
      const token = zeroForOne ? pool.token0 : pool.token1;
      if (toAsset(token, native) !== assetIn || !isOpen(ways, zeroForOne)) continue;
      room += pool.curve.takesAtMost(zeroForOne, enough);
      if (room > enough) return room;
    }
  }
  return room;
}

/** False only if the pools that take the input cannot hold that much, however it is split. */
export function mayTake(plan: FieldPlan, amountIn: bigint): boolean {
  return sumRoom(plan, Number(amountIn)) >= Number(amountIn);
}

/** The maximum input; null if nothing can go in. */
export function computeAmountInMax(plan: FieldPlan): bigint | null {
  const room = sumRoom(plan, Number.MAX_VALUE);
  if (room === 0) return null;
  return BigInt(Math.floor(Math.min(room, 2 ** 256)));
}

// Shows executed swaps as routes from the input to the output.
//
// A pool is swapped in once for all routes through it; each route shows its part. What a pool pays
// is kept at the next asset as a parcel with its history of hops; the pools that spend the asset
// take parcels from there, and split the last one if they need less. All parts are whole units and
// add up, and each hop of a route begins with what the previous one paid.

/** One route with its part of the input. */
export interface RouteLeg {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly hops: readonly RouteHop[];
}

/** An amount with the hops that led to it. */
interface Parcel {
  readonly amount: bigint;
  readonly hops: readonly RouteHop[];
}

function cutHop(hop: RouteHop, amounts: { readonly in: bigint; readonly out: bigint }): RouteHop {
  if (amounts.in === hop.amountIn && amounts.out === hop.amountOut) return hop;
  const feeAmount = (hop.feeAmount * amounts.in) / hop.amountIn;
  return { ...hop, amountIn: amounts.in, amountOut: amounts.out, feeAmount };
}

/** Splits a parcel in two, with all its hops; null if a part would be zero. */
function cut({ amount, hops }: Parcel, wanted: bigint): readonly [Parcel, Parcel] | null {
  const taken: RouteHop[] = [];
  const left: RouteHop[] = [];
  let out = wanted;
  for (const hop of hops.toReversed()) {
    const amountIn = (hop.amountIn * out) / hop.amountOut;
    if (amountIn === 0n || amountIn === hop.amountIn) return null;
    taken.unshift(cutHop(hop, { in: amountIn, out }));
    left.unshift(cutHop(hop, { in: hop.amountIn - amountIn, out: hop.amountOut - out }));
    out = amountIn;
  }
  return [
    { amount: wanted, hops: taken },
    { amount: amount - wanted, hops: left },
  ];
}

/** Takes parcels of a total amount from those at an asset; null if that creates dust. */
function takeParcels(parcels: Parcel[], amount: bigint): Parcel[] | null {
  const taken: Parcel[] = [];
  for (let wanted = amount; wanted > 0n; ) {
    const next = parcels.shift();
    if (next === undefined) throw new Error('more of an asset was spent than had arrived');
    const [part, rest] = next.amount <= wanted ? [next] : (cut(next, wanted) ?? []);
    if (part === undefined) return null;
    if (rest !== undefined) parcels.unshift(rest);
    taken.push(part);
    wanted -= part.amount;
  }
  return taken;
}

/** Parcels after a swap: each gets its share of the output; null if that is zero. */
function passOn(parcels: readonly Parcel[], { hop }: PoolSwap): Parcel[] | null {
  const passed: Parcel[] = [];
  let [spent, paid] = [0n, 0n];
  for (const { amount, hops } of parcels) {
    spent += amount;
    const out = (hop.amountOut * spent) / hop.amountIn - paid;
    if (out === 0n) return null;
    paid += out;
    passed.push({ amount: out, hops: [...hops, cutHop(hop, { in: amount, out })] });
  }
  return passed;
}

/**
 * From swaps in execution order. Null if a route's part would be zero, as for dust that is split
 * among too many.
 */
export function buildLegs(swaps: readonly PoolSwap[]): RouteLeg[] | null {
  const lying = new Map<number, Parcel[]>();
  for (const swap of swaps) {
    const { from, to } = swap.edge;
    const { amountIn } = swap.hop;
    const parcels =
      from === NODE_IN
        ? [{ amount: amountIn, hops: [] }]
        : takeParcels(lying.get(from) ?? [], amountIn);
    const arrived = parcels && passOn(parcels, swap);
    if (arrived === null) return null;
    const known = lying.get(to);
    if (known === undefined) lying.set(to, arrived);
    else known.push(...arrived);
  }
  const legs = (lying.get(NODE_OUT) ?? []).map(({ amount, hops }) => ({
    amountIn: hops[0]?.amountIn ?? 0n,
    amountOut: amount,
    hops,
  }));
  return legs.sort((a, b) => (a.amountIn > b.amountIn ? -1 : 1));
}

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

// Which pools must be dropped together: without a pool, others get no input or lead nowhere.

/** Parts that must be dropped together, with the loss and the saving. */
export interface PoolGroup {
  /** The pool whose removal drops the others. */
  readonly pool: PoolId;
  readonly parts: ReadonlySet<PoolPart>;
  readonly gain: number;
  readonly size: number;
}

interface Crossing {
  readonly arriving: PoolPart[];
  readonly departing: PoolPart[];
}

function findCrossings(parts: readonly PoolPart[]): Map<number, Crossing> {
  const crossings = new Map<number, Crossing>();
  const at = (node: number): Crossing => {
    const known = crossings.get(node) ?? { arriving: [], departing: [] };
    crossings.set(node, known);
    return known;
  };
  for (const part of parts) {
    if (part.edge.to !== NODE_OUT) at(part.edge.to).arriving.push(part);
    if (part.edge.from !== NODE_IN) at(part.edge.from).departing.push(part);
  }
  return crossings;
}

/** Dropping a pool also drops those that get no input without it, and those that lead nowhere. */
function spreadFrom(part: PoolPart, crossings: ReadonlyMap<number, Crossing>): Set<PoolPart> {
  const gone = new Set([part]);
  // Iterating over a set includes elements added meanwhile.
  for (const { edge } of gone) {
    for (const node of [edge.from, edge.to]) {
      const crossing = crossings.get(node);
      if (crossing === undefined) continue;
      const { arriving, departing } = crossing;
      if (arriving.every((one) => gone.has(one))) for (const one of departing) gone.add(one);
      if (departing.every((one) => gone.has(one))) for (const one of arriving) gone.add(one);
    }
  }
  return gone;
}

/** By pool: what is dropped with it. The smallest gain for its size comes first. */
export function buildGroups(
  parts: readonly PoolPart[],
  measure: (part: PoolPart) => number,
): PoolGroup[] {
  const crossings = findCrossings(parts);
  const groups = parts.map((part) => {
    const gone = spreadFrom(part, crossings);
    let [gain, size] = [0, 0];
    for (const one of gone) {
      gain += one.gain;
      size += measure(one);
    }
    return { pool: part.edge.pool.pool, parts: gone, gain, size };
  });
  // A pool whose removal drops all others must stay.
  const some = groups.filter((group) => group.parts.size < parts.length);
  return some.sort((a, b) => a.gain * b.size - b.gain * a.size);
}
