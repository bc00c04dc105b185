// The traders' model of the market: each pool's price, and the price that it is drawn to.

import { type Address, zeroAddress } from 'viem';
import { pickCrew } from './deploy-contracts.ts';
import type { Deployment, DevnetPool } from './deployment.ts';
import type { SeededRandom } from './random.ts';
import { computeStartingShare, TOKEN_LIST } from './token-list.ts';

export interface PoolView {
  readonly pool: DevnetPool;
  readonly quoteOpeningRaw: bigint;
  readonly tokenOpeningRaw: bigint;
  /** Natural logarithm of the token's price relative to the opening. */
  deviation: number;
  /** Full-range liquidity over that at the opening. */
  scale: number;
}

/** Floats are fine here: they only choose trades; the chain decides what happens. */
export interface DevnetMarket {
  readonly deployment: Deployment;
  readonly pools: readonly PoolView[];
  /** The logarithmic price in dollars, relative to the start, that each asset is drawn to. */
  readonly drift: Map<string, number>;
  /** The minimum of a token in a wallet; keyed by `toHoldingKey`. */
  readonly holdings: Map<string, bigint>;
  /** `${wallet}:${token}:${spender}` of the approvals given. */
  readonly approved: Set<string>;
}

/** Half the width of the narrow positions that the deployment opens, logarithmically. */
const NARROW_RANGE = 0.12;
const RANGE_VENUES: ReadonlySet<string> = new Set(['uniswap-v3', 'uniswap-v4', 'pancakeswap-v3']);
/** The maximum drift from the start. */
const DRIFT_MAX = 0.3;
const PULL_PER_HOUR = 0.12;
const SPREAD_PER_ROOT_HOUR: Readonly<Record<string, number>> = {
  usdc: 0,
  odol: 0.0004,
  eth: 0.011,
};
const SPREAD_DEFAULT = 0.035;

export function toHoldingKey(wallet: Address, token: Address): string {
  return `${wallet}:${token}`;
}

function createView(pool: DevnetPool): PoolView {
  const tokenFirst = pool.currency0 === pool.tokenAddress;
  const amount0 = BigInt(pool.opening.amount0Raw);
  const amount1 = BigInt(pool.opening.amount1Raw);
  return {
    pool,
    quoteOpeningRaw: tokenFirst ? amount1 : amount0,
    tokenOpeningRaw: tokenFirst ? amount0 : amount1,
    deviation: 0,
    scale: 1,
  };
}

/** The market right after deployment. */
export function createDevnetMarket(deployment: Deployment): DevnetMarket {
  const holdings = new Map<string, bigint>();
  for (const spec of TOKEN_LIST) {
    const token = deployment.tokens.find(({ key }) => key === spec.key);
    if (token === undefined) continue;
    for (const wallet of pickCrew(spec.key)) {
      holdings.set(toHoldingKey(wallet, token.address), computeStartingShare(spec));
    }
  }
  return {
    deployment,
    pools: [...deployment.pools, ...(deployment.others?.pools ?? [])].map(createView),
    drift: new Map([['eth', 0], ...TOKEN_LIST.map(({ key }): [string, number] => [key, 0])]),
    holdings,
    approved: new Set(),
  };
}

/** Random walk of every asset's drift, pulled back to the start. */
export function advanceDrift(market: DevnetMarket, random: SeededRandom, elapsedS: number): void {
  const hours = elapsedS / 3_600;
  for (const [asset, value] of market.drift) {
    const spread = SPREAD_PER_ROOT_HOUR[asset] ?? SPREAD_DEFAULT;
    const pulled = value - value * Math.min(1, PULL_PER_HOUR * hours);
    const moved = pulled + spread * Math.sqrt(hours) * random.normal();
    market.drift.set(asset, Math.max(-DRIFT_MAX, Math.min(DRIFT_MAX, moved)));
  }
}

/** How far the pool's price is below its target, logarithmically. */
export function computeGap(market: DevnetMarket, view: PoolView): number {
  const quote = view.pool.quote === 'weth' ? 'eth' : view.pool.quote;
  const target = (market.drift.get(view.pool.token) ?? 0) - (market.drift.get(quote) ?? 0);
  return target - view.deviation;
}

/**
 * Liquidity at the pool's price relative to the full range: positions are around the opening price.
 */
function computeDepthFactor(view: PoolView): number {
  if (!RANGE_VENUES.has(view.pool.venue)) return view.scale;
  return view.scale + (Math.abs(view.deviation) < NARROW_RANGE ? 1 : 0);
}

const BILLION = 1_000_000_000n;

function scaleRaw(amountRaw: bigint, factor: number): bigint {
  const scaled = (amountRaw * BigInt(Math.round(factor * 1e9))) / BILLION;
  return scaled > 0n ? scaled : 1n;
}

/** What must be spent to move the price by `step`, logarithmically, and about what it buys. */
export function computeTradeSize(view: PoolView, side: 'buy' | 'sell', step: number) {
  const reach = computeDepthFactor(view) * (Math.exp(step / 2) - 1);
  const quoteRaw = scaleRaw(view.quoteOpeningRaw, reach * Math.exp(view.deviation / 2));
  const tokenRaw = scaleRaw(view.tokenOpeningRaw, reach * Math.exp(-view.deviation / 2));
  return side === 'buy' ? { amountInRaw: quoteRaw, tokenRaw } : { amountInRaw: tokenRaw, tokenRaw };
}

/** The full-range amounts at the current price for a share of the opening's liquidity. */
export function computeLiquiditySize(view: PoolView, share: number) {
  const quoteRaw = scaleRaw(view.quoteOpeningRaw, share * Math.exp(view.deviation / 2));
  const tokenRaw = scaleRaw(view.tokenOpeningRaw, share * Math.exp(-view.deviation / 2));
  const tokenFirst = view.pool.currency0 === view.pool.tokenAddress;
  return tokenFirst
    ? { amount0: tokenRaw, amount1: quoteRaw }
    : { amount0: quoteRaw, amount1: tokenRaw };
}

export function isNativeQuoted(pool: DevnetPool): boolean {
  return pool.quote === 'weth' || pool.currency0 === zeroAddress;
}
