// Finds out why no route was found: no market, not enough liquidity, or too small an amount.

import { computeAmountInMax } from './route-capacity.ts';
import { createField } from './route-field.ts';
import { FREE, findBestSingle } from './route-single.ts';
import type { SearchWork } from './search-work.ts';
import type { TradePlan } from './trade-plan.ts';

export type NoRouteReason = 'tooMuch' | 'tooLittle' | 'noMarket';

const HOP_COUNT_MAX = 3;
/** The factor of each step, in bits; enough steps to cross all 256 bits. */
const STEP_BITS = 8n;
const BITS_MAX = 256n;

/** Tries amounts that could be traded: smaller and larger than requested. */
export function explainNoRoute(plan: TradePlan, work: SearchWork): NoRouteReason {
  const refusal = plan.planRefusal();
  const most = computeAmountInMax(refusal);
  if (most === null) return 'noMarket';
  const field = createField(refusal);
  const canTrade = (amountIn: bigint) =>
    findBestSingle(field, { amountIn, hopCountMax: HOP_COUNT_MAX, cost: FREE, work }) !== null;
  const { amountIn } = plan;
  // Amounts above the capacity of all pools need not be tried.
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
