// The scopes of the chains: from the configuration, and as the indexer uses them.

import type { ChainAdapter } from '../chains/adapter.ts';
import type { ConfiguredScope } from '../config/scope-settings.ts';
import type { Config } from '../config.ts';
import type { ChainScope } from '../ingest/scope/chain-scope.ts';
import { LiquidScope } from '../ingest/scope/liquid-scope.ts';
import { WatchScope } from '../ingest/scope/watch-scope.ts';
import { systemClock } from '../lib/clock.ts';
import { pow10 } from '../lib/decimal.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Store } from '../store/store.ts';
import { findFamily } from './chain-families.ts';

/** Plain data: it crosses to other threads. */
export type ConfiguredScopes = Readonly<Partial<Record<ChainSlug, ConfiguredScope>>>;

export function listScopes({ chains, devnet }: Config): ConfiguredScopes {
  const configured = chains.map(({ chain, scope }) => [chain, scope] as const);
  return Object.fromEntries([...configured, ['devnet', devnet.scope] as const]);
}

/** The configured tokens of a chain, in their stored form. */
export function listWatched(chain: ChainSlug, { watch }: ConfiguredScope): Address[] {
  return watch.flatMap((text) => findFamily(chain).addresses.parse(text) ?? []);
}

/** Null if every token is indexed. */
export function createScope(
  scope: ConfiguredScope | null,
  parts: {
    readonly adapter: ChainAdapter;
    readonly store: Store;
    readonly indexing: Pick<Config['indexing'], 'liquidFloorUsd'>;
  },
): ChainScope | null {
  const { adapter, store, indexing } = parts;
  if (scope === null || scope.name === 'all') return null;
  if (scope.name === 'liquid') {
    return new LiquidScope({
      floorUsdE18: BigInt(indexing.liquidFloorUsd) * pow10(18),
      assets: adapter.assets,
    });
  }
  const { chain } = adapter;
  const configured = listWatched(chain, scope);
  return new WatchScope({
    ...{ adapter, store: store.market, clock: systemClock },
    readWatched: async () => [...configured, ...(await store.watches.list(chain))],
  });
}
