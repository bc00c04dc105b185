// Picks the top traders of a token from its positions with the largest volumes.
//
// Nobody realises more than he sold for, so a position's volume bounds its profit, in any window.
// Positions come by their volume's step, the highest first. The reading ends when no unread one can
// be among the top, or after a limited number: then the answer says which were not compared.

import type { Address } from '../model/ids.ts';
import type { PositionRecord, TradeFigures } from '../model/position.ts';
import { sumFigures } from '../positions/position-periods.ts';
import { findStepMax } from '../positions/volume-step.ts';
import type { LargestPositions, LargestQuery } from '../store/market-reads.ts';

/** How many positions are read at first, and then. */
const PAGE_SIZES = [500, 4500] as const;

interface PickedTrader {
  readonly position: PositionRecord;
  readonly figures: TradeFigures;
}

interface PickedTraders {
  readonly traders: readonly PickedTrader[];
  /** Positions with a volume up to this were not all compared; null if they were. */
  readonly unreadMaxE6: bigint | null;
}

type SortKey = 'volumeUsdE6' | 'realisedUsdE6';

function compareWallets(a: Address, b: Address): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareTraders(key: SortKey, a: PickedTrader, b: PickedTrader): number {
  const [left, right] = [a.figures[key], b.figures[key]];
  if (left !== right) return left > right ? -1 : 1;
  return compareWallets(a.position.wallet, b.position.wallet);
}

export async function pickTraders(
  read: (query: LargestQuery) => Promise<LargestPositions>,
  query: { readonly key: SortKey; readonly fromMs: number; readonly limit: number },
): Promise<PickedTraders> {
  const { key, fromMs, limit } = query;
  let traders: readonly PickedTrader[] = [];
  let stepMax: number | null = null;
  const known = new Set<Address>();
  let unreadMaxE6: bigint | null = null;
  for (const size of PAGE_SIZES) {
    const page: LargestPositions = await read({ stepMax, limit: size, fromMs });
    // Positions of the step at which the page before ended may come again.
    const added = page.positions
      .filter(({ wallet }) => !known.has(wallet))
      .map((position) => ({ position, figures: sumFigures(position, fromMs) }))
      .filter(({ figures }) => figures.buys + figures.sells > 0);
    traders = [...traders, ...added].sort((a, b) => compareTraders(key, a, b)).slice(0, limit);
    if (page.lastStep === null) return { traders, unreadMaxE6: null };
    for (const { wallet } of page.positions) known.add(wallet);
    stepMax = page.lastStep;
    unreadMaxE6 = findStepMax(stepMax);
    const lowest = traders[limit - 1];
    if (lowest !== undefined && lowest.figures[key] > unreadMaxE6) {
      return { traders, unreadMaxE6: null };
    }
  }
  return { traders, unreadMaxE6 };
}
