// Shows executed swaps as routes from the input to the output.
//
// A pool is swapped in once for all routes through it; each route shows its part. What a pool pays
// is kept at the next asset as a parcel with its history of hops; the pools that spend the asset
// take parcels from there, and split the last one if they need less. All parts are whole units and
// add up, and each hop of a route begins with what the previous one paid.

import { NODE_IN, NODE_OUT } from './route-field.ts';
import type { PoolSwap, RouteHop } from './route-swaps.ts';

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
