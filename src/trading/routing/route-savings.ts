// Shrinks a division until it fits in one transaction.

import { dropLeast, FEW } from './route-choice.ts';
import { cutCurve } from './route-curve.ts';
import { type Division, divide, type RouteSearch } from './route-division.ts';
import { NODE_IN, type RouteEdge, restrictField } from './route-field.ts';
import { buildGroups } from './route-groups.ts';
import { computeGainAt, type PoolPart } from './route-parts.ts';
import { POOL_EVALUATIONS } from './search-work.ts';
import type { RouteRoom } from './transaction-room.ts';

/** The share of the missing room to free at a time, or of all room. */
const FREED_PART = 0.1;
const FREED_SHARE = 0.03;
const FREED_SHARE_MIN = 0.002;
/** A loss above this multiple of the estimate is investigated, from this share of the output on. */
const LOSS_FACTOR_MAX = 3;
const LOSS_NOTED_MIN = 1e-5;
const FREE_ATTEMPT_COUNT_MAX = 10;

/** A way to free room: drop some pools, or stop one short of its last tick. */
interface Saving {
  readonly loss: number;
  readonly freed: number;
  readonly gone: ReadonlySet<PoolPart>;
  readonly cut: { readonly part: PoolPart; readonly edge: RouteEdge } | null;
}

function* findSavings(parts: readonly PoolPart[], room: RouteRoom): Generator<Saving> {
  const computeShare = (part: PoolPart) => computeRoomShare(part, room);
  for (const { parts: gone, gain, size } of buildGroups(parts, computeShare)) {
    yield { loss: gain, freed: size, gone, cut: null };
  }
  for (const part of parts) {
    const { edge, flow, gain } = part;
    const tickCount = edge.curve.countStretches(flow);
    if (tickCount === 0) continue;
    const loss = gain - computeGainAt(part, edge.curve.computeInOfStretches(tickCount));
    const freed = computeShare(part) - computeRoomShare(part, room, tickCount - 1);
    const cut = { part, edge: { ...edge, curve: cutCurve(edge.curve, tickCount) } };
    yield { loss, freed, gone: new Set(), cut };
  }
}

function computeRoomShare(
  { edge, flow }: PoolPart,
  room: RouteRoom,
  ticksCrossed = edge.curve.countStretches(flow),
): number {
  return room.computeShare({ pool: edge.pool, ticksCrossed, isFirst: edge.from === NODE_IN });
}

/** Splits again with as many savings as free this much room, or with this many. */
function divideWith(
  division: Division,
  savings: readonly Saving[],
  search: RouteSearch & { readonly enough: number; readonly countMax: number },
) {
  const edges = new Map(division.parts.map((part) => [part, part.edge]));
  const used: Saving[] = [];
  let freed = 0;
  for (const saving of savings) {
    if (freed >= search.enough || used.length >= search.countMax) break;
    const { gone, cut } = saving;
    if ((cut !== null && !edges.has(cut.part)) || gone.size >= edges.size) continue;
    if (cut !== null) edges.set(cut.part, cut.edge);
    for (const part of gone) edges.delete(part);
    freed += saving.freed;
    used.push(saving);
  }
  if (used.length === 0) return null;
  const next = divide(restrictField(division.field, [...edges.values()]), search, division);
  return next && { next, used };
}

/** Frees room at the lowest loss; savings that turn out to lose much more are undone. */
export function freeRoom(division: Division, excess: number, search: RouteSearch): Division | null {
  const { room } = search;
  if (room === null) return null;
  if (division.parts.length <= FEW) return dropLeast(division, 0, search);
  search.work.add(division.parts.length * POOL_EVALUATIONS);
  const savings = [...findSavings(division.parts, room)];
  savings.sort((a, b) => a.loss * b.freed - b.loss * a.freed);
  let left: readonly Saving[] = savings;
  let countMax = savings.length;
  const some = Math.min(excess, Math.max(excess * FREED_PART, FREED_SHARE));
  const enough = Math.max(FREED_SHARE_MIN, some);
  let best: Division | null = null;
  for (let attempt = 0; attempt < FREE_ATTEMPT_COUNT_MAX && !search.work.isSpent; attempt += 1) {
    const divided = divideWith(division, left, { ...search, enough, countMax });
    if (divided === null) break;
    const { next, used } = divided;
    if (best === null || next.amountOut > best.amountOut) best = next;
    const expectedLoss = used.reduce(
      (sum, { loss }) => sum + loss,
      division.amountOut * LOSS_NOTED_MIN,
    );
    if (division.amountOut - next.amountOut <= expectedLoss * LOSS_FACTOR_MAX) return next;
    // One of them loses more than its gain: trying fewer finds it sooner.
    if (used.length > 1) {
      countMax = Math.floor(used.length / 2);
    } else {
      left = left.filter((saving) => saving !== used[0]);
      countMax = savings.length;
    }
  }
  return best;
}
