// Which legs of a division are used, where there is no room for all or not all pay for themselves.
//
// All legs of the best division pay the same for their last unit, so leaving one out costs only as
// much as its rate would have to fall on the others. The legs for which that is least, compared
// with what they cost or with the hops they take, go first, a few at a time, and what is left is
// divided anew.

import { RouteBalance } from './route-balance.ts';
import type { PathFlow } from './route-legs.ts';
import type { RouteCost } from './route-single.ts';

/** Of the legs that are left so many go at a time, one at least. */
const DROPPED_SHARE = 0.2;
/** So often leaving more out may pay less before it is given up. */
const WORSE_COUNT_MAX = 2;
/** Enough to see what a choice is worth; the best one is then divided with more care. */
const ROUGH_ROUND_COUNT = 5;
/** A leg that is worth less than this part of its cost can go at once, with all others like it. */
const HOPELESS_RATE = 0.1;

/** Of so few legs that fit, which ones matters more than with many, and trying costs less. */
const FEW = 12;

interface Rated {
  readonly leg: PathFlow;
  readonly rate: number;
}

/** The legs with what is lost without them, per unit of what they take. */
function toRated(
  legs: readonly PathFlow[],
  worths: Float64Array,
  toSize: (leg: PathFlow) => number,
): Rated[] {
  return legs.map((leg, k) => ({ leg, rate: (worths[k] ?? 0) / toSize(leg) }));
}

function byRate(a: Rated, b: Rated): number {
  return b.rate - a.rate;
}

/** The same legs without some, in the order that they had. */
function keep(legs: readonly PathFlow[], kept: readonly PathFlow[]): PathFlow[] {
  const set = new Set(kept);
  return legs.filter((leg) => set.has(leg));
}

/** Leaves some out, those with the lowest rates first, and all below a rate that is hopeless. */
function dropSome(rated: readonly Rated[], hopelessRate = 0): PathFlow[] {
  const legs = rated.map(({ leg }) => leg);
  const hopeful = rated.reduce((count, { rate }) => count + (rate >= hopelessRate ? 1 : 0), 0);
  const most = Math.ceil(rated.length * (1 - DROPPED_SHARE));
  const count = Math.min(rated.length - 1, most, Math.max(hopeful, 1));
  const kept = rated.toSorted(byRate).slice(0, count);
  return keep(
    legs,
    kept.map(({ leg }) => leg),
  );
}

function toHopCount({ path }: PathFlow): number {
  return path.length;
}

/** Leaves legs out a few at a time until the others fit. */
function dropUntilFitting(
  legs: readonly PathFlow[],
  amountIn: number,
  countFitting: (legs: readonly PathFlow[]) => number,
): readonly PathFlow[] {
  let current = legs;
  while (countFitting(current) < current.length) {
    const balance = new RouteBalance(current, amountIn);
    if (current !== legs) balance.run(ROUGH_ROUND_COUNT);
    current = dropSome(toRated(balance.toPaths(), balance.toWorths(), toHopCount));
  }
  return current;
}

/**
 * As many legs as there is room for: the largest, or those without which most would be lost for
 * their hops, whichever pay more. `countFitting` tells how many of some legs fit.
 */
export function chooseFitting(
  legs: readonly PathFlow[],
  amountIn: number,
  countFitting: (legs: readonly PathFlow[]) => number,
): PathFlow[] {
  const rated = toRated(legs, new RouteBalance(legs, amountIn).toWorths(), toHopCount);
  const byWorth = rated.toSorted(byRate).map(({ leg }) => leg);
  const choices: (readonly PathFlow[])[] = [legs, byWorth].map((order) =>
    keep(legs, order.slice(0, countFitting(order))),
  );
  if ((choices[0]?.length ?? 0) <= FEW) {
    choices.push(dropUntilFitting(legs, amountIn, countFitting));
  }
  let best: PathFlow[] = [];
  let most = 0;
  for (const kept of choices) {
    if (kept.length === 0) continue;
    const balance = new RouteBalance(kept, amountIn);
    const paid = balance.run();
    if (paid <= most) continue;
    most = paid;
    best = balance.toPaths();
  }
  return best;
}

/** The legs that pay most net of what each costs. */
export function chooseWorthwhile(
  legs: readonly PathFlow[],
  amountIn: number,
  cost: RouteCost,
): PathFlow[] {
  const costs = new Map(legs.map(({ path }) => [path, Number(cost(path))]));
  const toCost = ({ path }: PathFlow) => costs.get(path) ?? 0;
  let current = legs;
  let best = legs;
  let most = Number.NEGATIVE_INFINITY;
  for (let worseCount = 0; worseCount < WORSE_COUNT_MAX && current.length > 1; ) {
    const balance = new RouteBalance(current, amountIn);
    const paid = balance.run(current === legs ? 0 : ROUGH_ROUND_COUNT);
    const rated = toRated(balance.toPaths(), balance.toWorths(), (leg) => toCost(leg) || 1);
    const net = rated.reduce((sum, { leg }) => sum - toCost(leg), paid);
    worseCount = net > most ? 0 : worseCount + 1;
    if (net > most) {
      most = net;
      best = rated.map(({ leg }) => leg);
    }
    current = dropSome(rated, HOPELESS_RATE);
  }
  const balance = new RouteBalance(best, amountIn);
  balance.run();
  return balance.toPaths();
}
