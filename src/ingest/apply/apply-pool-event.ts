// Creates and updates pools from the log, each by the rules of its kind.

import type { PoolTicks, SwappedAmounts } from '../../amm/pool-kind.ts';
import { kindOf, takesChange } from '../../amm/pool-kinds.ts';
import { isUnpriced } from '../../amm/unpriced/unpriced-kind.ts';
import type { PoolChangedEvent, PoolCreatedEvent } from '../../model/block-events.ts';
import type { PoolChange, PoolDescription, PoolRecord } from '../../model/pool.ts';
import type { BasePool, MarketState, PoolEntry, TickEntry } from '../state/market-state.ts';
import { openTokenEntry } from '../state/token-entry.ts';

// Keeps a token's launch: the curve that sells it, how far that is, when its own pool opened.

/** Must be called after each change of a pool. */
function noteLaunch(state: MarketState, { row }: Pick<PoolEntry, 'row'>): void {
  const found = kindOf(row).findProgress?.(row) ?? null;
  if (found === null) return;
  const token = openTokenEntry(state, row.token0);
  const { launch } = token.row;
  const { progressPct, isGraduated } = found;
  const graduatedAtMs = isGraduated ? (launch?.graduatedAtMs ?? state.header.timestampMs) : null;
  const isSame = launch?.progressPct === progressPct && launch.graduatedAtMs === graduatedAtMs;
  if (isSame && launch.venue === row.venue) return;
  state.touchToken(token);
  token.row.launch = { venue: row.venue, progressPct, graduatedAtMs };
}

/** Oldest first, and within a block by id: the same in whatever order the pools were discovered. */
export function compareAge(a: BasePool, b: BasePool): number {
  return a.createdBlock - b.createdBlock || (a.pool < b.pool ? -1 : 1);
}

/**
 * A pool that an earlier version stored by its trades, and whose swaps can be computed now, becomes
 * one of that kind. Nothing is known of its state, so it is adopted like a pool older than the
 * index.
 */
function computeFromNow(state: MarketState, pool: PoolEntry, description: PoolDescription): void {
  if (!isUnpriced(pool.row) || isUnpriced(description)) return;
  state.touchPool(pool);
  const { kind, terms, feePips } = description;
  const start = kindOf(description).stateAtStart;
  Object.assign(pool.row, { kind, terms, feePips, state: start, complete: false });
}

export function applyPoolCreated(state: MarketState, event: PoolCreatedEvent): void {
  const { description } = event;
  const known = state.pools.get(description.pool);
  // A pool discovered after its creation is announced several times; only the first counts.
  if (known !== undefined) {
    computeFromNow(state, known, description);
    return;
  }
  const { pool, kind, venue, token0, token1, feePips, vault, terms } = description;
  const created = state.createPool({
    ...{ pool, kind, venue, token0, token1, feePips, vault, terms },
    createdBlock: state.header.position,
    createdAtMs: event.complete || event.isBirth ? state.header.timestampMs : 0,
    complete: event.complete,
    state: kindOf(description).stateAtStart,
    lastSwapAtMs: null,
    liquidityUsdE18: null,
  } as PoolRecord);
  openTokenEntry(state, token0);
  openTokenEntry(state, token1);
  for (const { base } of created.views) {
    const { basePools } = openTokenEntry(state, base);
    if (basePools === null) continue;
    basePools.push({ pool, createdBlock: created.row.createdBlock });
    basePools.sort(compareAge);
  }
  noteLaunch(state, created);
}

function openTickEntry(pool: PoolEntry, tick: number): TickEntry {
  if (pool.ticks === null) throw new Error(`ticks of ${pool.row.pool} were not loaded`);
  let entry = pool.ticks.get(tick);
  if (entry === undefined) {
    const row = { pool: pool.row.pool, tick, liquidityGross: 0n, liquidityNet: 0n };
    entry = { row, imagedBlock: -1 };
    pool.ticks.set(tick, entry);
  }
  return entry;
}

function sortTicks(pool: PoolEntry): readonly number[] {
  if (pool.tickOrder === null) {
    if (pool.ticks === null) throw new Error(`ticks of ${pool.row.pool} were not loaded`);
    const ticks: number[] = [];
    for (const [tick, entry] of pool.ticks) {
      if (entry.row.liquidityGross > 0n) ticks.push(tick);
    }
    pool.tickOrder = ticks.sort((a, b) => a - b);
  }
  return pool.tickOrder;
}

/** A pool's ticks as its kind sees them; changes become part of the batch. */
export class EntryTicks implements PoolTicks {
  readonly #state: MarketState;
  readonly #pool: PoolEntry;

  constructor(state: MarketState, pool: PoolEntry) {
    this.#state = state;
    this.#pool = pool;
  }

  get order(): readonly number[] {
    return sortTicks(this.#pool);
  }

  get(tick: number) {
    return this.#pool.ticks?.get(tick)?.row;
  }

  change(tick: number, by: { readonly gross: bigint; readonly net: bigint }): boolean {
    const entry = openTickEntry(this.#pool, tick);
    this.#state.touchTick(entry);
    const { row } = entry;
    const wasInitialized = row.liquidityGross > 0n;
    row.liquidityGross += by.gross;
    row.liquidityNet += by.net;
    const isEnough = row.liquidityGross >= 0n;
    if (!isEnough) row.liquidityGross = 0n;
    if (wasInitialized !== row.liquidityGross > 0n) this.#pool.tickOrder = null;
    return isEnough;
  }
}

export function applyPoolChange(
  state: MarketState,
  pool: PoolEntry,
  update: { readonly change: PoolChange; readonly swapped: SwappedAmounts | null },
): void {
  const { change, swapped } = update;
  const { row } = pool;
  if (!takesChange(row, change)) {
    throw new Error(`${row.pool} is ${row.kind}, but the event is for ${change.poolKind}`);
  }
  state.touchPool(pool);
  const kind = kindOf(row);
  kind.apply(row, change, {
    ...{ ticks: new EntryTicks(state, pool), swapped },
    nowSeconds: Math.floor(state.header.timestampMs / 1000),
    findRow: (other) => state.pools.get(other)?.row,
  });
  // What the pool's tokens deduct from transfers may be another now: the pool is read again.
  const fees = kind.findTransferFees?.(row.state) ?? null;
  if (fees !== null && state.header.position >= fees.untilBlock) row.complete = false;
  noteLaunch(state, pool);
}

export function applyPoolChanged(state: MarketState, event: PoolChangedEvent): void {
  const pool = state.pools.get(event.pool);
  if (pool === undefined) return;
  applyPoolChange(state, pool, { change: event.change, swapped: null });
}
