// Keeps a token's launch: the curve that sells it, how far that is, when its own pool opened.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { MarketState, PoolEntry } from '../state/market-state.ts';
import { openTokenEntry } from '../state/token-entry.ts';

/** Must be called after each change of a pool. */
export function noteLaunch(state: MarketState, { row }: Pick<PoolEntry, 'row'>): void {
  const found = kindOf(row).findProgress?.(row) ?? null;
  if (found === null) return;
  const token = openTokenEntry(state, row.token0);
  const { launch } = token.row;
  const { progressPct, isGraduated } = found;
  const graduatedAtMs = isGraduated ? (launch?.graduatedAtMs ?? state.header.timestampMs) : null;
  const isSame = launch?.progressPct === progressPct && launch.graduatedAtMs === graduatedAtMs;
  if (isSame && launch.venue === row.venue) return;
  state.touchToken(token);
  token.row.launch = { venue: row.venue, progressPct, graduatedAtMs };
}
