// Pools come into being, get a price, reserves and liquidity: their rows follow the log.

import type {
  LiquidityChangedEvent,
  PoolCreatedEvent,
  PoolInitializedEvent,
  ProtocolFeeSetEvent,
  ReservesSetEvent,
} from '../model/market-event.ts';
import type { BasePool, MarketState, PoolEntry, TickEntry } from './market-state.ts';
import { movePosition } from './pool-amounts.ts';
import { toTokenEntry } from './token-entry.ts';

/** Oldest first, and in one block by id: the same however the pools came to be known. */
export function compareAge(a: BasePool, b: BasePool): number {
  return a.createdBlock - b.createdBlock || (a.pool < b.pool ? -1 : 1);
}

export function applyPoolCreated(state: MarketState, event: PoolCreatedEvent): void {
  const { description } = event;
  // A pool met mid-life is announced again and again; only the first time counts.
  if (state.pools.get(description.pool) !== undefined) return;
  const pool = state.createPool({
    pool: description.pool,
    venue: description.venue,
    token0: description.token0,
    token1: description.token1,
    feePips: description.feePips,
    tickSpacing: description.tickSpacing,
    hooks: description.hooks,
    vault: description.vault,
    createdBlock: state.header.position,
    createdAtMs: state.header.timestampMs,
    complete: event.complete,
    reserve0: null,
    reserve1: null,
    sqrtPriceX96: null,
    liquidity: null,
    tick: null,
    protocolFee: 0,
    lastSwapAtMs: null,
    amount0: null,
    amount1: null,
    liquidityUsdE18: null,
  });
  toTokenEntry(state, description.token0);
  toTokenEntry(state, description.token1);
  for (const { base } of pool.views) {
    const { basePools } = toTokenEntry(state, base);
    if (basePools === null) continue;
    basePools.push({ pool: description.pool, createdBlock: pool.row.createdBlock });
    basePools.sort(compareAge);
  }
}

export function applyPoolInitialized(state: MarketState, event: PoolInitializedEvent): void {
  const pool = state.pools.get(event.pool);
  if (pool === undefined) return;
  state.touchPool(pool);
  pool.row.sqrtPriceX96 = event.sqrtPriceX96;
  pool.row.tick = event.tick;
  pool.row.liquidity ??= 0n;
  if (pool.row.complete) {
    pool.row.amount0 ??= 0n;
    pool.row.amount1 ??= 0n;
  }
}

export function applyReservesSet(state: MarketState, event: ReservesSetEvent): void {
  const pool = state.pools.get(event.pool);
  if (pool === undefined) return;
  state.touchPool(pool);
  pool.row.reserve0 = event.reserve0;
  pool.row.reserve1 = event.reserve1;
}

export function applyProtocolFeeSet(state: MarketState, event: ProtocolFeeSetEvent): void {
  const pool = state.pools.get(event.pool);
  if (pool === undefined) return;
  state.touchPool(pool);
  pool.row.protocolFee = event.protocolFee;
}

function toTickEntry(pool: PoolEntry, tick: number): TickEntry {
  if (pool.ticks === null) throw new Error(`ticks of ${pool.row.pool} were not loaded`);
  let entry = pool.ticks.get(tick);
  if (entry === undefined) {
    const row = { pool: pool.row.pool, tick, liquidityGross: 0n, liquidityNet: 0n };
    entry = { row, imagedBlock: -1 };
    pool.ticks.set(tick, entry);
  }
  return entry;
}

function changeTick(
  state: MarketState,
  pool: PoolEntry,
  change: { readonly tick: number; readonly gross: bigint; readonly net: bigint },
): void {
  const entry = toTickEntry(pool, change.tick);
  state.touchTick(entry);
  const { row } = entry;
  const wasInitialized = row.liquidityGross > 0n;
  row.liquidityGross += change.gross;
  row.liquidityNet += change.net;
  if (row.liquidityGross < 0n) {
    // More was taken than was ever seen to come: the pool's ticks are not what they seemed.
    row.liquidityGross = 0n;
    pool.row.complete = false;
  }
  if (wasInitialized !== row.liquidityGross > 0n) pool.tickOrder = null;
}

export function applyLiquidityChanged(state: MarketState, event: LiquidityChangedEvent): void {
  const pool = state.pools.get(event.pool);
  const delta = event.liquidityDelta;
  if (pool === undefined || delta === 0n) return;
  const { row } = pool;
  state.touchPool(pool);
  // Of an incomplete pool positions may be taken away that were never seen to come.
  if (row.complete) {
    changeTick(state, pool, { tick: event.tickLower, gross: delta, net: delta });
    changeTick(state, pool, { tick: event.tickUpper, gross: delta, net: -delta });
    movePosition(row, event);
  }
  const isInRange = row.tick !== null && event.tickLower <= row.tick && row.tick < event.tickUpper;
  if (isInRange && row.liquidity !== null) {
    const liquidity = row.liquidity + delta;
    row.liquidity = liquidity < 0n ? 0n : liquidity;
  }
}
