// Why no route was found: no market, not enough of it, or too little to buy anything.

import { AppError } from '../../errors/app-error.ts';
import { toShownAddress } from '../../lib/checksum-address.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/market-event.ts';
import type { RouteQuestion } from './find-trade-route.ts';
import { createField } from './route-field.ts';
import { FREE, findBestSingle } from './route-single.ts';

const HOP_COUNT_MAX = 3;
/** Plenty to tell a reason by; whoever asks for the impossible must not cost more than others. */
const POOL_COUNT_MAX = 64;
/** Each time so much more, or less; enough steps to cross all of 256 bits. */
const STEP_BITS = 8n;
const BITS_MAX = 256n;

export function refuseRoute(question: RouteQuestion, chain: ChainSlug): AppError {
  const { graph, tokenIn, tokenOut, amountIn, isPaused } = question;
  const from = toShownAddress(tokenIn);
  const to = toShownAddress(tokenOut);
  const ends = [graph.toAsset(tokenIn), graph.toAsset(tokenOut)];
  const isOpen = (token: Address) => ends.includes(graph.toAsset(token)) || !isPaused(token);
  const field = createField(graph, {
    assetIn: graph.toAsset(tokenIn),
    assetOut: graph.toAsset(tokenOut),
    accepts: ({ token0, token1 }) => isOpen(token0) && isOpen(token1),
    withInexact: true,
    hopCountMax: HOP_COUNT_MAX,
    poolCountMax: POOL_COUNT_MAX,
  });
  const canTrade = (amount: bigint) =>
    findBestSingle(field, { amountIn: amount, hopCountMax: HOP_COUNT_MAX, cost: FREE }) !== null;
  for (let bits = STEP_BITS; bits <= BITS_MAX; bits += STEP_BITS) {
    const less = amountIn >> bits;
    if (less > 0n && canTrade(less)) return new AppError('INSUFFICIENT_LIQUIDITY', { from, to });
    const more = amountIn << bits;
    if (more >> BITS_MAX === 0n && canTrade(more)) return new AppError('AMOUNT_TOO_SMALL', { to });
  }
  return new AppError('NO_MARKET', { chain, from, to });
}
