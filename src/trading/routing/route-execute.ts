// Executes a division exactly, as a router can: each pool once.
//
// First come the pools that take the input, then those that take what they bought, then those that
// wait for output of two earlier pools. What arrives of an asset is split again among the pools
// that take it, and the largest of them takes the rest: nothing is left behind, whatever was
// rounded before, and if prices move before execution the largest pool has the most room.

import { NODE_IN, NODE_OUT, type RouteEdge, type RoutePath } from './route-field.ts';
import {
  byFlow,
  giveAll,
  giveParts,
  Lots,
  type PoolShare,
  type PoolSwap,
  sumFlows,
  swapWhole,
} from './route-swaps.ts';
import { type SearchWork, SWAP_EVALUATIONS } from './search-work.ts';

const ATTEMPT_COUNT_MAX = 12;
/** The maximum share of an asset that is sent on as encoded parts. */
const PASSING_MAX = 0.99;
/** If too much of an asset arrives, a little more than the excess is sent elsewhere, to be sure. */
const OVERFLOW_FACTOR = 1.05;
const OVERFLOW_MIN = 1e-6;
const OPEN_SHARE_MIN = 1e-9;

/** The shares by the asset that they spend: to an intermediate asset, or to the output. */
interface Departures {
  readonly middles: PoolShare[];
  readonly lasts: PoolShare[];
}

/** The asset of which more arrived than could be used, and the unused share. */
interface Overflow {
  readonly node: number;
  readonly share: number;
}

/** What the input bought of an asset, from this many pools. */
interface Fresh {
  readonly node: number;
  readonly lots: Lots;
  readonly lotCount: number;
}

class Execution {
  readonly swaps: PoolSwap[] = [];
  overflow: Overflow | null = null;
  readonly #mayExceed: boolean;
  /** By asset: what pools have paid, in order, and how much of it has been spent. */
  readonly #arrived = new Map<number, bigint[]>();
  readonly #spent = new Map<number, bigint>();
  readonly #meant = new Map<number, number>();
  readonly #departures = new Map<number, Departures>();
  /** The assets that also arrive through an intermediate pool. */
  readonly #late = new Set<number>();
  readonly #firsts: PoolShare[] = [];

  constructor(shares: readonly PoolShare[], mayExceed: boolean) {
    this.#mayExceed = mayExceed;
    for (const share of shares) {
      const { from, to, curve } = share.edge;
      if (from === NODE_IN) {
        this.#firsts.push(share);
        this.#meant.set(to, (this.#meant.get(to) ?? 0) + curve.computeOut(share.flow));
        continue;
      }
      const known = this.#departures.get(from) ?? { middles: [], lasts: [] };
      this.#departures.set(from, known);
      (to === NODE_OUT ? known.lasts : known.middles).push(share);
      if (to !== NODE_OUT) this.#late.add(to);
    }
  }

  /** False if some of the input, or of what it bought, is left over. */
  run(amountIn: bigint): boolean {
    const input = new Lots([amountIn], this.#mayExceed);
    if (!this.#give(NODE_IN, input, this.#firsts)) return false;
    // Only what the input bought: the output of intermediate pools has no further hop left.
    const fresh = Array.from(this.#arrived, ([node, lots]) => ({
      node,
      lots: new Lots(lots, this.#mayExceed),
      lotCount: lots.length,
    }));
    return (
      this.#orderFresh(fresh).every((one) => one.node === NODE_OUT || this.#passOn(one)) &&
      [...this.#arrived.keys()].every((node) => node === NODE_OUT || this.#payOut(node))
    );
  }

  /** An asset that is sent on completely should be sent before more of it arrives. */
  #orderFresh(fresh: readonly Fresh[]): Fresh[] {
    const waiting = new Set(fresh);
    const isThrough = ({ node }: Fresh) =>
      this.#late.has(node) && this.#computePassing(node) > PASSING_MAX;
    const through = new Map(fresh.filter(isThrough).map((one) => [one.node, one]));
    /** How many waiting assets would get more from this one. */
    const countFed = ({ node }: Fresh) => {
      const { middles = [] } = this.#departures.get(node) ?? {};
      const fed = new Set(middles.map(({ edge }) => through.get(edge.to)));
      return [...fed].filter((one) => one !== undefined && waiting.has(one)).length;
    };
    const order: Fresh[] = [];
    while (waiting.size > 0) {
      const counted = [...waiting].map((one) => ({ one, fed: countFed(one) }));
      const { one } = counted.reduce((least, next) => (next.fed < least.fed ? next : least));
      waiting.delete(one);
      order.push(one);
    }
    return order;
  }

  /** The share of what the input buys of an asset that does not go to the last pools. */
  #computePassing(node: number): number {
    const passing = sumFlows(this.#departures.get(node)?.middles ?? []);
    return passing / Math.max(this.#meant.get(node) ?? 0, passing);
  }

  #add(swaps: readonly PoolSwap[]): void {
    for (const swap of swaps) {
      const { from, to } = swap.edge;
      const arrived = this.#arrived.get(to) ?? [];
      arrived.push(swap.hop.amountOut);
      this.#arrived.set(to, arrived);
      this.#spent.set(from, (this.#spent.get(from) ?? 0n) + swap.hop.amountIn);
      this.swaps.push(swap);
    }
  }

  #give(node: number, lots: Lots, shares: readonly PoolShare[]): boolean {
    const given = giveAll(lots, shares);
    if ('left' in given) {
      this.overflow = { node, share: Number(given.left) / Number(lots.total) };
      return false;
    }
    this.#add(given);
    return true;
  }

  /**
   * Sends on what the input bought; if more will arrive, only what is not for the last pools. If
   * that is nearly all, the largest also takes the rest: if slightly less arrived, the encoded
   * parts could not be paid in full.
   */
  #passOn({ node, lots, lotCount }: Fresh): boolean {
    const { middles, lasts } = this.#departures.get(node) ?? { middles: [], lasts: [] };
    if (!this.#late.has(node)) return this.#give(node, lots, [...middles, ...lasts]);
    if (middles.length === 0) return true;
    const passing = this.#computePassing(node);
    const isAlone = this.#arrived.get(node)?.length === lotCount;
    if (passing > PASSING_MAX && isAlone) return this.#give(node, lots, middles);
    const whole = sumFlows(middles) / Math.min(passing, PASSING_MAX);
    this.#add(giveParts(lots, middles.toSorted(byFlow), whole));
    return true;
  }

  /** Gives everything to the last pools. */
  #payOut(node: number): boolean {
    const lots = new Lots(this.#arrived.get(node) ?? [], this.#mayExceed);
    lots.spend(this.#spent.get(node) ?? 0n);
    return lots.left === 0n || this.#give(node, lots, this.#departures.get(node)?.lasts ?? []);
  }
}

/** The planned input of each pool, adjusted if an asset would overflow. */
class WantedFlows {
  readonly #flows = new Map<RouteEdge, number>();
  /** Edges that were reduced once get no more. */
  readonly #capped = new Set<RouteEdge>();

  constructor(shares: readonly PoolShare[]) {
    for (const { edge, flow } of shares) this.#flows.set(edge, flow);
  }

  get shares(): PoolShare[] {
    return Array.from(this.#flows, ([edge, flow]) => ({ edge, flow }));
  }

  /** Sends less to an asset and more elsewhere; false if there is nowhere else. */
  lessen({ node, share }: Overflow): boolean {
    if (node === NODE_IN) return false;
    const arriving = [...this.#flows.keys()].filter(({ to }) => to === node);
    const byStart = Map.groupBy(arriving, ({ from }) => from);
    return [...byStart].every(([from, edges]) => this.#divert(from, edges, share));
  }

  #divert(from: number, edges: readonly RouteEdge[], share: number): boolean {
    let freed = 0;
    let all = 0;
    let open = 0;
    for (const edge of edges) {
      const flow = this.#flows.get(edge) ?? 0;
      this.#capped.add(edge);
      // Near the end of its liquidity a pool takes much more for almost no extra output.
      const less = Math.min(
        flow,
        edge.curve.computeInFor(edge.curve.computeOut(flow) * (1 - share)),
      );
      this.#flows.set(edge, less);
      freed += flow - less;
    }
    for (const [edge, flow] of this.#flows) {
      if (edge.from !== from) continue;
      all += flow;
      if (!this.#capped.has(edge)) open += flow;
    }
    if (freed === 0) return false;
    // A share of almost nothing cannot be raised.
    if (open <= freed * OPEN_SHARE_MIN)
      return this.lessen({ node: from, share: freed / (all + freed) });
    for (const [edge, flow] of this.#flows) {
      if (edge.from !== from || this.#capped.has(edge)) continue;
      this.#flows.set(edge, flow * (1 + freed / open));
    }
    return true;
  }
}

/**
 * Each pool once. If more of an asset arrives than its pools can take, less is sent there and more
 * elsewhere; null if some of the input is still left over.
 */
export function executeShares(
  shares: readonly PoolShare[],
  amountIn: bigint,
  work: SearchWork,
): readonly PoolSwap[] | null {
  const wanted = new WantedFlows(shares);
  for (let attempt = 0; attempt < ATTEMPT_COUNT_MAX; attempt += 1) {
    work.add(shares.length * SWAP_EVALUATIONS);
    const execution = new Execution(wanted.shares, attempt === 0);
    if (execution.run(amountIn)) return execution.swaps;
    const { overflow } = execution;
    if (overflow === null) return null;
    const share = Math.min(1, OVERFLOW_FACTOR * overflow.share + OVERFLOW_MIN);
    if (!wanted.lessen({ ...overflow, share })) return null;
  }
  return null;
}

/** One path with the whole amount; null if a pool on it cannot take it. */
export function executePath(path: RoutePath, amountIn: bigint): PoolSwap[] | null {
  const swaps: PoolSwap[] = [];
  let amount = amountIn;
  for (const edge of path) {
    const hop = swapWhole(edge, amount);
    if (hop === null) return null;
    swaps.push({ edge, hop });
    amount = hop.amountOut;
  }
  return swaps;
}
