// Decides which chains to follow and starts indexing, including the devnet's node.

import type { ChainSource } from '../chains/family.ts';
import type { Config } from '../config.ts';
import type { TokenDemand } from '../ingest/demand/token-demand.ts';
import type { Clock } from '../lib/clock.ts';
import type { Feed } from '../live/feed.ts';
import type { ChainDirectory } from '../market/chain-status.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ChainConnections } from './chain-connections.ts';
import { ChainFollower } from './chain-follower.ts';
import { listScopes } from './chain-scopes.ts';
import { findChainSource, readDevnetSource } from './chain-source.ts';
import { DevnetProcess, isDevnetInstalled } from './devnet-process.ts';
import { computeRollbacksKeptMs } from './open-streams.ts';

export interface FollowedChains extends ChainDirectory {
  readonly slugs: readonly ChainSlug[];
  /** The source of a chain; null while it is unknown. */
  findSource(chain: ChainSlug): ChainSource | null;
  /** Somebody asks about these pools, which are not known in full. */
  adopt(chain: ChainSlug, pools: readonly PoolId[]): void;
  /** Somebody asks about this token, whose history from before the index may be missing. */
  requestHistory(chain: ChainSlug, token: Address): void;
  /** The tokens that clients ask for. */
  readonly tokens: TokenDemand;
  stop(): Promise<void>;
}

interface StartChainsOptions {
  readonly config: Config;
  readonly feed: Feed;
  readonly onStoreFault: Store['report'];
  readonly connections: ChainConnections;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called when another process uses an exclusive resource: this process should exit. */
  readonly onConflict: (message: string) => void;
}

/** There is nothing to follow: no endpoint is set and the devnet is not installed. */
export class NothingToFollowError extends Error {
  override readonly name = 'NothingToFollowError';
}

function wantsDevnet(config: Config): boolean {
  const { mode, deployment } = config.devnet;
  const wanted = mode === 'on' || (mode === 'auto' && config.chains.length === 0);
  if (wanted && deployment === null && !isDevnetInstalled()) {
    throw new NothingToFollowError(
      'There is no chain to follow. Set an endpoint, for example RPC_ETHEREUM=https://…, or install the development dependencies (npm ci without --omit=dev) for the embedded devnet. DEVNET=off starts without any chain.',
    );
  }
  return wanted;
}

export function startChains(options: StartChainsOptions): FollowedChains {
  const { config, logger } = options;
  const configured = config.chains.map(findChainSource);
  const withDevnet = wantsDevnet(config);
  const chains: ChainSlug[] = configured.map((source) => source.chain);
  if (withDevnet) chains.push('devnet');
  const readDevnet = (path: string) => readDevnetSource(path, config.devnet.startBlock);
  const follower = new ChainFollower({
    ...options,
    store: config.store,
    indexing: config.indexing,
    rollbacksKeptMs: computeRollbacksKeptMs(config),
    chains,
    scopes: listScopes(config),
  });
  if (!withDevnet) {
    if (configured.length > 0) follower.follow(configured);
    return follower;
  }
  if (config.devnet.deployment !== null) {
    follower.follow([...configured, readDevnet(config.devnet.deployment)]);
    return follower;
  }
  if (configured.length > 0) follower.follow(configured);
  follower.prepare('devnet', 'starting the local chain');
  const devnet = new DevnetProcess({
    ...config.devnet,
    dataDir: config.store.dataDir,
    logger,
    onProgress: (text) => follower.prepare('devnet', text),
    onReady: (deploymentPath) => {
      follower.follow([...configured, readDevnet(deploymentPath)]);
    },
    onGiveUp: (reason, message) => {
      follower.prepare('devnet', message);
      if (reason === 'folder in use') options.onConflict(message);
    },
  });
  return {
    slugs: chains,
    list: () => follower.list(),
    findSource: (chain) => follower.findSource(chain),
    adopt: (chain, pools) => follower.adopt(chain, pools),
    requestHistory: (chain, token) => follower.requestHistory(chain, token),
    tokens: follower.tokens,
    stop: async () => {
      // The indexer stops first, so that it does not see its node disappear.
      await follower.stop();
      await devnet.stop();
    },
  };
}
