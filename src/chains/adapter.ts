// What the ingest pipeline asks of a chain. One implementation per family of chains.

import type { ChainSlug } from '../model/chain.ts';
import type {
  Address,
  BlockEvents,
  BlockHeader,
  PoolDescription,
  PoolId,
  TokenMetadata,
} from '../model/market-event.ts';

export interface ChainHead {
  readonly latest: BlockHeader;
  /** The highest block that can no longer be reorganised. */
  readonly finalizedBlock: number;
}

/** What is fixed about a chain's markets: which assets price the others. */
export interface ChainAssets {
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

/** What the contracts say of a pool; fields that its kind of pool does not have are null. */
export interface PoolStateReading {
  readonly pool: PoolId;
  readonly reserve0: bigint | null;
  readonly reserve1: bigint | null;
  readonly sqrtPriceX96: bigint | null;
  readonly liquidity: bigint | null;
  readonly tick: number | null;
  readonly protocolFee: number | null;
  /** The ticks that were asked for; one that is not initialised has zeros. */
  readonly ticks: readonly {
    readonly tick: number;
    readonly liquidityGross: bigint;
    readonly liquidityNet: bigint;
  }[];
}

export interface ChainAdapter {
  readonly chain: ChainSlug;
  readonly assets: ChainAssets;
  readonly venues: readonly string[];
  readHead(signal?: AbortSignal): Promise<ChainHead>;
  /** A header by number, or null when the chain has no such block (yet, or any more). */
  readHeader(block: number, signal?: AbortSignal): Promise<BlockHeader | null>;
  /**
   * Every block from `fromBlock` to `toBlock` that had events, ascending, with their events; and
   * the headers of the whole range when `linked`, so that the caller can check parent hashes.
   * Fails rather than return less than the chain has.
   */
  readBlocks(
    range: { readonly fromBlock: number; readonly toBlock: number; readonly linked: boolean },
    signal?: AbortSignal,
  ): Promise<{ readonly blocks: readonly BlockEvents[]; readonly headers: readonly BlockHeader[] }>;
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
  close(): Promise<void>;
}
