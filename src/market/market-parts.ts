// The shared parts of the market reads.

import type { ChainAssets } from '../chains/adapter.ts';
import type { ChainNodes } from '../chains/chain-nodes.ts';
import type { Identity } from '../contract/identity.ts';
import type { LookupDesk } from '../contract/look-up-token.ts';
import type { ChainNames } from '../contract/parse-reference.ts';
import type { warnOfMeasured } from '../contract/safety-warnings.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { PoolDescription } from '../model/pool.ts';
import type { PoolHook } from '../model/pool-hook.ts';
import type { PoolSafety } from '../model/pool-safety.ts';
import type { MarketStore } from '../store/store.ts';
import type { PauseWatch } from './chain-status.ts';
import type { CommitCache } from './commit-cache.ts';
import type { LogoPlace } from './lists/parse-token-list.ts';
import type { TokenLists } from './lists/token-lists.ts';
import type { TokenLogos } from './lists/token-logos.ts';
import type { RollingStats } from './rolling-stats/rolling-stats.ts';
import type { ChainStates } from './state/chain-states.ts';
import type { StandbyReads } from './state/standby-reads.ts';

/** What the reads need to know of a followed chain. */
export interface MarketChain {
  readonly slug: ChainSlug;
  readonly addresses: AddressCodec;
  readonly assets: ChainAssets;
  /** The venues that can be quoted and built on. */
  readonly tradedVenues: ReadonlySet<string>;
  readonly onChainVenues?: ReadonlySet<string> | undefined;
  /** Contracts that hold the tokens of many pools. */
  readonly vaults: ReadonlySet<Address>;
  /** Accounts whose tokens nobody can move. */
  readonly burnAddresses: ReadonlySet<Address>;
  /** The contract that a pool calls around swaps; null if there is none. */
  findHook(pool: PoolDescription): PoolHook | null;
  /** Where this server serves a logo; null if it cannot. */
  findLogoUrl(token: Address, logo: LogoPlace): string | null;
  /** Requests adoption of incomplete pools that a client asked about. */
  noteIncomplete(pools: readonly PoolId[]): void;
  /**
   * Requests the history of a token that a client asked about, from before the index began. The
   * caller is the client's address group.
   */
  requestHistory(token: Address, caller: string): void;
  /** Asks the chain which addresses are contracts. */
  findContracts(
    addresses: readonly Address[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Address, boolean>>;
  /** Asks the chain what an account holds at a block. */
  readonly readHoldings: ChainNodes['readHoldings'];
  /** Whether its tokens are mints of the chain's own programs, without code of their own. */
  readonly hasMints?: boolean;
  /** Asks the chain who owns the shares of pools. */
  readonly readLiquidityOwners?: ChainNodes['readLiquidityOwners'] | undefined;
  /** Asks the chain what a token's contract or mint shows of itself. */
  readonly readContractFacts?: ChainNodes['readContractFacts'] | undefined;
}

/** It lists every followed chain, whether or not it can be read yet. */
export interface MarketChains extends ChainNames {
  /** The address codec of a followed chain. */
  findAddresses(slug: ChainSlug): AddressCodec;
  /** Null while the chain is being prepared. */
  find(slug: ChainSlug): MarketChain | null;
}

/** The maximum rows of a caller's request. */
export interface ReadDepth {
  readonly trades: number;
  readonly holders: number;
  readonly klines: number;
  readonly prices: number;
  readonly alerts: number;
}

/** What round trips through a chain's pools have shown. */
export interface ChainSafety {
  /** What the chain calls a unit of a transaction's cost. */
  readonly unitName: string;
  /** Null if the pool was not measured. */
  find(pool: PoolId): PoolSafety | null;
  /** Whether there is evidence against the last measurement. */
  isDoubted(pool: PoolId): boolean;
  /** Over several pools; null if none of them was measured. */
  sum(pools: readonly PoolId[], token: Address): Parameters<typeof warnOfMeasured>[0] | null;
  /** Somebody asks about a token: its pools are measured. */
  note(token: Address): void;
}

export interface MarketParts {
  readonly store: MarketStore;
  /** Where answers are read first, if there is one; streams read from the store. */
  readonly standby?: StandbyReads | undefined;
  readonly chains: MarketChains;
  readonly states: ChainStates;
  /** Answers about tokens. */
  readonly cache: CommitCache;
  readonly pauses: PauseWatch;
  readonly lists: TokenLists;
  readonly logos: Pick<TokenLogos, 'find'>;
  readonly stats: RollingStats;
  /** Null while the chain is being prepared. */
  readonly findSafety: (chain: ChainSlug) => ChainSafety | null;
  readonly depthOf: (identity: Identity) => ReadDepth;
  /** Looks up tokens that the index does not have; absent if that is off. */
  readonly lookups?: LookupDesk | undefined;
}
