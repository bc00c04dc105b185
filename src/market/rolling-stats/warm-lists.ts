// Looks up ahead what the first lists would otherwise look up at once, for every token and pool.

import { setImmediate } from 'node:timers/promises';
import type { ChainColumns } from './chain-columns.ts';
import type { ChainStats } from './chain-stats.ts';
import { STATS_WINDOWS } from './window-subject.ts';

/** Parts of about this many take a few milliseconds each. */
const PART_SIZE = 2000;

/** Ends when `isCurrent` says that one of the two was replaced. */
export async function warmLists(
  { tokens, pools }: ChainStats,
  columns: ChainColumns,
  isCurrent: () => boolean,
): Promise<void> {
  for (let id = 0; id < tokens.idsEnd; id += PART_SIZE) {
    await setImmediate();
    if (!isCurrent()) return;
    tokens.findPlaces(columns.placedTokens, PART_SIZE);
    pools.findPlaces(columns.placedPools, PART_SIZE);
    for (let one = id; one < Math.min(id + PART_SIZE, tokens.idsEnd); one += 1) {
      for (const window of STATS_WINDOWS.keys()) tokens.findStartKind(one, window);
    }
  }
}
