// Whether a pool that answers by calls is the better route, and that route.

import type { Address } from '../../model/ids.ts';
import type { TaxedRoute } from '../routing/find-trade-route.ts';
import { computePriceImpactBps } from '../routing/trade-prices.ts';
import type { CalledRoute } from './called-quotes.ts';
import type { TradeChain } from './trade-chain.ts';

interface CalledQuestion {
  /** What is computed; null if nothing is. */
  readonly found: TaxedRoute | null;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly block: number;
}

/** From this price impact on, pools are called, too. */
const IMPACT_HIGH_BPS = 300;
/** How much better such a pool must pay, in per cent: nothing is promised of it. */
const BETTER_PCT = 2n;
const NO_TAXES = { inBps: 0, outBps: 0 };

function toTaxedRoute(called: CalledRoute, amountIn: bigint): TaxedRoute {
  const { pool, zeroForOne, amountOut, router } = called;
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  const amounts = { amountIn, amountOut };
  const hops = [
    { pool, zeroForOne, tokenIn, tokenOut, ...amounts, feeAmount: 0n, ticksCrossed: 0 },
  ];
  const route = {
    ...{ ...amounts, cost: 0n, exact: false },
    strands: [{ takes: 'input' as const, ...amounts, hops }],
    legs: [{ ...amounts, hops }],
  };
  return { route, taxes: NO_TAXES, router, amountOut };
}

/** Null if what is computed is good enough, or no called pool pays more. */
export async function findCalledRoute(
  { wrapped, addresses, findCalled }: TradeChain,
  { found, tokenIn, tokenOut, amountIn, block }: CalledQuestion,
): Promise<TaxedRoute | null> {
  if (findCalled === undefined) return null;
  if (found !== null && computePriceImpactBps(found.route) < IMPACT_HIGH_BPS) return null;
  const toHeld = (token: Address) => (token === addresses.native ? wrapped : token);
  const ends = { tokenIn: toHeld(tokenIn), tokenOut: toHeld(tokenOut) };
  const called = await findCalled({ ...ends, amountIn, block });
  if (called === null) return null;
  const isBetter =
    found === null || called.amountOut * 100n > found.amountOut * (100n + BETTER_PCT);
  return isBetter ? toTaxedRoute(called, amountIn) : null;
}
