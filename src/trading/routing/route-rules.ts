// Which pools a trade may go through, by what is known of the tokens in them.
//
// The two ends of a trade are what its owner asked for, whatever they are. What lies between was
// chosen by us: a token that nobody has looked at, taxes its transfers or cannot be sold again must
// not draw trades through itself, however good its price looks.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { DirectionSafety, SafetyBook } from '../graph/safety-book.ts';
import type { AcceptEdge } from './route-field.ts';

/** What the tokens at the two ends keep of a transfer; pools that differ are not mixed. */
export interface EndTaxes {
  readonly inBps: number;
  readonly outBps: number;
}

/** How much is forgiven, from what should be used to what is better than no answer. */
export interface Leniency {
  /** Tokens in between need not have been looked at. */
  readonly unmeasured: boolean;
  /** Swaps that were seen to fail may be used. */
  readonly blocked: boolean;
}

export interface RouteRules {
  readonly graph: PoolGraph;
  readonly book: SafetyBook;
  /** Assets that need not be looked at: the native coin and the chain's known stable ones. */
  readonly trusted: ReadonlySet<Address>;
  readonly isPaused: (token: Address) => boolean;
  readonly assetIn: Address;
  readonly assetOut: Address;
}

const ADJACENT_COUNT_MAX = 500;

/** What is lost by rounding, or gained by a stray coin in a pair, is no tax. */
function toTaxBps(bps: number | null | undefined): number {
  return bps == null || bps < 1 ? 0 : bps;
}

function fits(bps: number | null, isEnd: boolean, wanted: number): boolean {
  return toTaxBps(bps) === (isEnd ? wanted : 0);
}

function fitsTaxes(
  pool: GraphPool,
  known: DirectionSafety,
  ends: { readonly isFirst: boolean; readonly isLast: boolean; readonly taxes: EndTaxes },
): boolean {
  const { isFirst, isLast, taxes } = ends;
  if (!fits(known.inBps, isFirst, taxes.inBps)) return false;
  if (toTaxBps(known.inBps) > 0 && !kindOf(pool).countsArrivals) return false;
  return fits(known.outBps, isLast, taxes.outBps);
}

export function createRule(rules: RouteRules, taxes: EndTaxes, leniency: Leniency): AcceptEdge {
  const { graph, book, trusted, assetIn, assetOut } = rules;
  const isEnd = (asset: Address) => asset === assetIn || asset === assetOut;
  return (pool, zeroForOne) => {
    const asset0 = graph.toAsset(pool.token0);
    const asset1 = graph.toAsset(pool.token1);
    for (const asset of [asset0, asset1]) {
      if (!isEnd(asset) && rules.isPaused(asset)) return false;
    }
    const isFirst = (zeroForOne ? asset0 : asset1) === assetIn;
    const isLast = (zeroForOne ? asset1 : asset0) === assetOut;
    const isOurChoice = [asset0, asset1].some((asset) => !isEnd(asset) && !trusted.has(asset));
    const known = book.direction(pool.pool, zeroForOne);
    if (known === null) {
      if (isOurChoice && !leniency.unmeasured) return false;
      return fits(null, isFirst, taxes.inBps) && fits(null, isLast, taxes.outBps);
    }
    if (known.sellable === false && !leniency.blocked) return false;
    if (isOurChoice && !leniency.unmeasured) {
      if (known.sellable !== true || book.findDoubt(pool.pool) === 'seen') return false;
    }
    return fitsTaxes(pool, known, { isFirst, isLast, taxes });
  };
}

/** Every tax that pools of an asset were seen to take, in one of the two ways; 0 where none was. */
function listTaxes(
  rules: RouteRules,
  asset: Address,
  read: (pool: GraphPool, isToken0: boolean) => number | null | undefined,
): readonly number[] {
  const { graph, book } = rules;
  if (!book.mayBeTaxed(asset)) return [0];
  const found = new Set<number>();
  let count = 0;
  for (const ids of graph.neighbours(asset).values()) {
    for (const id of ids) {
      const pool = graph.get(id);
      count += 1;
      if (pool === undefined || count > ADJACENT_COUNT_MAX) continue;
      found.add(toTaxBps(read(pool, graph.toAsset(pool.token0) === asset)));
    }
  }
  return found.size === 0 ? [0] : [...found].sort((a, b) => a - b);
}

/** The taxes that routes between the two ends may meet, each to be searched by itself. */
export function listEndTaxes(rules: RouteRules): readonly EndTaxes[] {
  const { book } = rules;
  const ins = listTaxes(rules, rules.assetIn, (pool, isToken0) => {
    return book.direction(pool.pool, isToken0)?.inBps;
  });
  const outs = listTaxes(rules, rules.assetOut, (pool, isToken0) => {
    return book.direction(pool.pool, !isToken0)?.outBps;
  });
  return ins.flatMap((inBps) => outs.map((outBps) => ({ inBps, outBps })));
}
