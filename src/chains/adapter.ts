// What ingest needs from a chain. One implementation per chain family.

import type { BlockEvents } from '../model/block-events.ts';
import type { BlockHeader } from '../model/block-header.ts';
import type { ChainSlug, CoinUnit } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { PoolDescription, PoolKindName, StateOf } from '../model/pool.ts';
import type { TokenMetadata } from '../model/token-metadata.ts';
import type { TokenNotice } from '../model/token-notice.ts';
import type { UndecodedCount } from '../model/undecoded-count.ts';
import type { ChainHistory } from './chain-history.ts';

export interface ChainHead {
  readonly latest: BlockHeader;
  /** The position of the highest block that can no longer be reorganised; never a skipped one. */
  readonly finalizedBlock: number;
  /** Its hash, if it was read with the head; otherwise `readHeader` gives it. */
  readonly finalizedHash?: string | undefined;
}

/** Fixed facts about a chain's markets: which assets price the others. */
export interface ChainAssets {
  /** The native coin itself; the codec's `native`. */
  readonly coin: Address;
  readonly coinUnit: CoinUnit;
  /** Wrapped native coins and the native coin itself, lower-case. */
  readonly native: ReadonlySet<Address>;
  readonly stable: ReadonlySet<Address>;
  /** Pools of the native coin against a stable asset, best first: they give the USD price. */
  readonly anchorPools: readonly PoolId[];
  /** Venues whose contracts nobody checked, so that what they say of their reserves is no depth. */
  readonly uncheckedVenues?: ReadonlySet<string>;
}

export interface TokenSupply {
  readonly token: Address;
  /** Null if the contract does not respond. */
  readonly supplyRaw: bigint | null;
}

/** Where the names of tokens are read. */
export interface NamesFrom {
  /** A recent block that has the tokens: a node that lags behind it is not asked. */
  readonly block?: number | undefined;
  /** Whether what one endpoint does not know is asked of the others. */
  readonly isAgain?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Which pool to read, and which of its ticks. */
export interface PoolStateQuery {
  readonly description: PoolDescription;
  readonly ticks: readonly number[];
}

/** A pool's state as read from its contracts. */
export interface PoolStateReading {
  readonly pool: PoolId;
  /** Fields of the state of its kind, as far as the contracts report them. */
  readonly state: Readonly<Partial<StateOf<PoolKindName>>>;
  /** The requested ticks; one that is not initialised has zeros. */
  readonly ticks: readonly {
    readonly tick: number;
    readonly liquidityGross: bigint;
    readonly liquidityNet: bigint;
  }[];
}

/** Ticks from `lower` to `upper`, both included. */
export interface TickSpan {
  readonly lower: number;
  readonly upper: number;
}

/** Which part of a pool's state to read next. */
export interface PoolPageQuery {
  readonly description: PoolDescription;
  /** The ticks that earlier pages have; null before the first one. */
  readonly covered: TickSpan | null;
  /** About how many requests the page may take. */
  readonly callCountMax: number;
}

/** A block that the index may not have reached yet. */
interface LaterBlock {
  readonly position: number;
  /** Null if the node does not serve the block yet. */
  readonly hash: string | null;
}

/** All holders of a token as of one block. */
export interface HoldersReading {
  /** Those above zero, by owner. */
  readonly balances: ReadonlyMap<Address, bigint>;
  readonly at: LaterBlock;
  readonly callCount: number;
}

/** What an owner holds of a token at a block, as one node says. */
export interface OwnerReading {
  readonly owner: Address;
  readonly amountRaw: bigint;
  readonly block: number;
}

export interface OwnersReading {
  /** Of each owner as many as nodes answered; none where all refused. */
  readonly readings: readonly OwnerReading[];
  readonly callCount: number;
}

/** A part of what a pool's contract holds at a block. */
export interface PoolPage {
  /** The fields of its kind that the contract returns. */
  readonly state: Readonly<Partial<StateOf<PoolKindName>>>;
  /** The pool's own fee; null if the contract does not return it. */
  readonly feePips: number | null;
  /** The initialised ticks that are newly covered. */
  readonly ticks: readonly {
    readonly tick: number;
    readonly liquidityGross: bigint;
    readonly liquidityNet: bigint;
  }[];
  /** The ticks that all pages so far have; null for a kind without ticks. */
  readonly covered: TickSpan | null;
  readonly isLast: boolean;
  /**
   * The block that it is of, if that is not the one that was asked for: nodes of some chains have
   * the newest state only.
   */
  readonly later?: LaterBlock;
}

/** How many requests a page took, and what came of it. */
export type PoolPageReading = { readonly callCount: number } & (
  | { readonly kind: 'page'; readonly page: PoolPage }
  /** No node has the state of that block (any more), or the block was reorganised away. */
  | { readonly kind: 'blockGone' }
  /** The contract does not answer as a pool of its kind should. */
  | { readonly kind: 'noAnswer' }
);

/** A token that a client asked for. */
export interface TokenQuery {
  readonly token: Address;
  /** From this block on, all logs are indexed; older ones may tell of pools. */
  readonly indexedFrom: number;
  /** Down to this block older logs were searched already. */
  readonly searchedFrom: number;
}

/** How many requests a lookup took, and what came of it. */
export type TokenFinding = { readonly callCount: number } & (
  | {
      readonly kind: 'token';
      readonly metadata: TokenMetadata;
      /** Its pools against the assets that price others, as far as they were found. */
      readonly pools: readonly PoolDescription[];
      /** Down to this block logs have been searched. */
      readonly searchedFrom: number;
    }
  /** There is no contract, or it does not answer as a token does. */
  | { readonly kind: 'noToken' }
  /** No node has the state of that block (any more), or the block was reorganised away. */
  | { readonly kind: 'blockGone' }
);

/**
 * How an adapter learns which pools the caller has stored; a stored pool row fits. Pools that are
 * not stored are absent from the result. The adapter asks only about pools that it has not cached.
 */
export type KnownPools = (pools: readonly PoolId[]) => Promise<readonly PoolDescription[]>;

/** What to read of a chain: transfers of some tokens, and some pools. */
export interface BlockFilter {
  readonly tokens: ReadonlySet<Address>;
  readonly pools: ReadonlySet<PoolId>;
}

/** Positions, both inclusive; some may have no block. */
export interface BlockRange {
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Whether to return the headers of the whole range, checked to link by parent hash. */
  readonly linked: boolean;
  /** Whether to search it for notices about tokens; a linked range always is. */
  readonly searched?: boolean;
  /**
   * Only these, and the pools that the range creates with one of the tokens; quote assets among
   * them bring no pools. What was left out cannot be noticed, so replies are checked less.
   */
  readonly only?: BlockFilter | undefined;
  /**
   * Whether every pool with events is sent as `poolCreated` first, not only those whose creation
   * the adapter has not read. For a caller that does not store every pool.
   */
  readonly describesPools?: boolean | undefined;
  /**
   * For `verify`: what the range says of one thing twice is compared, where headers do not prove
   * it. A block is believed only once a node calls it final, if `final`.
   */
  readonly audited?: 'final' | 'newest' | undefined;
  /**
   * Stop early, after this many blocks. Positions without a block do not count, so one reading gets
   * past a gap of any length.
   */
  readonly blockCountMax?: number;
  /**
   * Stop early, after a whole number of blocks, once there are at least this many events. It bounds
   * the memory of a busy range.
   */
  readonly eventCountMax?: number;
}

export interface BlockRangeReading {
  readonly blocks: readonly BlockEvents[];
  readonly headers: readonly BlockHeader[];
  /** The last covered position: the requested one, unless a limit came first. */
  readonly toBlock: number;
  /** How many blocks there are up to that position, with or without events. */
  readonly blockCount: number;
  /** The header of the last position, if it was read. */
  readonly last?: BlockHeader;
  /** If it was read from an archive: which, and whether all of it is proved by hashes. */
  readonly archive?: { readonly source: string; readonly isProved: boolean };
  /** Events that may have changed tokens; null if the range was not searched for them. */
  readonly notices?: readonly TokenNotice[] | null;
  /** Of an audited range: how much was compared, and a line for each contradiction. */
  readonly audit?: { readonly compared: number; readonly contradictions: readonly string[] };
}

/** What `/ready`, `/metrics` and the log may show of a chain's endpoints. */
export interface ChainSourceStatus {
  readonly endpoints: readonly {
    /** Host and index; never the URL, which may contain a secret. */
    readonly name: string;
    readonly state: 'untried' | 'healthy' | 'waiting' | 'refused';
    readonly head: number | null;
    /** Of the last requests; null before the first answer. */
    readonly latencyMs: number | null;
    readonly requests: number;
    readonly failures: number;
    readonly rateLimited: number;
    readonly lastError: string | null;
  }[];
  /** Pools that emitted events and were ignored, because no known factory created them. */
  readonly poolsIgnored: number;
  /** Logs of swaps, with tokens moved both ways, that no venue claims. */
  readonly swapsUnclaimed?: number;
  /** Calls of venues' programs that are not decoded. */
  readonly undecoded?: readonly UndecodedCount[];
  /** Replies that were rejected because they contradicted themselves or the block's header. */
  readonly repliesRefused: number;
  /** What an endpoint cannot do and how that is worked around; each begins with its name. */
  readonly limitations: readonly string[];
  /** Why the chain is read more slowly than possible; null if it is not. */
  readonly slowed: string | null;
}

export interface ChainAdapter {
  readonly chain: ChainSlug;
  readonly assets: ChainAssets;
  /** Nodes have the newest state only, so that to be behind the head does not matter for it. */
  readonly hasNewestStateOnly?: boolean;
  readHead(signal?: AbortSignal): Promise<ChainHead>;
  /**
   * Resolves when `readHead` may have news: at once when a node announces a block, otherwise about
   * when the next one is due. Without it, the caller asks at intervals.
   */
  waitForHead?(intervalMs: number, signal: AbortSignal): Promise<void>;
  /**
   * The header at a position, or the next one below it if the position has no block. Null if the
   * chain does not reach that far (yet, or any more).
   */
  readHeader(position: number, signal?: AbortSignal): Promise<BlockHeader | null>;
  /**
   * The same, if more than half of the endpoints that have the block agree; otherwise null. Use it
   * before accepting a reorganisation: one faulty endpoint must not cause a rollback.
   */
  readAgreedHeader?(position: number, signal?: AbortSignal): Promise<BlockHeader | null>;
  /**
   * Every block from `fromBlock` to `toBlock` with events, ascending; with `linked`, also the
   * headers of the whole range, so that the caller can check parent hashes. Fails rather than
   * return less than the chain has.
   *
   * In a range that is not linked a block's header may have an empty `parentHash`, since it was
   * not read. A pool whose creation the adapter has not read is sent as `poolCreated` with
   * `complete: false` before its first event, in every range it occurs in, because only the caller
   * knows whether its row survived a rollback. A caller that has the pool ignores the event.
   */
  readBlocks(range: BlockRange, signal?: AbortSignal): Promise<BlockRangeReading>;
  readTokenMetadata(tokens: readonly Address[], from?: NamesFrom): Promise<TokenMetadata[]>;
  /** Supplies as of one block, so that they can be compared with the balances at that block. */
  readSupplies(
    tokens: readonly Address[],
    block: BlockHeader,
    signal?: AbortSignal,
  ): Promise<TokenSupply[]>;
  /** For `verify`, where `readSupplies` may be of a later block: null if that may differ. */
  readExactSupplies?(
    tokens: readonly Address[],
    block: BlockHeader,
    signal?: AbortSignal,
  ): Promise<TokenSupply[]>;
  /** For `verify`: the pools' state at a block, read from the contracts and not from logs. */
  readPoolStates?(
    queries: readonly PoolStateQuery[],
    block: BlockHeader,
    signal?: AbortSignal,
  ): Promise<PoolStateReading[]>;
  /**
   * For adoption: the pool's whole state at a block, page by page, from the ticks around its
   * price outwards.
   */
  readPoolPage?(
    query: PoolPageQuery,
    block: Pick<BlockHeader, 'position' | 'hash'>,
    signal?: AbortSignal,
  ): Promise<PoolPageReading>;
  /** For tokens on demand: a token and its pools at a block, from contracts. */
  findToken?(
    query: TokenQuery,
    block: Pick<BlockHeader, 'position' | 'hash'>,
    signal?: AbortSignal,
  ): Promise<TokenFinding>;
  /** For `verify`: `balanceOf` at a block, in the order asked; null if there is no answer. */
  readBalances?(
    keys: readonly { readonly token: Address; readonly owner: Address }[],
    block: BlockHeader,
    signal?: AbortSignal,
  ): Promise<(bigint | null)[]>;
  /** The blocks above this one were reorganised away: what was found out there is forgotten. */
  noteRollback?(position: number): void;
  /** For backfill; absent if the chain cannot be read that way. */
  readonly history?: ChainHistory;
  /**
   * For backfill without history: all holders of a token now, at or after a block. Rejects with a
   * `HistoryUnavailableError` if no node lists them, or they are too many.
   */
  readHolders?(
    query: { readonly token: Address; readonly minBlock: number },
    signal?: AbortSignal,
  ): Promise<HoldersReading>;
  /**
   * Beside `readHolders`: what owners hold of a token now, at or after a block, from every node.
   * Rejects if none answers.
   */
  readHeldNow?(
    query: {
      readonly token: Address;
      readonly owners: readonly Address[];
      readonly minBlock: number;
    },
    signal?: AbortSignal,
  ): Promise<OwnersReading>;
  /** The endpoints' health; makes no request. */
  status?(): ChainSourceStatus;
  close(): Promise<void>;
}
