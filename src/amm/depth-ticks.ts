// Which ticks matter for a pool's depth, which is shown up to ten per cent from its price.

import type { TickRange } from '../model/market-record.ts';

/** A fall by ten per cent is further than a rise. */
const REACH_LOG = -Math.log(0.9);

/** `base` is the ratio of the prices of two neighbouring ticks. */
export function computeDepthTicks(tick: number | null, base: number): TickRange | null {
  if (tick === null) return null;
  const reach = Math.ceil(REACH_LOG / Math.log(base)) + 1;
  return { fromTick: tick - reach, toTick: tick + reach };
}
