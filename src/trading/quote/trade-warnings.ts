// What a user should know before agreeing to a trade.

import { explainFlags } from '../../amm/unchecked-flag.ts';
import type { TokenPowers } from '../../chains/chain-transactions.ts';
import {
  type warnOfLookalike,
  warnOfMeasured,
  warnOfPowers,
} from '../../contract/safety-warnings.ts';
import { pow10 } from '../../lib/decimal.ts';
import type { Checkpoint, TokenRecord } from '../../model/market-record.ts';
import { decidesSwaps } from '../../model/pool-hook.ts';
import { SAFETY_LIFE_MS } from '../../model/pool-safety.ts';
import { mayMoveLater } from '../graph/pool-graph-pool.ts';
import type { TokenSafety } from '../graph/safety-cache.ts';
import type { BestRoute } from '../routing/route.ts';
import type { RouteHop } from '../routing/route-swaps.ts';
import type { PricedTrade, TradeWarning, WarningCode } from './priced-trade.ts';

const IMPACT_HIGH_BPS = 300;
const SLIPPAGE_HIGH_BPS = 500;
const THIN_USD_E18 = 10_000n * pow10(18);
const FRESH_MS = 24 * 3_600_000;
const HEAD_AGE_MAX_MS = 120_000;

export interface WarningFacts {
  readonly trade: Pick<PricedTrade, 'request' | 'slippageBps' | 'priceImpactBps' | 'networkFees'>;
  readonly route: BestRoute;
  /** If the output is given: whether the router is told what to spend all the same. */
  readonly isInputGiven: boolean;
  /** Whether the router takes no deadline. */
  readonly hasNoDeadline: boolean;
  /** Whether nothing but the pool itself shows its price. */
  readonly isPriceUnbounded: boolean;
  /** What is uncertain about what its pools pay; names of `UncheckedFlag`. */
  readonly openFlags: string;
  /** The traded token's row; null for the native coin. */
  readonly token: TokenRecord | null;
  readonly isTrusted: boolean;
  /** Null if it looks like no token that a token list vouches for. */
  readonly lookalike: ReturnType<typeof warnOfLookalike> | null;
  /** What others may do to the traded token; null if that is not known. */
  readonly powers: TokenPowers | null;
  readonly safety: TokenSafety | null;
  /** What the chain calls a unit of a transaction's cost. */
  readonly unitName: string;
  /** Whether every pool on the route was probed. */
  readonly isMeasured: boolean;
  /** Whether a measurement on the route has been doubted since it was made. */
  readonly isDoubted: boolean;
  /** Whether what tokens deduct from their transfers cannot change before the trade is executed. */
  readonly isFeeCertain: boolean;
  readonly checkpoint: Checkpoint;
  readonly isBehind: boolean;
  /** Whether the chain makes blocks constantly, so that an old head is a bad sign. */
  readonly isEverMoving: boolean;
  /** Whether all pools of the two tokens are in memory. */
  readonly isLoaded: boolean;
  readonly nowMs: number;
}

function pickLiquidity(token: TokenRecord): bigint | null {
  const { liquidityUsdE18, pairedUsdE18 } = token;
  return liquidityUsdE18 !== null && liquidityUsdE18 > 0n
    ? liquidityUsdE18
    : (pairedUsdE18 ?? liquidityUsdE18);
}

/** The first transfer is known only if all balances are known. */
function isFresh(token: TokenRecord, checkpoint: Checkpoint): boolean {
  const isBirthKnown =
    !token.balancesBroken &&
    token.supplyRaw !== null &&
    token.supplyBalanceSumRaw === token.supplyRaw;
  return isBirthKnown && checkpoint.timestampMs - token.firstSeenAtMs < FRESH_MS;
}

export const STALE_WARNING: TradeWarning = {
  code: 'SAFETY_STALE',
  message:
    'A token on the route may have changed since it was last checked; it is being checked again.',
};

function* warnOfSafety({
  safety,
  unitName,
  isMeasured,
  isDoubted,
  nowMs,
}: WarningFacts): Generator<CodeAndMessage> {
  if (safety === null || !isMeasured) {
    yield [
      'SAFETY_UNKNOWN',
      'Not every pool on the route has been checked with a simulated round trip.',
    ];
  } else if (nowMs - safety.checkedAtMs > SAFETY_LIFE_MS) {
    yield ['SAFETY_UNKNOWN', 'The last check of the token is more than half an hour old.'];
  }
  if (isDoubted) yield [STALE_WARNING.code, STALE_WARNING.message];
  if (safety !== null) yield* warnOfMeasured(safety, unitName);
}

type CodeAndMessage = readonly [WarningCode, string];

function* warnOfMarket(facts: WarningFacts): Generator<CodeAndMessage> {
  const { trade, token, checkpoint, nowMs, isTrusted } = facts;
  if (trade.priceImpactBps >= IMPACT_HIGH_BPS) {
    const pct = trade.priceImpactBps / 100;
    yield ['PRICE_IMPACT_HIGH', `The trade moves the price by ${pct} %.`];
  }
  if (trade.slippageBps > SLIPPAGE_HIGH_BPS) {
    const pct = trade.slippageBps / 100;
    const loss =
      trade.request.fixed === 'input' ? `receive up to ${pct} % less` : `pay up to ${pct} % more`;
    yield ['SLIPPAGE_HIGH', `You may ${loss}: others may exploit the difference.`];
  }
  const liquidity = token === null || isTrusted ? null : pickLiquidity(token);
  if (liquidity !== null && liquidity < THIN_USD_E18) {
    yield ['THIN_LIQUIDITY', 'The pools of the token hold less than 10,000 USD.'];
  }
  if (token !== null && isFresh(token, checkpoint)) {
    yield ['FRESH_TOKEN', 'The token is less than 24 hours old.'];
  }
  if (facts.lookalike !== null) yield facts.lookalike;
  const ageMs = nowMs - checkpoint.timestampMs;
  if (facts.isBehind || (facts.isEverMoving && ageMs > HEAD_AGE_MAX_MS)) {
    const seconds = Math.max(0, Math.round(ageMs / 1000));
    yield ['STALE_HEAD', `The newest indexed block is ${seconds} s old.`];
  }
}

/** Whether pools pay more of a token in between than others take. */
function leavesTokens({ swapPaths, keptBack = 0n }: BestRoute): boolean {
  const paysMore = (hop: RouteHop, next: RouteHop | undefined) =>
    next !== undefined && hop.amountOut > next.amountIn;
  return (
    keptBack > 0n || swapPaths.some(({ hops }) => hops.some((hop, k) => paysMore(hop, hops[k + 1])))
  );
}

function* warnOfRoute(facts: WarningFacts): Generator<CodeAndMessage> {
  const { route, openFlags, trade } = facts;
  if (!facts.isLoaded) {
    yield [
      'POOLS_UNREAD',
      'Not all pools of the token could be read in time; the trade may pay more in a few seconds.',
    ];
  }
  const pools = route.swapPaths.flatMap(({ hops }) => hops.map(({ pool }) => pool));
  if (pools.some(({ hook }) => decidesSwaps(hook))) {
    yield [
      'HOOKED_POOL',
      'A pool on the route has a hook that may change what it pays, or refuse.',
    ];
  } else if (mayMoveLater(pools)) {
    yield ['HOOKED_POOL', 'A pool on the route has a hook that may move the pools after it.'];
  }
  if (pools.some(({ inexact }) => inexact === 'ticks')) {
    yield [
      'TICKS_UNKNOWN',
      'Not all liquidity of a pool on the route is known yet; only the known part is used.',
    ];
  }
  if (openFlags !== '') {
    yield [
      'UNCHECKED_POOL',
      `What a pool on the route pays is not certain to the unit: ${explainFlags(openFlags)}.`,
    ];
  }
  if (facts.isPriceUnbounded) {
    yield [
      'PRICE_UNBOUNDED',
      'Only the pool itself shows its price: no computed pool of the two tokens confirms it, so it may be far from what the token is worth.',
    ];
  }
  if (!facts.isFeeCertain) {
    yield [
      'UNCHECKED_POOL',
      'The fee that a token on the route takes of transfers may change before the trade is executed.',
    ];
  }
  if (leavesTokens(route)) {
    yield [
      'LEFTOVER_TOKENS',
      'A little more of a token on the way is bought than the trade needs; you keep the rest of it.',
    ];
  }
  if (facts.isInputGiven) {
    yield [
      'INPUT_SPENT_WHOLE',
      'The exchange can only be told what is spent: the trade spends all of the input, with a reserve for slippage as far as the pools can take one, and you receive what that buys, never less than you asked for.',
    ];
  }
  if (facts.hasNoDeadline) {
    yield [
      'NO_DEADLINE',
      'The exchange takes no deadline: until the transaction is executed or replaced, only its minimum protects it.',
    ];
  }
  if (trade.networkFees === null) {
    yield ['NETWORK_COST_UNKNOWN', 'The node has not reported its fees yet.'];
  } else if (trade.networkFees.data.kind === 'unknown') {
    const message = "The node does not report what a transaction's data costs on the parent chain.";
    yield ['NETWORK_COST_UNKNOWN', message];
  }
}

export function findWarnings(facts: WarningFacts): readonly TradeWarning[] {
  const { powers, isTrusted } = facts;
  const pairs: CodeAndMessage[] = [
    ...[...warnOfMarket(facts), ...warnOfSafety(facts), ...warnOfRoute(facts)],
    // Not of tokens that everybody uses as money.
    ...(powers === null || isTrusted ? [] : warnOfPowers(powers)),
  ];
  return pairs.map(([code, message]) => ({ code, message }));
}
