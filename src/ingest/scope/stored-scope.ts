// The scope that a stored index was made with.

import { kindOf } from '../../amm/pool-kinds.ts';
import { type ChainSlug, toSettingSuffix } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { PoolKindName, PoolRecord, StateOf } from '../../model/pool.ts';
import type { ScopeEntry, ScopeName } from '../../model/scope.ts';
import type { MarketScanner } from '../../store/store.ts';
import { loadPoolRows, loadStoredTokens } from '../apply/load-state.ts';
import { valuePools } from '../apply/value-pools.ts';
import type { MarketState, PoolEntry } from '../state/market-state.ts';
import type { ScopeSource } from './chain-scope.ts';

// A token leaves the scope: nothing more is read of it, so its rows must not look current.

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

/** The index of a chain has another scope than the configured one. */
class ScopeChangedError extends Error {
  override readonly name = 'ScopeChangedError';
}

/** Rows of another scope would be taken for current ones, or for all there are. */
export function assertSameScope(
  chain: ChainSlug,
  checkpoint: Pick<Checkpoint, 'scope'> | null,
  configured: ScopeName,
): void {
  const stored = checkpoint === null ? configured : (checkpoint.scope ?? 'all');
  if (stored === configured) return;
  const name = `SCOPE_${toSettingSuffix(chain)}`;
  throw new ScopeChangedError(
    `${chain} was indexed with ${name}=${stored}, not ${configured}: set it back, or delete the index with "npx mintwire forget --chain ${chain}" to begin a new one`,
  );
}

export async function readAllEntries(
  store: Pick<MarketScanner, 'scanScopeEntries'>,
  chain: ChainSlug,
): Promise<ScopeEntry[]> {
  const entries: ScopeEntry[] = [];
  for await (const rows of store.scanScopeEntries(chain)) entries.push(...rows);
  return entries;
}
