// Adds tokens and pools that were looked up, as a change of the last indexed block.

import type { Discovery } from '../../model/discovery.ts';
import type { PoolId } from '../../model/ids.ts';
import type { PoolDescription } from '../../model/pool.ts';
import { applyPoolCreated } from '../apply/apply-pool-event.ts';
import { valuePools } from '../apply/value-pools.ts';
import type { MarketState } from '../state/market-state.ts';
import { openTokenEntry } from '../state/token-entry.ts';

/** Only what the index does not have; without discoveries that bring anything. */
export function pickNew(
  state: MarketState,
  discoveries: readonly Discovery[],
): readonly Discovery[] {
  const seen = new Set<PoolId>();
  const isNew = ({ pool }: PoolDescription): boolean => {
    if (state.pools.get(pool) !== undefined || seen.has(pool)) return false;
    seen.add(pool);
    return true;
  };
  const byToken = Map.groupBy(discoveries, ({ token }) => token);
  return Array.from(byToken, ([token, found]) => ({
    token,
    pools: found.flatMap(({ pools }) => pools.filter(isNew)),
  })).filter(({ token, pools }) => pools.length > 0 || state.tokens.get(token) === undefined);
}

/** Everything must be loaded, and `beginBlock` called. */
export function applyDiscoveries(state: MarketState, discoveries: readonly Discovery[]): void {
  for (const { token, pools } of discoveries) {
    openTokenEntry(state, token);
    for (const description of pools) {
      applyPoolCreated(state, { kind: 'poolCreated', description, complete: false });
    }
  }
  valuePools(state);
}
