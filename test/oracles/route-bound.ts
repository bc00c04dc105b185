// An upper bound on what any split can pay: stronger than any search that could be tried.
//
// Give every asset a price. A pool that takes x and pays y gains price·y − price·x, at most as much
// as at its own best x. Summed over all pools of a split, flows between them cancel out, which
// leaves: output ≤ price of the input · input + the sum of those best gains. That holds for every
// split, with any number of legs in any order, and for any prices: good ones make the bound tight,
// bad ones only make it weak. So prices are searched in floating point until supply meets demand
// everywhere, and the gains are then computed exactly.
//
// If a transaction has no room for all, room has a price, too. A pool then gains that much less for
// the room that it takes, and is left out if nothing remains; the cost of all the room is added
// once. That holds for every split that fits, at any price of room.

import type { GraphPool } from '../../src/trading/graph/pool-graph-pool.ts';
import { type BoundEdge, computeFlowIn, type Ends, nameEdge, PriceSearch } from './route-prices.ts';

/** Larger than any real amount. */
const AMOUNT_END = 2 ** 128;

/** The maximum gain of a pool at its two prices, by its own exact swaps. */
function findGain(edge: BoundEdge): number {
  const { pool, zeroForOne, paid, bought } = edge;
  const computeGain = (amount: number): number => {
    if (amount < 1) return 0;
    const whole = BigInt(Math.floor(amount));
    const swap = pool.curve.swapIn(zeroForOne, whole);
    return bought.at * Number(swap.amountOut) - paid.at * Number(swap.amountIn);
  };
  const guess = Math.min(computeFlowIn(edge), AMOUNT_END);
  // Gains rise to the best amount and fall after it: an end that still rises moves on.
  let [low, high] = [guess / 1.01, Math.max(guess, 1) * 1.01];
  while (low >= 1 && computeGain(low / 2) > computeGain(low)) low /= 2;
  while (high < AMOUNT_END && computeGain(high * 2) > computeGain(high)) high *= 2;
  [low, high] = [low / 2, high * 2];
  let most = Math.max(0, computeGain(guess));
  for (let turn = 0; turn < 24; turn += 1) {
    const [left, right] = [low + (high - low) / 3, high - (high - low) / 3];
    const [atLeft, atRight] = [computeGain(left), computeGain(right)];
    most = Math.max(most, atLeft, atRight);
    if (atLeft < atRight) low = left;
    else high = right;
  }
  return most;
}

/** How much room there is, and the minimum that a swap takes of it. */
export interface BoundRoom {
  readonly whole: number;
  computeShare(swap: {
    readonly pool: GraphPool;
    readonly ticksCrossed: number;
    readonly isFirst: boolean;
  }): number;
}

interface RoomPrice {
  readonly price: number;
  readonly room: BoundRoom;
}

/** Like `findGain`, minus the price of the room, for the best number of ticks. */
function findGainInRoom(edge: BoundEdge, { price, room }: RoomPrice) {
  const { pool, curve, paid, bought, isFirst } = edge;
  const best = computeFlowIn(edge);
  let most = { net: 0, share: 0 };
  const tickCount = best > 0 ? curve.countStretches(best) : -1;
  for (let ticksCrossed = 0; ticksCrossed <= tickCount; ticksCrossed += 1) {
    const amount = Math.min(best, curve.computeInOfStretches(ticksCrossed + 1));
    const share = room.computeShare({ pool, ticksCrossed, isFirst });
    // Curves may pay a millionth less than pools.
    const gain = bought.at * curve.computeOut(amount) * (1 + 2e-6) - paid.at * amount;
    if (gain - price * share > most.net) most = { net: gain - price * share, share };
  }
  return most;
}

const ROOM_TURN_COUNT = 12;
const ROOM_SEARCH_COUNT = 6;
/** The search for the price of room starts at this share of the output. */
const ROOM_PRICE_START = 1e-3;

interface Question extends Ends {
  readonly amountIn: bigint;
}

/** Searches prices at a price of room; returns the bound, and the room taken. */
function boundAt(pools: readonly GraphPool[], question: Question, at: RoomPrice) {
  const amountIn = Number(question.amountIn);
  let least = { bound: Number.POSITIVE_INFINITY, taken: 0 };
  let kept: ReadonlySet<string> | null = null;
  for (let turn = 0; turn < ROOM_SEARCH_COUNT; turn += 1) {
    const search: PriceSearch = new PriceSearch(pools, question, { amountIn, kept });
    search.run();
    const gains = search.all.map((edge) => ({ edge, ...findGainInRoom(edge, at) }));
    const used = gains.filter(({ net }) => net > 0);
    const roomCost = at.price * at.room.whole;
    const bound = used.reduce((sum, { net }) => sum + net, search.input.at * amountIn + roomCost);
    const taken = used.reduce((sum, { share }) => sum + share, 0);
    if (bound < least.bound) least = { bound, taken };
    const next = new Set(used.map(({ edge }) => nameEdge(edge)));
    if (kept !== null && next.size === kept.size) break;
    kept = next;
  }
  return least;
}

export interface RouteBound {
  /** No split of the input among routes of up to three hops pays more than this. */
  readonly most: number;
  /** The same minus the cost of each used pool, if each is used only once. */
  computeMostNet(priceUse: (pool: GraphPool) => number): number;
  /** No split that fits in the room pays more. */
  computeMostWithin(room: BoundRoom): number;
}

export function findRouteBound(pools: readonly GraphPool[], question: Question): RouteBound {
  const amountIn = Number(question.amountIn);
  const search = new PriceSearch(pools, question, { amountIn, kept: null });
  search.run();
  const gains = search.edges.map((edge) => ({ pool: edge.pool, gain: findGain(edge) }));
  const computeMostNet = (priceUse: (pool: GraphPool) => number) =>
    gains.reduce(
      (sum, { pool, gain }) => sum + Math.max(0, gain - priceUse(pool)),
      search.input.at * amountIn,
    );
  const most = computeMostNet(() => 0);
  const computeMostWithin = (room: BoundRoom) => {
    let least = most;
    let [low, high] = [0, Number.POSITIVE_INFINITY];
    let price = most * ROOM_PRICE_START;
    for (let turn = 0; turn < ROOM_TURN_COUNT; turn += 1) {
      const { bound, taken } = boundAt(pools, question, { price, room });
      least = Math.min(least, bound);
      if (taken > room.whole) low = price;
      else high = price;
      if (high === Number.POSITIVE_INFINITY) price *= 3;
      else price = low === 0 ? price / 3 : Math.sqrt(low * high);
    }
    return least;
  };
  return { most, computeMostNet, computeMostWithin };
}
