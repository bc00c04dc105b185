// What must be known of a block before its events are applied: sandwiches, and the depths of pools.

import { kindOf } from '../../amm/pool-kinds.ts';
import { listMarketViews, type MarketView } from '../../chains/quote-rule.ts';
import { isUncheckedVenue } from '../../chains/unchecked-venue.ts';
import { pow10, type Ratio } from '../../lib/decimal.ts';
import type { BlockEvents, SwapEvent } from '../../model/block-events.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import { findAnchorPrice } from '../state/anchor-price.ts';
import type { MarketState, PoolEntry, TokenEntry } from '../state/market-state.ts';
import { findNativePrice } from '../state/price-trade.ts';
import { EntryTicks } from './apply-pool-event.ts';
import { findSandwichLegs } from './find-sandwich-legs.ts';

/**
 * The maximum number of a token's oldest pools to compare, so that nobody can slow indexing by
 * creating pools.
 */
export const POOLS_COMPARED_MAX = 1000;

/** Depths are compared in the native coin, in units of 1e-36. */
const DEPTH_SCALE = 36;

/** A pool is a sliver below this fraction of the deepest. */
const SLIVER_DIVISOR = 100n;

/** Depths of a token's pools at the start of the block. */
type TokenDepths = ReadonlyMap<PoolId, bigint>;

export class BlockExamination {
  readonly legs: ReadonlySet<SwapEvent>;
  readonly #depths: ReadonlyMap<Address, TokenDepths>;

  constructor(legs: ReadonlySet<SwapEvent>, depths: ReadonlyMap<Address, TokenDepths>) {
    this.legs = legs;
    this.#depths = depths;
  }

  /** Whether the token's deepest pool was more than a hundred times as deep as this one. */
  isSliver(token: Address, pool: PoolId): boolean {
    const depths = this.#depths.get(token);
    if (depths === undefined) return false;
    const own = depths.get(pool) ?? 0n;
    return own * SLIVER_DIVISOR < this.findDepthElsewhere(token, pool);
  }

  /** The depth of the token's deepest other pool. */
  findDepthElsewhere(token: Address, pool: PoolId): bigint {
    let deepest = 0n;
    for (const [id, depth] of this.#depths.get(token) ?? []) {
      if (id !== pool && depth > deepest) deepest = depth;
    }
    return deepest;
  }
}

const NOTHING_TO_EXAMINE = new BlockExamination(new Set(), new Map());

/** Nothing for a pool whose reserves are not known or not to be believed. */
function computeDepth(
  state: MarketState,
  pool: PoolEntry,
  { view, anchor }: { readonly view: MarketView; readonly anchor: Ratio | null },
): bigint | null {
  const { row } = pool;
  const isUnchecked = isUncheckedVenue(state.assets, row.venue);
  if (isUnchecked || row.kind === 'tradesOnly') return 0n;
  const quote = state.tokens.get(view.quote);
  if (quote === undefined || quote.row.decimals === null) return null;
  const price = findNativePrice(quote, anchor);
  if (price === null) return null;
  const base = view.baseIsToken0 ? 'token0' : 'token1';
  const depthRaw = kindOf(row).payableRaw(row, base, new EntryTicks(state, pool));
  const denominator = pow10(quote.row.decimals) * price.denominator;
  return (depthRaw * price.numerator * pow10(DEPTH_SCALE)) / denominator;
}

function computeTokenDepths(state: MarketState, token: TokenEntry): Map<PoolId, bigint> {
  const anchor = findAnchorPrice(state);
  const depths = new Map<PoolId, bigint>();
  for (const { pool: id } of (token.basePools ?? []).slice(0, POOLS_COMPARED_MAX)) {
    const pool = state.pools.get(id);
    if (pool === undefined) throw new Error(`pool ${id} was not loaded`);
    const view = pool.views.find(({ base }) => base === token.row.token);
    const depth = view === undefined ? null : computeDepth(state, pool, { view, anchor });
    if (depth !== null) depths.set(id, depth);
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
  for (const event of block.events) {
    if (event.kind === 'poolCreated' && state.pools.get(event.description.pool) === undefined) {
      created.set(event.description.pool, listMarketViews(state.assets, event.description));
    }
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
  return new BlockExamination(findSandwichLegs(swaps), depths);
}
