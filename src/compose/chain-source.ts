// Where a chain is read from: what the indexer's thread needs to follow it.

import { readFileSync } from 'node:fs';
import { createEvmAdapter, type EvmAdapter } from '../chains/evm/create-evm-adapter.ts';
import type { EvmDeployment } from '../chains/evm/deployment.ts';
import { EVM_DEPLOYMENTS } from '../chains/evm/deployments.ts';
import { toDevnetDeployment } from '../chains/evm/to-devnet-deployment.ts';
import type { Config, FollowedChain } from '../config.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Store } from '../store/store.ts';

/** Plain data: it crosses to another thread. */
export interface ChainSource {
  readonly chain: ChainSlug;
  readonly endpoints: readonly string[];
  readonly deployment: EvmDeployment;
  /** Null starts at the finalized block. */
  readonly startBlock: number | null;
  /** Names one life of a devnet, which may be thrown away and begun anew; null for real chains. */
  readonly instance: string | null;
}

export function toChainSource(followed: FollowedChain): ChainSource {
  const deployment = EVM_DEPLOYMENTS[followed.chain];
  if (!deployment) throw new Error(`no contracts are known for ${followed.chain}`);
  return {
    chain: followed.chain,
    endpoints: followed.rpcUrls,
    deployment,
    startBlock: followed.startBlock,
    instance: null,
  };
}

/** The devnet as the file that it leaves tells of it. */
export function readDevnetSource(deploymentPath: string): ChainSource {
  const json = JSON.parse(readFileSync(deploymentPath, 'utf8')) as {
    rpcUrl: string;
    startBlock: number;
    instance: string;
  };
  return {
    chain: 'devnet',
    endpoints: [json.rpcUrl],
    deployment: toDevnetDeployment(json),
    startBlock: json.startBlock,
    instance: json.instance,
  };
}

export interface SourceLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export function createAdapter(
  source: ChainSource,
  parts: {
    readonly store: Store;
    readonly indexing: Config['indexing'];
    readonly log: SourceLog;
    readonly clock?: Clock;
  },
): EvmAdapter {
  return createEvmAdapter({
    chain: source.chain,
    endpoints: source.endpoints,
    deployment: source.deployment,
    clock: parts.clock ?? systemClock,
    random: Math.random,
    knownPools: (pools) => parts.store.market.readPools(source.chain, pools),
    log: parts.log,
    verification: parts.indexing.checkLogs === 'all' ? 'all' : 'linked',
  });
}
