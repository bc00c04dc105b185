// Plans without the longest hops, for trades whose best hops are too long together for one
// transaction.
//
// The search continues only the best way to each asset. If that way and the next hop do not fit in
// one transaction, shorter ways that pay less are not seen. So it is repeated with pools of limited
// length in the first, middle and last place of a route, for every choice of limits that fits.

import type { TransactionCosts } from '../../chains/transaction-costs.ts';
import { toAsset } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { FieldPlan } from './route-field.ts';
import { countBytes, countPoolBytes } from './trade-cost.ts';
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

/** Lists of accounts make many lengths of few: those within so many bytes count as one. */
const STEP_BYTES = 96;

/** Of each program and length the longest pool, by place. */
function listSamples(plans: readonly TaxPlan[], findBytes: (pool: GraphPool) => number) {
  const samples = {
    first: new Map<string, GraphPool>(),
    middle: new Map<string, GraphPool>(),
    last: new Map<string, GraphPool>(),
  };
  for (const { field } of plans) {
    for (const { pool } of field.pools) {
      const place = findPlace(pool, field);
      if (place === null) continue;
      const length = findBytes(pool);
      const key = `${Math.ceil(length / STEP_BYTES)} ${pool.bytes.shared?.sharer}`;
      const known = samples[place].get(key);
      if (known === undefined || findBytes(known) < length) samples[place].set(key, pool);
    }
  }
  return {
    first: [...samples.first.values()],
    middle: [...samples.middle.values()],
    last: [...samples.last.values()],
  };
}

/** The length of the longest hop that is allowed. */
type FindLength = (limits: Limits, place: Place) => number;

/** Whether others allow all that these allow, and more. */
function isCovered(limits: Limits, others: readonly Limits[], findLength: FindLength): boolean {
  return others.some((other) => {
    const more = PLACES.map((place) => findLength(other, place) - findLength(limits, place));
    return more.every((one) => one >= 0) && more.some((one) => one > 0);
  });
}

function* combine({ first, middle, last }: ReturnType<typeof listSamples>): Generator<Limits> {
  for (const one of first) {
    for (const end of last) {
      yield { first: one, last: end };
      for (const between of middle) yield { first: one, middle: between, last: end };
    }
  }
}

/** For each choice of limits, of the widest that fit, the plans with the pools within them. */
export function* listShortPlans(
  plans: readonly TaxPlan[],
  { bytesMax, listed }: Pick<TransactionCosts, 'bytesMax' | 'listed'>,
): Generator<readonly TaxPlan[]> {
  const seen = new Set<string>();
  const findBytes = (pool: GraphPool) => countPoolBytes(pool, listed);
  const samples = listSamples(plans, findBytes);
  const findLength: FindLength = (limits, place) => {
    const pool = limits[place];
    return pool === undefined ? 0 : findBytes(pool);
  };
  const limitField = (field: FieldPlan, limits: Limits): FieldPlan => {
    const pools = field.pools.filter(({ pool }) => {
      const place = findPlace(pool, field);
      return place === null || findBytes(pool) <= findLength(limits, place);
    });
    return { ...field, pools };
  };
  // What a swap takes may depend on its direction: both estimates are tried.
  for (const zeroForOne of [true, false]) {
    const fitting = [...combine(samples)].filter((limits) => {
      const pools = PLACES.flatMap((place) => limits[place] ?? []);
      const hops = pools.map((pool) => ({ pool, zeroForOne }));
      return countBytes([{ hops }], listed) <= bytesMax;
    });
    for (const limits of fitting.filter((one) => !isCovered(one, fitting, findLength))) {
      const name = PLACES.map((place) => findLength(limits, place)).join();
      if (seen.has(name)) continue;
      seen.add(name);
      yield plans.map((plan) => ({ ...plan, field: limitField(plan.field, limits) }));
    }
  }
}
