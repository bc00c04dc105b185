// Why no route was found: no market, not enough of it, or too little to buy anything.

import { AppError } from '../errors/app-error.ts';
import { toShownAddress } from '../lib/checksum-address.ts';
import type { ChainSlug } from '../model/chain.ts';
import { findTradeRoute, type RouteQuestion } from './find-trade-route.ts';

/** Each time so much more, or less; enough steps to cross all of 256 bits. */
const FACTOR = 2n ** 32n;
const STEP_COUNT_MAX = 8;
const AMOUNT_MAX = 2n ** 256n - 1n;

function canTrade(question: RouteQuestion, amountIn: bigint): boolean {
  return findTradeRoute({ ...question, amountIn, cost: null }) !== null;
}

export function refuseRoute(question: RouteQuestion, chain: ChainSlug): AppError {
  const from = toShownAddress(question.tokenIn);
  const to = toShownAddress(question.tokenOut);
  let less = question.amountIn;
  let more = question.amountIn;
  for (let step = 0; step < STEP_COUNT_MAX; step += 1) {
    less /= FACTOR;
    more = more * FACTOR > AMOUNT_MAX ? AMOUNT_MAX : more * FACTOR;
    if (less > 0n && canTrade(question, less)) {
      return new AppError('INSUFFICIENT_LIQUIDITY', { from, to });
    }
    if (more < AMOUNT_MAX && canTrade(question, more)) {
      return new AppError('AMOUNT_TOO_SMALL', { to });
    }
  }
  return new AppError('NO_MARKET', { chain, from, to });
}
