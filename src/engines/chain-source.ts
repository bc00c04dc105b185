// Where chains are read from: as configured, or as the devnet's file says.

import { readFileSync } from 'node:fs';
import type { ChainAdapter } from '../chains/adapter.ts';
import type { ChainNodes } from '../chains/chain-nodes.ts';
import { type ChainSource, ContractsError } from '../chains/family.ts';
import { type Config, ConfigError, type FollowedChain } from '../config.ts';
import type { EmbeddedSlug } from '../model/chain.ts';
import { CALLS_AS_CREDITS } from '../model/rpc-usage.ts';
import type { Store } from '../store/store.ts';
import { requireMarkets } from './chain-families.ts';

/** Throws if the chain's contracts are not known. */
export function findChainSource(followed: FollowedChain): ChainSource {
  const { chain, rpcUrls: endpoints, sockets, startBlock, contracts, lookupTables } = followed;
  const { creditsPerDay, creditsPerSecond } = followed;
  const credits = followed.credits ?? CALLS_AS_CREDITS;
  const budget = { credits, creditsPerDay, creditsPerSecond };
  const place = { chain, contracts, endpoints, sockets, lookupTables, archives: followed.archives };
  const source = { ...place, budget, devnet: null, startBlock, instance: null };
  requireMarkets(chain).describe(source);
  return source;
}

/** Throws a `ConfigError` that names what the operator's file contradicts, of all chains. */
export function findChainSources(chains: readonly FollowedChain[]): ChainSource[] {
  const problems: string[] = [];
  const sources = chains.flatMap((followed) => {
    try {
      return [findChainSource(followed)];
    } catch (error) {
      if (!(error instanceof ContractsError)) throw error;
      problems.push(...error.problems.map((problem) => `CHAINS_FILE ${problem}`));
      return [];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return sources;
}

/** An embedded chain, as its deployment file says; indexed from its first block by default. */
export function readDevnetSource(
  chain: EmbeddedSlug,
  deploymentPath: string,
  startBlock: number | null = null,
): ChainSource {
  const devnet = JSON.parse(readFileSync(deploymentPath, 'utf8')) as {
    rpcUrl: string;
    startBlock: number;
    instance: string;
    lookupTables?: readonly string[];
  };
  const { rpcUrl, instance, lookupTables = [] } = devnet;
  return {
    ...{ chain, endpoints: [rpcUrl], devnet, instance, lookupTables },
    startBlock: startBlock ?? devnet.startBlock,
  };
}

/** What indexes and verifies a chain. To be closed by the caller, before its nodes. */
export function createAdapter(
  nodes: ChainNodes,
  { chain }: ChainSource,
  parts: {
    readonly store: { readonly market: Pick<Store['market'], 'readPools'> };
    readonly indexing: Pick<Config['indexing'], 'checkLogs' | 'unlistedForks'>;
    /** Not for `verify`, which asks the nodes themselves unless it is told otherwise. */
    readonly usesArchives?: boolean;
  },
): ChainAdapter {
  return nodes.createAdapter({
    knownPools: (pools) => parts.store.market.readPools(chain, pools),
    verification: parts.indexing.checkLogs === 'all' ? 'all' : 'linked',
    findsForks: parts.indexing.unlistedForks === 'on',
    usesArchives: parts.usesArchives === true,
  });
}
