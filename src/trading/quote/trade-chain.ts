// A followed chain as pricing knows it.

import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/market-event.ts';
import type { GraphAtCommit } from '../graph/pool-graph-follower.ts';
import type { SafetyBook } from '../graph/safety-book.ts';
import type { NetworkFees } from './priced-trade.ts';
import type { TradeTokens } from './trade-tokens.ts';

export interface TradeChain {
  readonly slug: ChainSlug;
  /** The wrapped native coin. */
  readonly wrapped: Address;
  /** Whether it charges for a transaction's length, as rollups do. */
  readonly hasDataFees: boolean;
  /** Assets that trades may be led through without having been looked at. */
  readonly trusted: ReadonlySet<Address>;
  readonly tokens: TradeTokens;
  readonly book: SafetyBook;
  /** Null until the pools have been read. */
  readGraph(): GraphAtCommit | null;
  /** Null until the node has told them. */
  readFees(): NetworkFees | null;
  /** Whether indexing is behind the chain's head. */
  isBehind(): boolean;
  /** Told which pools were quoted, so that those are looked at first. */
  noteUse(pools: readonly string[]): void;
  /** Told that a trade, rehearsed on the state that it was priced on, failed or paid less. */
  noteFailure(failure: { readonly pools: readonly string[]; readonly wallet: Address }): void;
}

export interface TradeChains {
  list(): readonly ChainSlug[];
  /** How addresses of a followed chain are written. */
  findAddresses(slug: ChainSlug): AddressCodec;
  /** Null while the chain is being prepared. */
  find(slug: ChainSlug): TradeChain | null;
}
