// Plans without the longest hops, for trades whose best hops are too long together for one
// transaction.
//
// The search continues only the best way to each asset. If that way and the next hop do not fit in
// one transaction, shorter ways that pay less are not seen. So it is repeated with pools of limited
// length in the first, middle and last place of a route, for every choice of limits that fits.

import { toAsset } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { FieldPlan } from './route-field.ts';
import { countBytes } from './trade-cost.ts';
import type { TaxPlan } from './trade-plan.ts';

type Place = 'first' | 'middle' | 'last';

/** The longest hop that is allowed in each place; none if absent. */
type Limits = Readonly<Partial<Record<Place, GraphPool>>>;

const PLACES: readonly Place[] = ['first', 'middle', 'last'];

/** Null for a pool that connects both ends: alone it is as short as a route can be. */
function findPlace({ token0, token1 }: GraphPool, field: FieldPlan): Place | null {
  const ends = [token0, token1].map((token) => toAsset(token, field.native));
  const [isFirst, isLast] = [ends.includes(field.assetIn), ends.includes(field.assetOut)];
  if (isFirst && isLast) return null;
  return isFirst ? 'first' : isLast ? 'last' : 'middle';
}

/** One pool of each length and program, by place. */
function listSamples(plans: readonly TaxPlan[]): Readonly<Record<Place, readonly GraphPool[]>> {
  const samples = { first: new Map(), middle: new Map(), last: new Map() };
  for (const { field } of plans) {
    for (const { pool } of field.pools) {
      const place = findPlace(pool, field);
      const { first, shared } = pool.bytes;
      if (place !== null) samples[place].set(`${first} ${shared?.sharer}`, pool);
    }
  }
  return {
    first: [...samples.first.values()],
    middle: [...samples.middle.values()],
    last: [...samples.last.values()],
  };
}

function findLength(limits: Limits, place: Place): number {
  return limits[place]?.bytes.first ?? 0;
}

/** Whether others allow all that these allow, and more. */
function isCovered(limits: Limits, others: readonly Limits[]): boolean {
  return others.some((other) => {
    const more = PLACES.map((place) => findLength(other, place) - findLength(limits, place));
    return more.every((one) => one >= 0) && more.some((one) => one > 0);
  });
}

function* combine(plans: readonly TaxPlan[]): Generator<Limits> {
  const { first, middle, last } = listSamples(plans);
  for (const one of first) {
    for (const end of last) {
      yield { first: one, last: end };
      for (const between of middle) yield { first: one, middle: between, last: end };
    }
  }
}

/** The widest limits that fit. */
function listLimits(plans: readonly TaxPlan[], fits: (limits: Limits) => boolean): Limits[] {
  const fitting = [...combine(plans)].filter(fits);
  return fitting.filter((limits) => !isCovered(limits, fitting));
}

function limitField(field: FieldPlan, limits: Limits): FieldPlan {
  const pools = field.pools.filter(({ pool }) => {
    const place = findPlace(pool, field);
    return place === null || pool.bytes.first <= findLength(limits, place);
  });
  return { ...field, pools };
}

/** For each choice of limits the plans with the pools that are within them. */
export function* listShortPlans(
  plans: readonly TaxPlan[],
  bytesMax: number,
): Generator<readonly TaxPlan[]> {
  const seen = new Set<string>();
  // What a swap takes may depend on its direction: both estimates are tried.
  for (const zeroForOne of [true, false]) {
    const fits = (limits: Limits) => {
      const pools = PLACES.flatMap((place) => limits[place] ?? []);
      return countBytes([{ hops: pools.map((pool) => ({ pool, zeroForOne })) }]) <= bytesMax;
    };
    for (const limits of listLimits(plans, fits)) {
      const name = PLACES.map((place) => findLength(limits, place)).join();
      if (seen.has(name)) continue;
      seen.add(name);
      yield plans.map((plan) => ({ ...plan, field: limitField(plan.field, limits) }));
    }
  }
}
