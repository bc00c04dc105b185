// The shared parts of the market reads.

import type { ChainAssets } from '../chains/adapter.ts';
import type { Identity } from '../contract/identity.ts';
import type { LookupDesk } from '../contract/look-up-token.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { MarketStore } from '../store/store.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { MarketBoard } from './board/market-board.ts';
import type { TokenLists } from './lists/token-lists.ts';
import type { PauseWatch } from './pause-watch.ts';
import type { ChainStates } from './state/chain-states.ts';

/** What the reads need to know of a followed chain. */
export interface MarketChain {
  readonly slug: ChainSlug;
  readonly addresses: AddressCodec;
  readonly assets: ChainAssets;
  /** Contracts that hold the tokens of many pools. */
  readonly vaults: ReadonlySet<Address>;
  /** Accounts whose tokens nobody can move. */
  readonly burnAddresses: ReadonlySet<Address>;
  /** Requests adoption of incomplete pools that a client asked about. */
  noteIncomplete(pools: readonly PoolId[]): void;
  /** Requests the history of a token that a client asked about, from before the index began. */
  requestHistory(token: Address): void;
  /** Asks the chain which addresses are contracts. */
  findContracts(
    addresses: readonly Address[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Address, boolean>>;
}

export interface MarketChains {
  /** Every followed chain, whether or not it can be read yet. */
  list(): readonly ChainSlug[];
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
}

export interface MarketParts {
  readonly store: MarketStore;
  readonly chains: MarketChains;
  readonly states: ChainStates;
  readonly cache: AnswerCache;
  readonly pauses: PauseWatch;
  readonly lists: TokenLists;
  readonly board: MarketBoard;
  readonly depthOf: (identity: Identity) => ReadDepth;
  /** Looks up tokens that the index does not have; absent if that is off. */
  readonly lookups?: LookupDesk | undefined;
}
