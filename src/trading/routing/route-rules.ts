// Which pools a trade may use, by what is known of their tokens.
//
// The caller chose the two ends of a trade, so any token is allowed there. We chose the tokens in
// between: a token that was not probed, taxes its transfers or cannot be sold again must not
// attract trades through itself, however good its price looks.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { DirectionSafety, SafetyCache } from '../graph/safety-cache.ts';
import type { AcceptEdge } from './route-field.ts';

/** What the tokens at the two ends deduct from a transfer; pools that differ are not mixed. */
export interface EndTaxes {
  readonly inBps: number;
  readonly outBps: number;
}

/** Whether neither end deducts anything. */
export function isUntaxed({ inBps, outBps }: EndTaxes): boolean {
  return inBps === 0 && outBps === 0;
}

/** How much is tolerated, from the strict rules to anything that is better than no answer. */
export interface Leniency {
  /** Intermediate tokens need not have been probed. */
  readonly unmeasured: boolean;
  /** Swaps that are known to fail may be used. */
  readonly blocked: boolean;
}

export interface RouteRules {
  readonly graph: PoolGraph;
  readonly safetyCache: SafetyCache;
  /** Assets that need no probe: the native coin and the chain's known stable assets. */
  readonly trusted: ReadonlySet<Address>;
  readonly isPaused: (token: Address) => boolean;
  readonly assetIn: Address;
  readonly assetOut: Address;
}

const ADJACENT_COUNT_MAX = 500;

/** Losses by rounding, or gains from stray coins in a pair, are not taxes. */
function clampTaxBps(bps: number | null | undefined): number {
  return bps == null || bps < 1 ? 0 : bps;
}

function fits(bps: number | null, isEnd: boolean, wanted: number): boolean {
  return clampTaxBps(bps) === (isEnd ? wanted : 0);
}

function fitsTaxes(
  pool: GraphPool,
  known: DirectionSafety,
  ends: { readonly isFirst: boolean; readonly isLast: boolean; readonly taxes: EndTaxes },
): boolean {
  const { isFirst, isLast, taxes } = ends;
  if (!fits(known.inBps, isFirst, taxes.inBps)) return false;
  if (clampTaxBps(known.inBps) > 0 && !kindOf(pool).countsArrivals) return false;
  return fits(known.outBps, isLast, taxes.outBps);
}

export function createRule(rules: RouteRules, taxes: EndTaxes, leniency: Leniency): AcceptEdge {
  const { graph, safetyCache, trusted, assetIn, assetOut } = rules;
  const isEnd = (asset: Address) => asset === assetIn || asset === assetOut;
  const isBarred = (asset: Address) => !isEnd(asset) && rules.isPaused(asset);
  const isChosenByUs = (asset: Address) => !isEnd(asset) && !trusted.has(asset);
  return (pool, zeroForOne) => {
    const asset0 = graph.toAsset(pool.token0);
    const asset1 = graph.toAsset(pool.token1);
    if (isBarred(asset0) || isBarred(asset1)) return false;
    const isFirst = (zeroForOne ? asset0 : asset1) === assetIn;
    const isLast = (zeroForOne ? asset1 : asset0) === assetOut;
    const isOurChoice = isChosenByUs(asset0) || isChosenByUs(asset1);
    const known = safetyCache.direction(pool.pool, zeroForOne);
    if (known === null) {
      if (isOurChoice && !leniency.unmeasured) return false;
      return fits(null, isFirst, taxes.inBps) && fits(null, isLast, taxes.outBps);
    }
    if (known.sellable === false && !leniency.blocked) return false;
    if (isOurChoice && !leniency.unmeasured) {
      if (known.sellable !== true || safetyCache.findDoubt(pool.pool) === 'seen') return false;
    }
    return fitsTaxes(pool, known, { isFirst, isLast, taxes });
  };
}

/** Every tax that pools of an asset were seen to take in one direction; 0 if none was. */
function listTaxes(
  rules: RouteRules,
  asset: Address,
  read: (pool: GraphPool, isToken0: boolean) => number | null | undefined,
): readonly number[] {
  const { graph, safetyCache } = rules;
  if (!safetyCache.mayBeTaxed(asset)) return [0];
  const found = new Set<number>();
  let count = 0;
  for (const ids of graph.neighbours(asset).values()) {
    for (const id of ids) {
      const pool = graph.get(id);
      count += 1;
      if (pool === undefined || count > ADJACENT_COUNT_MAX) continue;
      found.add(clampTaxBps(read(pool, graph.toAsset(pool.token0) === asset)));
    }
  }
  return found.size === 0 ? [0] : [...found].sort((a, b) => a - b);
}

/** The taxes that routes between the two ends may meet, each searched separately. */
export function listEndTaxes(rules: RouteRules): readonly EndTaxes[] {
  const { safetyCache } = rules;
  const ins = listTaxes(rules, rules.assetIn, (pool, isToken0) => {
    return safetyCache.direction(pool.pool, isToken0)?.inBps;
  });
  const outs = listTaxes(rules, rules.assetOut, (pool, isToken0) => {
    return safetyCache.direction(pool.pool, !isToken0)?.outBps;
  });
  return ins.flatMap((inBps) => outs.map((outBps) => ({ inBps, outBps })));
}
