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
  /** Assets that trades may be led through without having been looked at. */
  readonly trusted: ReadonlySet<Address>;
  readonly tokens: TradeTokens;
  readonly book: SafetyBook;
  /** Null until the pools have been read. */
  readGraph(): GraphAtCommit | null;
  /** Null until the node has reported them. */
  readFees(): NetworkFees | null;
  /** Whether indexing is behind the chain's head. */
  isBehind(): boolean;
  /** Told which token somebody wants to trade, so that its pools come to be known in full. */
  noteAsked(token: Address): void;
  /** Told which pools were quoted, so that those are looked at first. */
  noteUse(pools: readonly PoolId[]): void;
  /** Told that a trade, rehearsed on the state that it was priced on, failed or paid less. */
  noteFailure(failure: { readonly pools: readonly PoolId[]; readonly wallet: Address }): void;
}

export interface TradeChains {
  list(): readonly ChainSlug[];
  /** The address codec of a followed chain. */
  findAddresses(slug: ChainSlug): AddressCodec;
  /** Null while the chain is being prepared. */
  find(slug: ChainSlug): TradeChain | null;
}
