// What searches cost their callers.

import { EVALUATIONS_PER_UNIT } from '../../contract/operation.ts';
import type { SearchMeter } from '../search/route-desk.ts';
import type { TradeCaller } from './priced-trade.ts';

/** What a search costs beyond the cost of its operation. */
export function computeExtraCost(evaluations: number): number {
  return Math.ceil(Math.max(0, evaluations - EVALUATIONS_PER_UNIT) / EVALUATIONS_PER_UNIT);
}

export function createSearchMeter(caller: TradeCaller): SearchMeter {
  let paid = 0;
  return {
    prepay: (evaluations) => {
      const cost = computeExtraCost(evaluations);
      if (cost > 0) paid = caller.chargeAhead(cost);
    },
    settle: (evaluations) => caller.charge(computeExtraCost(evaluations) - paid),
  };
}
