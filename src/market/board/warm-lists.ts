// Looks up ahead what the first lists would otherwise look up at once, for every token and pool.

import { setImmediate } from 'node:timers/promises';
import type { ChainBoard } from './chain-board.ts';
import type { ChainColumns } from './chain-columns.ts';
import { BOARD_WINDOWS } from './window-subject.ts';

/** Parts of about this many take a few milliseconds each. */
const PART_SIZE = 2000;

/** Ends when `isCurrent` says that one of the two was replaced. */
export async function warmLists(
  { tokens, pools }: ChainBoard,
  columns: ChainColumns,
  isCurrent: () => boolean,
): Promise<void> {
  for (let id = 0; id < tokens.idsEnd; id += PART_SIZE) {
    await setImmediate();
    if (!isCurrent()) return;
    tokens.findPlaces(columns.placedTokens, PART_SIZE);
    pools.findPlaces(columns.placedPools, PART_SIZE);
    for (let one = id; one < Math.min(id + PART_SIZE, tokens.idsEnd); one += 1) {
      for (const window of BOARD_WINDOWS.keys()) tokens.findStartKind(one, window);
    }
  }
}
