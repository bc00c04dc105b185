// What the ingest pipeline asks of a chain. One implementation per family of chains.

import type { BlockEvents } from '../model/block-events.ts';
import type { BlockHeader } from '../model/block-header.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { PoolDescription, PoolKindName, StateOf } from '../model/pool.ts';
import type { TokenMetadata } from '../model/token-metadata.ts';
import type { TokenNotice } from '../model/token-notice.ts';

export interface ChainHead {
  readonly latest: BlockHeader;
  /** The position of the highest block that can no longer be reorganised; never a skipped one. */
  readonly finalizedBlock: number;
}

/** What is fixed about a chain's markets: which assets price the others. */
export interface ChainAssets {
  /** The native coin itself; the codec's `native`. */
  readonly coin: Address;
  /** Wrapped native coins and the native coin itself, lower-case. */
  readonly native: ReadonlySet<Address>;
  readonly stable: ReadonlySet<Address>;
  /** Pools of the native coin against a stable asset, best first: they give the USD price. */
  readonly anchorPools: readonly PoolId[];
}

export interface TokenSupply {
  readonly token: Address;
  /** Null where the contract does not answer. */
  readonly supplyRaw: bigint | null;
}

/** Which pool to ask, and which of its ticks. */
export interface PoolStateQuery {
  readonly description: PoolDescription;
  readonly ticks: readonly number[];
}

/** What the contracts say of a pool. */
export interface PoolStateReading {
  readonly pool: PoolId;
  /** Fields of the state of its kind, as far as the contracts tell them. */
  readonly state: Readonly<Partial<StateOf<PoolKindName>>>;
  /** The ticks that were asked for; one that is not initialised has zeros. */
  readonly ticks: readonly {
    readonly tick: number;
    readonly liquidityGross: bigint;
    readonly liquidityNet: bigint;
  }[];
}

/**
 * How an adapter learns which pools the caller has stored; a stored pool row fits. What is not
 * stored is absent from the answer. The adapter asks only about pools that it does not remember.
 */
export type KnownPools = (
  pools: readonly PoolId[],
) => Promise<readonly (PoolDescription & { readonly complete: boolean })[]>;

/** Positions, both inclusive; any of them may have no block. */
export interface BlockRange {
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Whether the headers of the whole range are wanted, checked to link by parent hash. */
  readonly linked: boolean;
  /** Whether to search it for what may have changed tokens; a linked range always is. */
  readonly searched?: boolean;
  /**
   * Stop early, after so many blocks. Positions without a block do not count: however many there
   * are, one reading gets past them.
   */
  readonly blockCountMax?: number;
  /**
   * Stop early, after a whole number of blocks, once at least this many events are there. It bounds
   * the memory of a busy range.
   */
  readonly eventCountMax?: number;
}

export interface BlockRangeReading {
  readonly blocks: readonly BlockEvents[];
  readonly headers: readonly BlockHeader[];
  /** The last position that was covered: the one asked for, unless a limit came first. */
  readonly toBlock: number;
  /** What may have changed tokens; null where the range was not searched for it. */
  readonly notices?: readonly TokenNotice[] | null;
}

/** What `/ready`, `/metrics` and the log may show of the endpoints behind a chain. */
export interface ChainSourceStatus {
  readonly endpoints: readonly {
    /** Host and position; never the URL, which may hold a secret. */
    readonly name: string;
    readonly state: 'untried' | 'healthy' | 'waiting' | 'refused';
    readonly head: number | null;
    readonly requests: number;
    readonly failures: number;
    readonly rateLimited: number;
    readonly lastError: string | null;
  }[];
  /** Pools that emitted events and were left out, since no known factory vouches for them. */
  readonly poolsIgnored: number;
  /** Replies that were refused because they contradicted themselves or the block's header. */
  readonly repliesRefused: number;
}

export interface ChainAdapter {
  readonly chain: ChainSlug;
  readonly assets: ChainAssets;
  readHead(signal?: AbortSignal): Promise<ChainHead>;
  /**
   * The header at a position, or the next one below it where the position has no block. Null when
   * the chain does not reach that far (yet, or any more).
   */
  readHeader(position: number, signal?: AbortSignal): Promise<BlockHeader | null>;
  /**
   * The same, as more than half of the endpoints which know the block tell it; null when they do
   * not agree. Ask before believing a reorganisation: one lying endpoint must not cause a rollback.
   */
  readAgreedHeader?(position: number, signal?: AbortSignal): Promise<BlockHeader | null>;
  /**
   * Every block from `fromBlock` to `toBlock` that had events, ascending, with their events; and
   * the headers of the whole range when `linked`, so that the caller can check parent hashes.
   * Fails rather than return less than the chain has.
   *
   * In a range that is not linked a block's header may have an empty `parentHash`, since nothing
   * was asked about it. A pool that was met mid-life is told again, as `poolCreated` with
   * `complete: false` before its first event, in every range it occurs in: whether its row
   * survived a rollback only the caller knows. Whoever has the pool already ignores it.
   */
  readBlocks(range: BlockRange, signal?: AbortSignal): Promise<BlockRangeReading>;
  readTokenMetadata(tokens: readonly Address[], signal?: AbortSignal): Promise<TokenMetadata[]>;
  /** Supplies as of one block, so that they can be compared with the balances at that block. */
  readSupplies(
    tokens: readonly Address[],
    block: BlockHeader,
    signal?: AbortSignal,
  ): Promise<TokenSupply[]>;
  /** For `verify`: the pools' own state at a block, read from the contracts and not from logs. */
  readPoolStates?(
    queries: readonly PoolStateQuery[],
    block: BlockHeader,
    signal?: AbortSignal,
  ): Promise<PoolStateReading[]>;
  /** For `verify`: `balanceOf` at a block, in the order asked; null where there is no answer. */
  readBalances?(
    keys: readonly { readonly token: Address; readonly owner: Address }[],
    block: BlockHeader,
    signal?: AbortSignal,
  ): Promise<(bigint | null)[]>;
  /** The endpoints' health, without any request. */
  status?(): ChainSourceStatus;
  close(): Promise<void>;
}
