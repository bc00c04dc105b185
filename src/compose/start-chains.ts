// Decides which chains to follow and starts indexing, including the devnet's node.

import type { ChainSource } from '../chains/family.ts';
import { listEmbedded } from '../config/devnet-settings.ts';
import type { Config } from '../config.ts';
import type { ChainConnections } from '../engines/chain-connections.ts';
import { listScopes } from '../engines/chain-scopes.ts';
import { findChainSources } from '../engines/chain-source.ts';
import { StartError } from '../errors/start-error.ts';
import type { TokenDemand } from '../ingest/demand/token-demand.ts';
import type { Clock } from '../lib/clock.ts';
import type { EncodedBatch } from '../live/encode-batch.ts';
import type { ChainDirectory } from '../market/chain-status.ts';
import type { PoolDemand } from '../model/adoption.ts';
import type { ChainSlug, EmbeddedSlug } from '../model/chain.ts';
import type { ChainRegistry } from '../model/chain-registry.ts';
import type { Address, PoolId } from '../model/ids.ts';
import { ChainFollower } from '../runtime/chain-follower.ts';
import { isLate } from '../runtime/chain-progress.ts';
import { isInstalled } from '../runtime/devnet-process.ts';
import { EmbeddedChains, type EmbeddedChainsOptions } from '../runtime/embedded-chains.ts';
import { watchHeapGrowth } from '../runtime/indexer-heap.ts';
import type { LeaseStore } from '../store/lease-store.ts';
import type { SignalStore } from '../store/signal-store.ts';
import type { Store } from '../store/store.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { computeRollbacksKeptMs } from './open-streams.ts';

// The embedded chains that the settings ask for.

/** The embedded chains to follow; Solana's only where its virtual machine is installed. */
function listWanted(config: Config): EmbeddedSlug[] {
  const { deployment, solanaDeployment } = config.devnet;
  const wanted = listEmbedded(config.devnet, config.chains.length);
  if (wanted.includes('devnet') && deployment === null && !isInstalled('devnet')) {
    throw new StartError(
      'There is no chain to follow. Set an endpoint, for example RPC_ETHEREUM=https://…, or install the development dependencies (npm ci without --omit=dev) for the embedded devnet. DEVNET=off starts without any chain.',
    );
  }
  const canRun = solanaDeployment !== null || isInstalled('devnet-solana');
  if (wanted.length === 1 && wanted[0] === 'devnet-solana' && !canRun) {
    throw new StartError(
      'DEVNET_SOLANA=only needs the development dependencies (npm ci without --omit=dev).',
    );
  }
  return wanted.filter((chain) => chain === 'devnet' || canRun);
}

export interface FollowedChains extends ChainDirectory {
  readonly slugs: readonly ChainSlug[];
  readonly known: ChainRegistry;
  /** Whether this process indexes the chain. */
  isIndexing(chain: ChainSlug): boolean;
  /** Whether answers about the chain are older than they should be. */
  isLate(chain: ChainSlug): boolean;
  /** For how long the index is no longer known to be at the chain's head. */
  readAge(chain: ChainSlug): { readonly ageMs: number; readonly isSlowed: boolean };
  /** The source of a chain; null while it is unknown. */
  findSource(chain: ChainSlug): ChainSource | null;
  /** Whether pools that are not known in full are read; true while that is not known. */
  isAdopting(chain: ChainSlug): boolean;
  /** Somebody asks about these pools, which are not known in full. */
  adopt(chain: ChainSlug, pools: readonly PoolId[], demand: PoolDemand): void;
  /** Somebody asks about this token, whose history from before the index may be missing. */
  requestHistory(chain: ChainSlug, token: Address, caller: string): void;
  /** The tokens that clients ask for. */
  readonly tokens: TokenDemand;
  stop(): Promise<void>;
}

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

export function startChains(options: StartChainsOptions): FollowedChains {
  const { config } = options;
  const configured = findChainSources(config.chains);
  const embedded = listWanted(config);
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
    get slugs() {
      return follower.slugs;
    },
    known: config.knownChains,
    list: () => follower.list(),
    isIndexing: (chain) => follower.isIndexing(chain),
    isLate: (chain) => follower.list().some((one) => one.slug === chain && isLate(one)),
    readAge: (chain) => follower.readAge(chain),
    findSource: (chain) => follower.findSource(chain),
    isAdopting: (chain) => follower.isAdopting(chain),
    adopt: (chain, pools, demand) => follower.adopt(chain, pools, demand),
    requestHistory: (chain, token, caller) => follower.requestHistory(chain, token, caller),
    tokens: follower.tokens,
    stop: async () => {
      // The indexer stops first, so that it does not see its node disappear.
      await follower.stop();
      await running.stop();
      unwatchHeap();
    },
  };
}
