// What a venue protocol must implement. Forks of one protocol differ in data only (see
// evm-deployment.ts).

import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolDescription, PoolTerms } from '../../../model/pool.ts';
import type { PoolPage, PoolPageQuery, PoolStateQuery, PoolStateReading } from '../../adapter.ts';
import type { HopBytes, SwapCost } from '../../transaction-costs.ts';
import type { EvmDeployment, RouterLine } from '../data/deployments/evm-deployment.ts';
import type { LogDecoder } from '../data/evm-log.ts';
import type { CallContracts } from '../rpc/multicall.ts';
import type { AskedSwap, PoolAsk } from './pool-ask.ts';
import type { FindUnbacked } from './unbacked-swaps.ts';

/** Which pools to look for: those of a token against the assets that price others. */
export interface PoolSearch {
  readonly token: Address;
  readonly quotes: readonly Address[];
  /** Pools that were announced by logs; the contracts must confirm them. */
  readonly announced: readonly PoolDescription[];
}

/** Logs by their emitter and topics, in the form of `eth_getLogs`. */
export interface CreationFilter {
  readonly address: Address;
  readonly topics: readonly (string | null)[];
}

/** Where the logs of a protocol's pools are found, for a filter. */
export interface VenueLogs {
  readonly creations: readonly {
    readonly contracts: readonly Address[];
    readonly topic: string;
    /** Which topics are the pool's tokens. */
    readonly tokensAt: readonly number[];
  }[];
  readonly poolTopics: readonly string[];
  /** Emits the logs of every pool, whose id is topic 1; null if each pool emits its own. */
  readonly singleton: Address | null;
  /** Logs of vaults whose topic 1 is the word of a pool (`balancer/vault-rows.ts`). */
  readonly byWord?: {
    readonly contracts: readonly Address[];
    readonly topics: readonly string[];
  };
}

/** What a swap in a kind of pool uses of a transaction. */
export interface PoolCosts {
  readonly swap: SwapCost;
  readonly bytes: HopBytes;
}

export interface VenueProtocol {
  /** The venues of this protocol in a deployment. */
  listVenues(deployment: EvmDeployment): readonly string[];
  /** Contracts that hold the tokens of pools, and so are no holders. */
  listVaults?(deployment: EvmDeployment): readonly Address[];
  /** Vaults whose swaps name both tokens in their topics. */
  listTokenVaults?(deployment: EvmDeployment): readonly Address[];
  /** The routers of its own that a deployment does not list. */
  listRouters?(deployment: EvmDeployment): readonly RouterLine[];
  /** The venues whose pools can be asked what they pay. */
  listOnChainVenues?(deployment: EvmDeployment): readonly string[];
  /** The ways to ask a pool what it pays; none if the pool is not one of the protocol. */
  listAsks?(swap: AskedSwap): PoolAsk[];
  /** By kind of pool; the usual ones where it is absent. */
  readonly costs?: Readonly<Partial<Record<PoolTerms['kind'], PoolCosts>>>;
  /** Swaps that may have moved nothing. They are no trades, but change their pools. */
  readonly unbacked?: {
    readonly topic: string;
    createFinder(deployment: EvmDeployment): FindUnbacked;
  };
  /** What pools of factories that nobody listed are like, if they are accepted by what they do. */
  readonly forks?: 'pairs' | 'ranges';
  createDecoders(deployment: EvmDeployment): ReadonlyMap<string, LogDecoder>;
  /** Null if the chain has no venue of this protocol. */
  describeLogs(deployment: EvmDeployment): VenueLogs | null;
  /**
   * Describes pools whose creation was not seen, if a known factory confirms them; any contract may
   * emit the topic of a swap.
   */
  resolvePools(
    pools: readonly PoolId[],
    context: { readonly deployment: EvmDeployment; readonly callContracts: CallContracts },
  ): Promise<PoolDescription[]>;
  /** The token's pools that exist, by their usual fees; no log is needed for them. */
  findPools(
    search: PoolSearch,
    context: { readonly deployment: EvmDeployment; readonly callContracts: CallContracts },
  ): Promise<PoolDescription[]>;
  /** Logs that announce further pools of a token; none where `findPools` finds all. */
  listCreationFilters(token: Address, deployment: EvmDeployment): readonly CreationFilter[];
  /** The pools' state from their contracts; null for one that does not respond. */
  readPoolStates(
    queries: readonly PoolStateQuery[],
    context: { readonly deployment: EvmDeployment; readonly callContracts: CallContracts },
  ): Promise<(PoolStateReading | null)[]>;
  /** The next part of a pool's whole state; null if the contract does not respond as a pool. */
  readPoolPage(
    query: PoolPageQuery & { readonly wordCountMax: number },
    context: { readonly deployment: EvmDeployment; readonly callContracts: CallContracts },
  ): Promise<PoolPage | null>;
}
