// A followed chain, as pricing needs it.

import type { NetworkFees } from '../../chains/chain-nodes.ts';
import type { TokenPowers } from '../../chains/chain-transactions.ts';
import type { PricingAssets } from '../../chains/quote-rule.ts';
import type { TradeRouter } from '../../chains/trade-router.ts';
import type { TransactionCosts } from '../../chains/transaction-costs.ts';
import type { ChainNames } from '../../contract/parse-reference.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainSlug, CoinUnit } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { GraphAtCommit } from '../graph/pool-graph-follower.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { SafetyCache } from '../graph/safety-cache.ts';
import type { UnquotableToken } from './explain-unquotable.ts';
import type { OnChainAnswer, OnChainTrade } from './on-chain-quotes.ts';
import type { TradeRequest } from './priced-trade.ts';
import type { TradeTokens } from './trade-tokens.ts';

export interface TradeChain {
  readonly slug: ChainSlug;
  readonly addresses: AddressCodec;
  readonly coinUnit: CoinUnit;
  /** The wrapped native coin. */
  readonly wrapped: Address;
  readonly assets: PricingAssets;
  readonly costs: TransactionCosts;
  /** Those that may be used now; nothing if one router reaches all pools. */
  listRouters?(): readonly TradeRouter[] | undefined;
  /** Assets that routes may use without a safety check. */
  readonly trusted: ReadonlySet<Address>;
  readonly tokens: TradeTokens;
  readonly safetyCache: SafetyCache;
  /** Null until the pools have been read. */
  readGraph(): GraphAtCommit | null;
  /** Null until the node has reported them. */
  readFees(): NetworkFees | null;
  /** What others may do to a token; null until it was read, or if the chain has no such roles. */
  findPowers?(token: Address): TokenPowers | null;
  /** Whether the index has the fee that a pool charges; null if such fees are not read. */
  isFeeSure?(pool: GraphPool): boolean | null;
  /** How long ago a graph was last known to be the chain's newest state. */
  readAgeMs(at: GraphAtCommit): number;
  /** Whether indexing is behind the chain's head. */
  isBehind(): boolean;
  /** A token of the two that trades only on venues without a router; null if none does. */
  explainUnquotable(
    trade: Pick<TradeRequest, 'mint' | 'quoteMint'>,
  ): Promise<UnquotableToken | null>;
  /** Those of the addresses at which the chain has something else than a token. */
  findNonTokens?(addresses: readonly Address[]): Promise<ReadonlySet<Address>>;
  /** The best of the pools that only their contract can price; absent if none can be called. */
  quoteOnChain?(trade: OnChainTrade): Promise<OnChainAnswer>;
  /** Waits until the pools in memory are those of the store; false if that takes too long. */
  settle(): Promise<boolean>;
  /** Reads the pools of tokens that are not in memory; false if that takes too long. */
  loadPools(tokens: readonly Address[]): Promise<boolean>;
  /** Requests adoption of the pools of a token that a client wants to trade. */
  noteAsked(token: Address): void;
  /** Records which pools were quoted, so that they are probed first. */
  noteUse(pools: readonly PoolId[]): void;
  /** Resolves when their measurements are of this run, or after a bounded wait. */
  renewSafety?(pools: readonly PoolId[]): Promise<void>;
  /** Records that a trade, simulated on the state it was priced on, failed or paid less. */
  noteFailure(failure: { readonly pools: readonly PoolId[]; readonly wallet: Address }): void;
}

export interface TradeChains extends ChainNames {
  /** The address codec of a followed chain. */
  findAddresses(slug: ChainSlug): AddressCodec;
  /** False if trades on the chain can be neither quoted nor built. */
  canTrade(slug: ChainSlug): boolean;
  /** Where trades on the chain are built; null if that is not known yet. */
  listVenues(slug: ChainSlug): ReadonlySet<string> | null;
  /** Null while the chain is being prepared. */
  find(slug: ChainSlug): TradeChain | null;
}
