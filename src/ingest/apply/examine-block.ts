// What must be known of a block before its events are applied: sandwiches, and the depths of pools.

import { kindOf } from '../../amm/pool-kinds.ts';
import { isUnpriced } from '../../amm/unpriced/unpriced-kind.ts';
import { listMarketViews, type MarketView } from '../../chains/quote-rule.ts';
import { isUncheckedVenue } from '../../chains/unchecked-venue.ts';
import { pow10, type Ratio } from '../../lib/decimal.ts';
import type { BlockEvents, SwapEvent } from '../../model/block-events.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolDescription } from '../../model/pool.ts';
import type { MarketState, PoolEntry, TokenEntry } from '../state/market-state.ts';
import { findAnchorPrice, findNativePrice } from '../state/price-trade.ts';
import { EntryTicks } from './apply-pool-event.ts';

// Finds sandwich legs: one wallet's swaps around another's, in the same pool and block.

type Direction = 0 | 1;

/** How many swaps in a direction there were so far, in total and of one wallet. */
interface Seen {
  readonly all: [number, number];
  readonly wallet: [number, number];
}

function findDirection(swap: SwapEvent): Direction {
  return swap.amount0 > 0n ? 1 : 0;
}

/**
 * For each swap, in the given order: is there an earlier one of the same wallet in the other
 * direction, with another wallet's swap of `between` in between? Checking the first such one is
 * enough, since it has the most in between. Runs in linear time.
 */
function markSecondLegs(
  swaps: readonly SwapEvent[],
  legs: Set<SwapEvent>,
  between: 'same' | 'other',
): void {
  const all: [number, number] = [0, 0];
  const wallets = new Map<
    string,
    { counts: [number, number]; first: [Seen | null, Seen | null] }
  >();
  for (const swap of swaps) {
    const direction = findDirection(swap);
    const opposite: Direction = direction === 0 ? 1 : 0;
    const victim = between === 'same' ? direction : opposite;
    let wallet = wallets.get(swap.wallet);
    if (wallet === undefined) {
      wallet = { counts: [0, 0], first: [null, null] };
      wallets.set(swap.wallet, wallet);
    }
    const first = wallet.first[opposite];
    if (first !== null) {
      const sinceAll = all[victim] - first.all[victim];
      const sinceOwn = wallet.counts[victim] - first.wallet[victim];
      if (sinceAll > sinceOwn) legs.add(swap);
    }
    all[direction] += 1;
    wallet.counts[direction] += 1;
    wallet.first[direction] ??= { all: [...all], wallet: [...wallet.counts] };
  }
}

/**
 * Two swaps of one wallet in opposite directions, with a swap of another wallet in the direction of
 * the first between them: front run, victim and back run.
 */
export function findSandwichLegs(swaps: readonly SwapEvent[]): ReadonlySet<SwapEvent> {
  const legs = new Set<SwapEvent>();
  if (swaps.length < 3) return legs;
  const byPool = new Map<PoolId, SwapEvent[]>();
  for (const swap of swaps) {
    const list = byPool.get(swap.pool);
    if (list === undefined) byPool.set(swap.pool, [swap]);
    else list.push(swap);
  }
  for (const list of byPool.values()) {
    if (list.length < 3) continue;
    markSecondLegs(list, legs, 'other');
    // In reverse order the back run comes first, and the victim has the direction of the front run.
    markSecondLegs(list.toReversed(), legs, 'same');
  }
  return legs;
}

/**
 * The maximum number of a token's oldest pools to compare, so that nobody can slow indexing by
 * creating pools.
 */
export const POOLS_COMPARED_MAX = 1000;

/** Depths are compared in the native coin, in units of 1e-36. */
const DEPTH_SCALE = 36;

/** A pool is a sliver below this fraction of the deepest. */
const SLIVER_DIVISOR = 100n;

/** A pool's depth at the start of the block. */
interface PoolDepth {
  readonly depth: bigint;
  /**
   * Not all is known: the pool is older than the index, its log does not tell its depth, or its
   * quote has no price.
   */
  readonly isEstimate: boolean;
}

type TokenDepths = ReadonlyMap<PoolId, PoolDepth>;

const NO_DEPTH: PoolDepth = { depth: 0n, isEstimate: false };
const UNKNOWN_DEPTH: PoolDepth = { depth: 0n, isEstimate: true };

export class BlockExamination {
  readonly legs: ReadonlySet<SwapEvent>;
  readonly #depths: ReadonlyMap<Address, TokenDepths>;
  readonly #met: ReadonlySet<PoolId>;

  /** `met` are the pools that the index meets in this block, although they are older. */
  constructor(
    legs: ReadonlySet<SwapEvent>,
    depths: ReadonlyMap<Address, TokenDepths>,
    met: ReadonlySet<PoolId>,
  ) {
    this.legs = legs;
    this.#depths = depths;
    this.#met = met;
  }

  /**
   * Whether the token's deepest pool was more than a hundred times as deep as this one. No trade is
   * judged by a depth that is not known: it is judged again once it is (`backfill/`).
   */
  isSliver(token: Address, pool: PoolId): boolean {
    const { depth, isEstimate } = this.#depths.get(token)?.get(pool) ?? NO_DEPTH;
    if (isEstimate || this.#met.has(pool)) return false;
    return depth * SLIVER_DIVISOR < this.findDepthElsewhere(token, pool);
  }

  /** The depth of the token's deepest other pool. */
  findDepthElsewhere(token: Address, pool: PoolId): bigint {
    let deepest = 0n;
    for (const [id, { depth }] of this.#depths.get(token) ?? []) {
      if (id !== pool && depth > deepest) deepest = depth;
    }
    return deepest;
  }
}

const NOTHING_TO_EXAMINE = new BlockExamination(new Set(), new Map(), new Set());

/** Whether a pool's reserves are never known, or not to be believed. */
function hasNoDepth(
  { assets }: MarketState,
  pool: Pick<PoolDescription, 'venue' | 'kind'>,
): boolean {
  return isUncheckedVenue(assets, pool.venue) || isUnpriced(pool);
}

function computeDepth(
  state: MarketState,
  pool: PoolEntry,
  { view, anchor }: { readonly view: MarketView; readonly anchor: Ratio | null },
): PoolDepth {
  const { row } = pool;
  if (hasNoDepth(state, row)) return NO_DEPTH;
  if (!kindOf(row).hasDepthByLog) return UNKNOWN_DEPTH;
  const quote = state.tokens.get(view.quote);
  if (quote === undefined || quote.row.decimals === null) return UNKNOWN_DEPTH;
  const price = findNativePrice(quote, anchor);
  if (price === null) return UNKNOWN_DEPTH;
  const base = view.baseIsToken0 ? 'token0' : 'token1';
  const kind = kindOf(row);
  const depthRaw = kind.payableRaw(row, base, new EntryTicks(state, pool));
  const denominator = pow10(quote.row.decimals) * price.denominator;
  return {
    depth: (depthRaw * price.numerator * pow10(DEPTH_SCALE)) / denominator,
    isEstimate: !row.complete && (kind.hasTicks || depthRaw === 0n),
  };
}

function computeTokenDepths(state: MarketState, token: TokenEntry): Map<PoolId, PoolDepth> {
  const anchor = findAnchorPrice(state);
  const depths = new Map<PoolId, PoolDepth>();
  for (const { pool: id } of (token.basePools ?? []).slice(0, POOLS_COMPARED_MAX)) {
    const pool = state.pools.get(id);
    if (pool === undefined) throw new Error(`pool ${id} was not loaded`);
    const view = pool.views.find(({ base }) => base === token.row.token);
    if (view !== undefined) depths.set(id, computeDepth(state, pool, { view, anchor }));
  }
  return depths;
}

/**
 * Examines a block before its events are applied, so that depths are those at its start: nobody can
 * inflate a pool's depth within a block.
 */
export function examineBlock(state: MarketState, block: BlockEvents): BlockExamination {
  const swaps = block.events.filter((event) => event.kind === 'swap');
  if (swaps.length === 0) return NOTHING_TO_EXAMINE;
  const created = new Map<PoolId, readonly MarketView[]>();
  const met = new Set<PoolId>();
  for (const event of block.events) {
    if (event.kind !== 'poolCreated') continue;
    const { description, complete, isBirth = complete } = event;
    if (state.pools.get(description.pool) !== undefined) continue;
    created.set(description.pool, listMarketViews(state.assets, description));
    if (!isBirth && !hasNoDepth(state, description)) met.add(description.pool);
  }
  const depths = new Map<Address, TokenDepths>();
  for (const { pool } of swaps) {
    const known = state.pools.get(pool);
    for (const { base } of known?.views ?? created.get(pool) ?? []) {
      const token = state.tokens.get(base);
      const others = (token?.basePools?.length ?? 0) - (known === undefined ? 0 : 1);
      if (token === undefined || others < 1 || depths.has(base)) continue;
      depths.set(base, computeTokenDepths(state, token));
    }
  }
  return new BlockExamination(findSandwichLegs(swaps), depths, met);
}
