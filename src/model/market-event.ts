// What a chain adapter tells the ingest pipeline: the few plain facts that markets are made of.
//
// Addresses are lower-case hex inside the service and checksummed only where they leave it.
// Amounts are bigint. Token order (0, 1) is the pool's own.

export type Address = string;

/** A pool's address, or for Uniswap V4 its 32-byte pool id. */
export type PoolId = string;

export interface BlockHeader {
  /**
   * Where the block stands in its chain: a block number, or a slot on Solana. Positions ascend and
   * may have gaps, since a slot may be skipped.
   */
  readonly position: number;
  readonly hash: string;
  /** The position of the block before; -1 for a chain's first block. */
  readonly parentPosition: number;
  readonly parentHash: string;
  /** Block times may stand still, and on some chains step back: order by position, not by time. */
  readonly timestampMs: number;
}

/** Where in its block an event happened, and who sent the transaction. */
export interface EventOrigin {
  readonly txHash: string;
  readonly logIndex: number;
  /** The transaction's sender. */
  readonly wallet: Address;
}

export interface PoolDescription {
  readonly pool: PoolId;
  readonly venue: string;
  readonly token0: Address;
  readonly token1: Address;
  /** Fee in 1e-6; for a dynamic-fee pool the last fee seen. */
  readonly feePips: number;
  readonly tickSpacing: number | null;
  /** V4 hook contract; null where there is none. */
  readonly hooks: Address | null;
  /** The contract that holds the pool's tokens: the pool itself, or the V4 PoolManager. */
  readonly vault: Address;
}

export interface PoolCreatedEvent {
  readonly kind: 'poolCreated';
  readonly description: PoolDescription;
  /** False when the pool was met mid-life, so that its ticks are not all known. */
  readonly complete: boolean;
}

/** The price of a concentrated-liquidity pool was set for the first time. */
export interface PoolInitializedEvent {
  readonly kind: 'poolInitialized';
  readonly pool: PoolId;
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
}

/** A constant-product pool announced its reserves (V2 `Sync`). */
export interface ReservesSetEvent {
  readonly kind: 'reservesSet';
  readonly pool: PoolId;
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

export interface SwapEvent extends EventOrigin {
  readonly kind: 'swap';
  readonly pool: PoolId;
  /** Signed from the pool's side: positive came in, negative went out. */
  readonly amount0: bigint;
  readonly amount1: bigint;
  /** The state after the swap, for concentrated-liquidity pools; null for constant product. */
  readonly after: {
    readonly sqrtPriceX96: bigint;
    readonly liquidity: bigint;
    readonly tick: number;
  } | null;
  /** The fee that was taken where the event says so (V4), else null. */
  readonly feePips: number | null;
}

export interface LiquidityChangedEvent {
  readonly kind: 'liquidityChanged';
  readonly pool: PoolId;
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly liquidityDelta: bigint;
}

/** V4's protocol fee (12 bits per direction) changes what a swap pays out. */
export interface ProtocolFeeSetEvent {
  readonly kind: 'protocolFeeSet';
  readonly pool: PoolId;
  readonly protocolFee: number;
}

/** An ERC-20 transfer; a wrapped coin's deposit and withdrawal are told as mint and burn. */
export interface TransferEvent {
  readonly kind: 'transfer';
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  readonly amountRaw: bigint;
}

export type MarketEvent =
  | PoolCreatedEvent
  | PoolInitializedEvent
  | ReservesSetEvent
  | SwapEvent
  | LiquidityChangedEvent
  | ProtocolFeeSetEvent
  | TransferEvent;

/** One block's events in the order of its log. */
export interface BlockEvents {
  readonly header: BlockHeader;
  readonly events: readonly MarketEvent[];
}

/** What a token's contract says of itself, read at discovery and cleaned for display. */
export interface TokenMetadata {
  readonly token: Address;
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number | null;
}

export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';
