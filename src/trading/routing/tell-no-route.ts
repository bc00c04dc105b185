// Tells why no route was found: no market, not enough of it, or too little to buy anything.

import { toAmountInMax } from './route-capacity.ts';
import { createField } from './route-field.ts';
import { FREE, findBestSingle } from './route-single.ts';
import type { SearchWork } from './search-work.ts';
import type { TradePlan } from './trade-plan.ts';

export type NoRouteReason = 'tooMuch' | 'tooLittle' | 'noMarket';

const HOP_COUNT_MAX = 3;
/** Each time so much more, or less; enough steps to cross all of 256 bits. */
const STEP_BITS = 8n;
const BITS_MAX = 256n;

/** Looks for amounts that could be traded: with less than was asked for, and with more. */
export function tellNoRoute(plan: TradePlan, work: SearchWork): NoRouteReason {
  const refusal = plan.toRefusal();
  const most = toAmountInMax(refusal);
  if (most === null) return 'noMarket';
  const field = createField(refusal);
  const canTrade = (amountIn: bigint) =>
    findBestSingle(field, { amountIn, hopCountMax: HOP_COUNT_MAX, cost: FREE, work }) !== null;
  const { amountIn } = plan;
  // What is beyond all pools need not be tried.
  const isBeyond = amountIn > most;
  const start = isBeyond ? most : amountIn;
  for (let bits = isBeyond ? 0n : STEP_BITS; bits <= BITS_MAX; bits += STEP_BITS) {
    const less = start >> bits;
    if (less > 0n && canTrade(less)) return 'tooMuch';
    const more = start << bits;
    if (!isBeyond && more <= most && canTrade(more)) return 'tooLittle';
    if (less === 0n && (isBeyond || more > most)) break;
  }
  return 'noMarket';
}
