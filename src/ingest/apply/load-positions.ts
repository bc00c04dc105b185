// Loads the positions that a batch of blocks trades in, and the balances to compare them with.

import { listMarketViews } from '../../chains/quote-rule.ts';
import type { BlockEvents } from '../../model/block-events.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { PoolId } from '../../model/ids.ts';
import type { PoolDescription } from '../../model/pool.ts';
import type { MarketReader } from '../../store/store.ts';
import type { BalanceEntry } from '../state/balance-cache.ts';
import type { MarketState } from '../state/market-state.ts';
import type { PositionEntry } from '../state/position-cache.ts';

/** Requires that the pools and tokens of the blocks are loaded, except `created` ones. */
export async function loadPositions(
  state: MarketState,
  source: { readonly reader: MarketReader; readonly chain: ChainSlug },
  of: {
    readonly blocks: readonly BlockEvents[];
    readonly created: ReadonlyMap<PoolId, Pick<PoolDescription, 'token0' | 'token1'>>;
    /** Gets the balances that are not in memory yet. */
    readonly balances: BalanceEntry[];
  },
): Promise<void> {
  const missing: PositionEntry[] = [];
  const { coin } = state.assets;
  for (const { events } of of.blocks) {
    for (const event of events) {
      if (event.kind !== 'swap') continue;
      const { pool, wallet } = event;
      const created = of.created.get(pool);
      const views =
        state.pools.get(pool)?.views ?? (created && listMarketViews(state.assets, created));
      for (const { base: token } of views ?? []) {
        if (token !== coin && state.balances.get(token, wallet) === undefined) {
          of.balances.push(state.adoptBalance(token, wallet));
        }
        if (state.positions.find(token, wallet) !== undefined) continue;
        const entry = state.positions.add(token, wallet);
        // A new token has no positions in the store.
        if (state.tokens.get(token)?.hasAllPositions === false) missing.push(entry);
      }
    }
  }
  if (missing.length === 0) return;
  for (const row of await source.reader.readPositions(source.chain, missing)) {
    state.positions.load(row);
  }
}
