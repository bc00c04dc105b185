// A token leaves the scope: nothing more is read of it, so its rows must not look current.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolKindName, PoolRecord, StateOf } from '../../model/pool.ts';
import { loadPoolRows, loadStoredTokens } from '../apply/load-state.ts';
import { valuePools } from '../apply/value-pools.ts';
import type { MarketState, PoolEntry } from '../state/market-state.ts';
import type { ScopeSource } from './chain-scope.ts';

/** Loads the tokens, and their pools that are no longer indexed, which it returns. */
export async function loadLeaving(
  state: MarketState,
  source: ScopeSource,
  leaving: {
    readonly tokens: readonly Address[];
    readonly hasPool: (pool: PoolRecord) => boolean;
  },
): Promise<PoolEntry[]> {
  const { reader, adapter } = source;
  const rows = await reader.readPoolsOfTokens(adapter.chain, leaving.tokens);
  const ids = rows.filter((row) => !leaving.hasPool(row)).map(({ pool }) => pool);
  await loadPoolRows(state, source, ids);
  await loadStoredTokens(state, { reader, chain: adapter.chain }, leaving.tokens);
  return ids.flatMap((pool) => state.pools.get(pool) ?? []);
}

/**
 * Makes the state of the pools unknown, and the tokens' prices and liquidity. The rows must be
 * loaded, and `beginBlock` called. Trades and candles stay; balances count as incomplete.
 */
export function applyLeave(
  state: MarketState,
  leaving: { readonly tokens: readonly Address[]; readonly pools: readonly PoolEntry[] },
): void {
  for (const entry of leaving.pools) {
    state.touchPool(entry);
    const unknown = kindOf(entry.row).stateAtStart as StateOf<PoolKindName>;
    Object.assign(entry.row, { state: unknown, complete: false });
    entry.ticks = null;
    entry.tickOrder = null;
  }
  // Takes their values off the tokens on both sides.
  valuePools(state);
  for (const token of leaving.tokens) {
    const entry = state.tokens.get(token);
    if (entry === undefined) continue;
    state.touchToken(entry);
    Object.assign(entry.row, {
      ...{ priceNative: null, priceUsd: null, liquidityUsdE18: null },
      ...{ pairedPool: null, pairedUsdE18: null, balancesBroken: true },
    });
  }
}
