// Starts the embedded chains and the following of all.

import type { ChainConnections } from '../engines/chain-connections.ts';
import { listScopes } from '../engines/chain-scopes.ts';
import { findChainSources } from '../engines/chain-source.ts';
import type { Clock } from '../lib/clock.ts';
import type { EncodedBatch } from '../live/encode-batch.ts';
import type { ChainSlug } from '../model/chain.ts';
import { ChainFollower } from '../runtime/chain-follower.ts';
import {
  EmbeddedChains,
  type EmbeddedChainsOptions,
  listWantedChains,
} from '../runtime/embedded-chains.ts';
import { watchHeapGrowth } from '../runtime/indexer-heap.ts';
import type { LeaseStore, SignalStore } from '../store/feed-store.ts';
import type { Store } from '../store/store.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { computeRollbacksKeptMs } from './open-streams.ts';

interface StartChainsOptions extends EmbeddedChainsOptions {
  /** Called with every commit of this process, in order. */
  readonly onCommitted: (batch: EncodedBatch) => void;
  readonly onStoreFault: Store['report'];
  readonly leases: Pick<LeaseStore, 'list'> | null;
  readonly signals: SignalStore | null;
  /** The name of this process among those on the store. */
  readonly node: string;
  readonly connections: ChainConnections;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

function canIndex({ config }: StartChainsOptions, chain: ChainSlug): boolean {
  const { role, indexedChains } = config.node;
  if (role === 'api') return false;
  return indexedChains.length === 0 || indexedChains.includes(chain);
}

/** The chains, and how to end what runs them. */
export function startChains(options: StartChainsOptions): {
  readonly chains: ChainFollower;
  stop(): Promise<void>;
} {
  const { config } = options;
  const configured = findChainSources(config.chains);
  const embedded = listWantedChains(config);
  const chains: ChainSlug[] = [...configured.map((source) => source.chain), ...embedded];
  const follower = new ChainFollower({
    ...options,
    store: config.store,
    indexing: config.indexing,
    rollbacksKeptMs: computeRollbacksKeptMs(config),
    chains,
    known: config.knownChains,
    scopes: listScopes(config),
    leaseMs: config.node.leaseSeconds * 1000,
    canIndex: (chain) => canIndex(options, chain),
  });
  const unwatchHeap = watchHeapGrowth();
  const running = new EmbeddedChains(options, (sources) => {
    follower.follow([...configured, ...sources]);
  });
  for (const chain of embedded) running.start(chain, follower);
  if (configured.length > 0 && !running.hasSources) follower.follow(configured);
  return {
    chains: follower,
    stop: async () => {
      // The indexer stops first, so that it does not see its node disappear.
      await follower.stop();
      await running.stop();
      unwatchHeap();
    },
  };
}
