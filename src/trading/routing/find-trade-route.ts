// The best route for a trade by the rules of what is known of its tokens.

import type { Address } from '../../model/market-event.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import { toPriceImpactBps } from '../quote/trade-prices.ts';
import type { SafetyBook } from '../safety/safety-book.ts';
import { type BestRoute, findBestRoute, type RouteOptions } from './route.ts';
import {
  createRule,
  type EndTaxes,
  type Leniency,
  listEndTaxes,
  type RouteRules,
} from './route-rules.ts';
import type { RouteCost } from './route-single.ts';
import { SMALL_ROOM, TRANSACTION_ROOM } from './transaction-room.ts';

export interface RouteQuestion {
  readonly graph: PoolGraph;
  readonly book: SafetyBook;
  readonly trusted: ReadonlySet<Address>;
  readonly isPaused: (token: Address) => boolean;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  /** Null where it is not known what gas costs. */
  readonly cost: RouteCost | null;
  /** Whether the chain charges for a transaction's length, too, which `cost` knows nothing of. */
  readonly hasDataFees: boolean;
}

export interface TaxedRoute {
  readonly route: BestRoute;
  readonly taxes: EndTaxes;
  /** What arrives after the output's own tax. */
  readonly amountOut: bigint;
}

/** What every quote asks with: what one transaction has room for. Gas mostly leaves one or two. */
export const QUOTE_LIMITS: RouteOptions = { room: TRANSACTION_ROOM };

const BPS = 10_000n;
/** From here on it is worth looking at pools that promise less. */
const IMPACT_HIGH_BPS = 300;
/** By so much a route without promises must be better, in per cent. */
const BETTER_PCT = 2n;

/** Kept by a token's contract: rounded as contracts mostly do. */
export function toTax(amount: bigint, bps: number): bigint {
  return (amount * BigInt(Math.round(bps))) / BPS;
}

interface Level extends Leniency {
  readonly withInexact: boolean;
}

const STRICT: Level = { unmeasured: false, blocked: false, withInexact: false };
const LOOSE: Level = { unmeasured: true, blocked: false, withInexact: true };
const ANY: Level = { unmeasured: true, blocked: true, withInexact: true };

function searchAt(question: RouteQuestion, rules: RouteRules, level: Level): TaxedRoute | null {
  const { graph, tokenIn, tokenOut, cost } = question;
  const isCostKnown = cost !== null && !question.hasDataFees;
  let best: TaxedRoute | null = null;
  for (const taxes of listEndTaxes(rules)) {
    const amountIn = question.amountIn - toTax(question.amountIn, taxes.inBps);
    if (amountIn <= 0n) continue;
    const route = findBestRoute(
      graph,
      { tokenIn, tokenOut, amountIn },
      {
        ...QUOTE_LIMITS,
        withInexact: level.withInexact,
        accepts: createRule(rules, taxes, level),
        ...(isCostKnown ? {} : { room: SMALL_ROOM }),
        ...(cost === null ? {} : { cost }),
      },
    );
    if (route === null) continue;
    const amountOut = route.amountOut - toTax(route.amountOut, taxes.outBps);
    if (amountOut > (best?.amountOut ?? 0n)) best = { route, taxes, amountOut };
  }
  return best;
}

/** Null where no route takes the whole amount and pays anything. */
export function findTradeRoute(question: RouteQuestion): TaxedRoute | null {
  const { graph } = question;
  const rules: RouteRules = {
    ...question,
    assetIn: graph.toAsset(question.tokenIn),
    assetOut: graph.toAsset(question.tokenOut),
  };
  const strict = searchAt(question, rules, STRICT);
  if (strict !== null && toPriceImpactBps(strict.route) < IMPACT_HIGH_BPS) return strict;
  const loose = searchAt(question, rules, LOOSE);
  if (strict === null) return loose ?? searchAt(question, rules, ANY);
  if (loose === null) return strict;
  return loose.amountOut * 100n > strict.amountOut * (100n + BETTER_PCT) ? loose : strict;
}
