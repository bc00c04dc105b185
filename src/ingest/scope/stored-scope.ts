// The scope that a stored index was made with.

import { type ChainSlug, toSettingSuffix } from '../../model/chain.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { ScopeEntry, ScopeName } from '../../model/scope.ts';
import type { MarketScanner } from '../../store/store.ts';

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
