// What a venue protocol must implement. Forks of one protocol differ in data only (see
// evm-deployment.ts).

import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolChange, PoolDescription, PoolKindName, PoolTerms } from '../../../model/pool.ts';
import type { PoolHook } from '../../../model/pool-hook.ts';
import type { PoolPage, PoolPageQuery, PoolStateQuery, PoolStateReading } from '../../adapter.ts';
import type { PoolFeeQuery } from '../../chain-nodes.ts';
import type { HopBytes, SwapCost } from '../../transaction-costs.ts';
import type {
  EvmDeployment,
  RouterLine,
  VenueRouterKind,
} from '../data/deployments/evm-deployment.ts';
import type { DecodedSwap, LogDecoder } from '../data/evm-log.ts';
import type { CallContracts, ContractCall } from '../rpc/multicall.ts';
import type { FileEntries } from './file-entries.ts';
import type { ForkProtocol } from './fork-protocol.ts';
import type { AskedSwap, PoolAsk } from './pool-ask.ts';
import type { RouterKind } from './router-kind.ts';
import type { RouterPool } from './swap-plan.ts';
import type { FindUnbacked } from './unbacked-swaps.ts';
import type { ReadDevnet, VenueFactory, VenueTable } from './venue-table.ts';

/** Which pools to look for: those of a token against the assets that price others. */
export interface PoolSearch {
  readonly token: Address;
  readonly quotes: readonly Address[];
  /** Pools that were announced by logs; the contracts must confirm them. */
  readonly announced: readonly PoolDescription[];
}

/** Logs by their emitters and topics, in the form of `eth_getLogs`. */
export interface CreationFilter {
  readonly address: Address | readonly Address[];
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

/** As `pools/RoundTripProbe.sol` takes a pool. */
export interface ProbeTerms {
  /** How the probe swaps there. */
  readonly kind: number;
  /** The pair or pool, or what keeps it. */
  readonly pool: Address;
  /** What these mean depends on the kind; 0 and the zero address by default. */
  readonly fee?: number;
  readonly tickSpacing?: number;
  readonly hooks?: Address;
}

/** What routers and probes need to know of a pool. */
export interface TradedPool {
  /**
   * As the routers take it, if its first token is sold or its second; null if none can swap there.
   * Whether the pair is stable is known once the pool was asked.
   */
  toRouterPool(isZeroIn: boolean, isStable: boolean | null): RouterPool | null;
  /** Null if the probe cannot swap there. */
  readonly probe: ProbeTerms | null;
  /** The contract that is paid; null if that is the router. */
  readonly holder: Address | null;
}

/** Pools of several tokens, of which each two are a row: what changes one changes the others. */
export interface PoolRows {
  readonly kind: PoolKindName;
  /** What a row's id tells: whose logs to ask for, and the word by which a vault names the pool. */
  parse(row: PoolId): { readonly contract: Address; readonly poolWord?: string } | null;
  /** All rows of a pool; none if it has only one. */
  list(pool: PoolDescription): readonly PoolId[];
  /** How logs name the whole pool; absent if they name a row. */
  findWhole?(pool: PoolDescription): PoolId | null;
  /** What a swap in one row changes in another. */
  toChange(swap: DecodedSwap, other: PoolDescription): PoolChange | null;
  /** Swaps are asked for by their tokens, so that those of some tokens are not all of a pool's. */
  readonly needsAllTokens?: true;
}

/** What is called for the fee of a pool, once or for each direction. */
export interface FeeAsk {
  readonly calls: readonly ContractCall[];
  /** Which word of an answer is the fee. */
  readonly word: number;
  readonly pipsPerUnit: bigint;
}

export interface VenueProtocol {
  /** On the chains that are built in. */
  readonly contracts: VenueTable;
  /** In the devnet's file. */
  readonly readDevnet?: ReadDevnet;
  /** Absent if an operator's file cannot name any. */
  readonly entries?: FileEntries;
  /** The venues of this protocol in a deployment. */
  listVenues(deployment: EvmDeployment): readonly string[];
  /** Contracts that hold the tokens of pools, and so are no holders. */
  listVaults?(deployment: EvmDeployment): readonly Address[];
  /** Vaults whose swaps name both tokens in their topics, and which topic the first one is. */
  listTokenVaults?(deployment: EvmDeployment): readonly (readonly [Address, number])[];
  /**
   * Vaults whose logs of swaps name nothing in their topics. The history of a pool is found by what
   * they were sent and paid of its first token, which only its swaps move.
   */
  listTransferVaults?(deployment: EvmDeployment): readonly Address[];
  /** The routers of its own that a deployment does not list. */
  listRouters?(deployment: EvmDeployment): readonly RouterLine[];
  /** The venues whose pools can be asked what they pay. */
  listOnChainVenues?(deployment: EvmDeployment): readonly string[];
  /** The ways to ask a pool what it pays; none if the pool is not one of the protocol. */
  listAsks?(swap: AskedSwap, deployment: EvmDeployment): PoolAsk[];
  /** Absent if its pools use as much as others; null for pools of other protocols. */
  findCosts?(pool: PoolTerms): PoolCosts | null;
  /** Null for pools of other protocols; absent if nobody can swap in its pools. */
  findTraded?(pool: PoolDescription): TradedPool | null;
  /** Null for a pool that calls no other contract around its swaps; absent if none ever does. */
  findHook?(pool: PoolDescription): PoolHook | null;
  /** The token of the pool's shares; absent if its pools have none. */
  findShares?(pool: PoolDescription): Address | null;
  readonly routerKinds?: Readonly<Partial<Record<VenueRouterKind, RouterKind>>>;
  /**
   * Explanations of what its pools and routers revert with: strings, and the signatures of errors.
   */
  readonly reverts?: Readonly<Record<string, string>>;
  /** Absent if each of its pools is one row. */
  readonly rows?: PoolRows;
  /** Of fees that change without a log; null for a pool whose fee is fixed. */
  buildFeeAsk?(query: PoolFeeQuery, deployment: EvmDeployment): FeeAsk | null;
  /** Swaps that may have moved nothing. They are no trades, but change their pools. */
  readonly unbacked?: {
    readonly topic: string;
    createFinder(deployment: EvmDeployment): FindUnbacked;
  };
  /** The factories that make its pools; absent if they are found in other ways. */
  listFactories?(deployment: EvmDeployment): readonly VenueFactory[];
  /** Absent if no pool of a factory that nobody listed is accepted by what it does. */
  readonly forks?: ForkProtocol;
  /** The topics of swaps, its own and those of similar exchanges that it does not decode. */
  readonly swapTopics?: Readonly<Record<string, string>>;
  /** Logs that a pool emits right before that of its swap, and that are a part of it. */
  readonly swapPartTopics?: readonly string[];
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
  /** Whether one call gives many words of a pool's state. */
  readonly readsInBulk?: true;
  /** The next part of a pool's whole state; null if the contract does not respond as a pool. */
  readPoolPage(
    query: PoolPageQuery & { readonly wordCountMax: number },
    context: { readonly deployment: EvmDeployment; readonly callContracts: CallContracts },
  ): Promise<PoolPage | null>;
}
