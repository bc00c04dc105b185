// Which pools a division drops: those that do not pay for themselves, or gain least.

import type { PoolId } from '../../model/ids.ts';
import { type Division, divide, priceEdge, type RouteSearch } from './route-division.ts';
import { restrictField } from './route-field.ts';
import { buildGroups, type PoolGroup } from './route-groups.ts';
import type { PoolPart } from './route-parts.ts';
import { FREE } from './route-single.ts';
import { POOL_EVALUATIONS } from './search-work.ts';

/** The share of all pools to drop at a time, at least one. */
const DROPPED_SHARE = 0.2;
/** Pools that gain less than this fraction of their cost are dropped all at once. */
const HOPELESS_RATE = 0.1;
/** The maximum number of attempts to drop pools; usually a few are enough. */
const ATTEMPT_COUNT_MAX = 60;
/** Up to this number each pool is tried separately. */
export const FEW = 16;

/**
 * Splits again without the first groups, as many as needed; null if none of them can be dropped.
 */
function divideWithout(
  division: Division,
  groups: readonly PoolGroup[],
  search: RouteSearch & { readonly isEnough: (dropped: ReadonlySet<PoolPart>) => boolean },
): Division | null {
  const { field, parts } = division;
  let dropped: ReadonlySet<PoolPart> = new Set();
  for (const group of groups) {
    const more = new Set([...dropped, ...group.parts]);
    if (more.size >= parts.length) break;
    dropped = more;
    if (search.isEnough(dropped)) break;
  }
  if (dropped.size === 0) return null;
  const kept = parts.filter((part) => !dropped.has(part));
  const edges = kept.map(({ edge }) => edge);
  return divide(restrictField(field, edges), search, division);
}

/** Drops pools that cost more than they gain, while that improves the net result. */
export function dropLossy(division: Division, search: RouteSearch): Division {
  const needed = new Set<PoolId>();
  let current = division;
  if (search.cost === FREE) return current;
  let most = current.parts.length;
  for (let attempt = 0; attempt < ATTEMPT_COUNT_MAX && !search.work.isSpent; attempt += 1) {
    search.work.add(current.parts.length * POOL_EVALUATIONS);
    const groups = buildGroups(current.parts, (part) => priceEdge(part, search));
    const lossy = groups.filter(({ gain, size, pool }) => gain < size && !needed.has(pool));
    const [first] = lossy;
    if (first === undefined) break;
    const hopeless = lossy.filter(({ gain, size }) => gain < size * HOPELESS_RATE).length;
    const some = Math.max(hopeless, Math.ceil(current.parts.length * DROPPED_SHARE));
    const count = Math.min(most, some, lossy.length);
    const isEnough = ({ size }: ReadonlySet<PoolPart>) => size >= count;
    const next = divideWithout(current, lossy, { ...search, isEnough });
    if (next !== null && next.net >= current.net) {
      current = next;
      most = count * 2;
    } else if (count > 1) {
      // Dropping a pool may lose more than its gain.
      most = Math.floor(count / 2);
    } else {
      needed.add(first.pool);
    }
  }
  return current;
}

/** Drops the pools that gain least: one, or this share of all. */
export function dropLeast(division: Division, share: number, search: RouteSearch): Division | null {
  const { parts } = division;
  const groups = buildGroups(parts, () => 1);
  if (parts.length > FEW) {
    const count = Math.ceil(parts.length * share);
    return divideWithout(division, groups, { ...search, isEnough: ({ size }) => size >= count });
  }
  let best: Division | null = null;
  for (const group of groups) {
    if (search.work.isSpent) break;
    const next = divideWithout(division, [group], { ...search, isEnough: () => true });
    if (next !== null && (best === null || next.net > best.net)) best = next;
  }
  return best;
}
