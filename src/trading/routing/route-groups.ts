// Which pools must be dropped together: without a pool, others get no input or lead nowhere.

import type { PoolId } from '../../model/ids.ts';
import { NODE_IN, NODE_OUT } from './route-field.ts';
import type { PoolPart } from './route-parts.ts';

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
