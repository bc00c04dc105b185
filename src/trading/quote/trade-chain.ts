// A followed chain, as pricing needs it.

import type { NetworkFees } from '../../chains/chain-nodes.ts';
import type { TransactionCosts } from '../../chains/transaction-costs.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { GraphAtCommit } from '../graph/pool-graph-follower.ts';
import type { SafetyBook } from '../graph/safety-book.ts';
import type { TradeTokens } from './trade-tokens.ts';

export interface TradeChain {
  readonly slug: ChainSlug;
  readonly addresses: AddressCodec;
  /** The wrapped native coin. */
  readonly wrapped: Address;
  readonly costs: TransactionCosts;
  /** Assets that routes may use without a safety check. */
  readonly trusted: ReadonlySet<Address>;
  readonly tokens: TradeTokens;
  readonly book: SafetyBook;
  /** Null until the pools have been read. */
  readGraph(): GraphAtCommit | null;
  /** Null until the node has reported them. */
  readFees(): NetworkFees | null;
  /** Whether indexing is behind the chain's head. */
  isBehind(): boolean;
  /** Resolves when the pools are those of the last commit, or after a bounded wait. */
  settle(): Promise<void>;
  /** Requests adoption of the pools of a token that a client wants to trade. */
  noteAsked(token: Address): void;
  /** Records which pools were quoted, so that they are probed first. */
  noteUse(pools: readonly PoolId[]): void;
  /** Records that a trade, simulated on the state it was priced on, failed or paid less. */
  noteFailure(failure: { readonly pools: readonly PoolId[]; readonly wallet: Address }): void;
}

export interface TradeChains {
  list(): readonly ChainSlug[];
  /** The address codec of a followed chain. */
  findAddresses(slug: ChainSlug): AddressCodec;
  /** Null while the chain is being prepared. */
  find(slug: ChainSlug): TradeChain | null;
}
