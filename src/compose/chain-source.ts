// Where chains are read from: as configured, or as the devnet's file says.

import { readFileSync } from 'node:fs';
import type { ChainAdapter } from '../chains/adapter.ts';
import type { ChainNodes } from '../chains/chain-nodes.ts';
import type { ChainSource } from '../chains/family.ts';
import type { Config, FollowedChain } from '../config.ts';
import { CALLS_AS_CREDITS } from '../model/rpc-usage.ts';
import type { Store } from '../store/store.ts';
import { requireMarkets } from './chain-families.ts';

/** Throws if the chain's contracts are not known. */
export function findChainSource(followed: FollowedChain): ChainSource {
  const { chain, rpcUrls: endpoints, sockets, startBlock, creditsPerDay } = followed;
  const budget = { credits: followed.credits ?? CALLS_AS_CREDITS, creditsPerDay };
  const source = { chain, endpoints, sockets, budget, devnet: null, startBlock, instance: null };
  requireMarkets(chain).describe(source);
  return source;
}

/** The devnet, as described by its deployment file; indexed from its first block by default. */
export function readDevnetSource(
  deploymentPath: string,
  startBlock: number | null = null,
): ChainSource {
  const devnet = JSON.parse(readFileSync(deploymentPath, 'utf8')) as {
    rpcUrl: string;
    startBlock: number;
    instance: string;
  };
  const { rpcUrl, instance } = devnet;
  return {
    ...{ chain: 'devnet', endpoints: [rpcUrl], devnet, instance },
    startBlock: startBlock ?? devnet.startBlock,
  };
}

/** What indexes and verifies a chain. To be closed by the caller, before its nodes. */
export function createAdapter(
  nodes: ChainNodes,
  { chain }: ChainSource,
  parts: { readonly store: Store; readonly indexing: Config['indexing'] },
): ChainAdapter {
  return nodes.createAdapter({
    knownPools: (pools) => parts.store.market.readPools(chain, pools),
    verification: parts.indexing.checkLogs === 'all' ? 'all' : 'linked',
  });
}
