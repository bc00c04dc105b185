// Picks the tokens of a list from the columns and rolling stats of one chain, both at one commit.

import { setImmediate } from 'node:timers/promises';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { ChainColumns } from './chain-columns.ts';
import type { ChainStats } from './chain-stats.ts';
import { type PackedDecimal, toE18, toExact } from './packed-decimal.ts';
import { TOKEN_FLAGS } from './token-columns.ts';
import { computeChange } from './token-windows.ts';
import { createAfter, type ListPosition, type RankedRow, TopRows } from './top-rows.ts';
import { START, STATS_WINDOWS, type WindowFigures } from './window-subject.ts';

// Looks up ahead what the first lists would otherwise look up at once, for every token and pool.

/** Parts of about this many take a few milliseconds each. */
const PART_SIZE = 2000;

/** Ends when `isCurrent` says that one of the two was replaced. */
export async function warmLists(
  { tokens, pools }: ChainStats,
  columns: ChainColumns,
  isCurrent: () => boolean,
): Promise<void> {
  for (let id = 0; id < tokens.idsEnd; id += PART_SIZE) {
    await setImmediate();
    if (!isCurrent()) return;
    tokens.findPlaces(columns.placedTokens, PART_SIZE);
    pools.findPlaces(columns.placedPools, PART_SIZE);
    for (let one = id; one < Math.min(id + PART_SIZE, tokens.idsEnd); one += 1) {
      for (const window of STATS_WINDOWS.keys()) tokens.findStartKind(one, window);
    }
  }
}

type TokenSort =
  | 'trending'
  | 'volume'
  | 'liquidity'
  | 'marketCap'
  | 'trades'
  | 'buyers'
  | 'gainers'
  | 'losers'
  | 'new';

interface TokenFilter {
  readonly minLiquidity: PackedDecimal | null;
  readonly minVolume: PackedDecimal | null;
  /** Only tokens first seen at this time or later. */
  readonly seenFromMs: number;
  readonly venue: string | null;
  readonly isVerified: boolean | null;
  /** Only tokens of this launchpad, `any` for all launchpads. */
  readonly launchpad: string | null;
  readonly includes: ReadonlySet<'poolShares' | 'unpriced' | 'native'>;
  readonly isHidden: (token: Address) => boolean;
}

export interface ListQuery extends TokenFilter {
  readonly chain: ChainSlug;
  readonly sort: TokenSort;
  /** The index of the window in `STATS_WINDOWS`. */
  readonly window: number;
  readonly after: ListPosition | null;
  readonly limit: number;
  /** When the window begins. */
  readonly windowStartMs: number;
  /** When the chain's index begins, for tokens that have no start of their own. */
  readonly startMs: number;
}

export interface PickedToken extends ListPosition {
  readonly id: Address;
}

const ANY_LAUNCHPAD = 'any';
/** Changes are rounded towards zero, to this part of a per cent. */
const CHANGE_STEPS = 1_000_000;
const CHANGE_LEAST = 1 / CHANGE_STEPS;
/** More than the error of a rough change. */
const ROUGHNESS = 1e-9;
/** More than the error of a ratio of two doubles that were rounded, and are not below the least. */
const RATIO_ERROR = 1e-13;
const DOUBLE_MIN = 1e-290;
/** Above that many steps a double is not exact. */
const STEPS_MAX = 2 ** 50;

/** Wallets count up to 1,000 USD each, more where more wallets buy than sell: see the docs. */
export function computeTrending(
  counts: Pick<WindowFigures, 'limitedVolumeE6' | 'buyers' | 'sellers'>,
): number {
  const { limitedVolumeE6, buyers, sellers } = counts;
  return (limitedVolumeE6 * buyers) / (buyers + sellers);
}

function isAtLeast(value: PackedDecimal | null, minimum: PackedDecimal): boolean {
  return value !== null && toExact(value) >= toExact(minimum);
}

class TokenPicker {
  readonly #stats: ChainStats;
  readonly #columns: ChainColumns;
  readonly #query: ListQuery;
  readonly #top: TopRows;
  readonly #isAfter: ReturnType<typeof createAfter>;
  /** Null if any venue will do. */
  readonly #atVenue: Uint8Array | null;
  readonly #excluded: number;
  readonly #counts: ReturnType<ChainStats['tokens']['columnsOf']>;
  readonly #places: Uint32Array;
  /** By number in the rolling stats. */
  readonly #prices: Float64Array;

  constructor(stats: ChainStats, columns: ChainColumns, query: ListQuery) {
    const { ids } = columns.tokens;
    this.#stats = stats;
    this.#columns = columns;
    this.#query = query;
    this.#counts = stats.tokens.columnsOf(query.window);
    const { places, prices } = stats.tokens.findPlaces(columns.placedTokens);
    this.#places = places;
    this.#prices = prices;
    this.#top = new TopRows(query.limit, (a, b) => ids.compare(a, b));
    this.#isAfter = createAfter(query.after, query.chain, ids);
    const { venue } = query;
    this.#atVenue = venue === null ? null : columns.markTokensAt(columns.findVenue(venue));
    this.#excluded =
      (query.includes.has('poolShares') ? 0 : TOKEN_FLAGS.poolShare) |
      (query.includes.has('native') ? 0 : TOKEN_FLAGS.native);
  }

  pick(): readonly RankedRow[] {
    const { sort, minVolume } = this.#query;
    const { tokens } = this.#columns;
    if (sort === 'liquidity') this.#pickByColumn(tokens.liquidity.doubles, minVolume !== null);
    else if (sort === 'marketCap') this.#pickByColumn(tokens.marketCap.doubles, minVolume !== null);
    else if (sort === 'new') this.#pickByColumn(tokens.firstSeenMs, minVolume !== null);
    else if (sort === 'gainers' || sort === 'losers') this.#pickByChange(sort);
    else this.#pickByCounts(sort);
    return this.#top.rows;
  }

  // The loops over all tokens call nothing for a token that cannot be listed: a million calls would
  // take longer than everything else.

  /** Tokens without trades have no volume, so with a minimum only the traded ones are looked at. */
  #pickByColumn(doubles: Float64Array, isTradedOnly: boolean): void {
    const ceiling = this.#query.after?.double ?? Number.POSITIVE_INFINITY;
    let { floor } = this.#top;
    if (isTradedOnly) {
      const { trades } = this.#counts.columns;
      const places = this.#places;
      const end = this.#stats.tokens.idsEnd;
      for (let id = 0; id < end; id += 1) {
        const place = (places[id] as number) - 1;
        if (trades[id] === 0 || place < 0) continue;
        const double = doubles[place] as number;
        if (!(double >= floor && double <= ceiling)) continue;
        this.#offer(place, double, { id });
        floor = this.#top.floor;
      }
      return;
    }
    // From the end, where new tokens are: they are the first of their list.
    for (let position = this.#columns.tokens.ids.size - 1; position >= 0; position -= 1) {
      const double = doubles[position] as number;
      if (!(double >= floor && double <= ceiling)) continue;
      this.#offer(position, double, { id: -1 });
      floor = this.#top.floor;
    }
  }

  #pickByCounts(sort: 'trending' | 'volume' | 'trades' | 'buyers'): void {
    const { limitedVolumeE6, buyers, trades, volume } = this.#counts.columns;
    // What was traded bounds `trending`, so most are decided without computing it.
    const doubles = { volume, trades, buyers, trending: limitedVolumeE6 }[sort];
    const end = this.#stats.tokens.idsEnd;
    let { floor } = this.#top;
    for (let id = 0; id < end; id += 1) {
      const double = doubles[id] as number;
      if (trades[id] === 0 || double < floor) continue;
      this.#offerCounted(sort, id, double);
      floor = this.#top.floor;
    }
  }

  #offerCounted(sort: TokenSort, id: number, bound: number): void {
    const { columns, volumesE18 } = this.#counts;
    const place = (this.#places[id] ?? 0) - 1;
    if (place < 0) return;
    if (sort === 'volume') {
      if (columns.unvalued[id] === columns.trades[id]) return;
      this.#offer(place, bound, { id, exact: volumesE18[id] ?? 0n });
      return;
    }
    const [buyers = 0, sellers = 0] = [columns.buyers[id], columns.sellers[id]];
    const isTrending = sort === 'trending';
    const of = { limitedVolumeE6: bound, buyers, sellers };
    this.#offer(place, isTrending ? computeTrending(of) : bound, { id });
  }

  #pickByChange(sort: 'gainers' | 'losers'): void {
    const prices = this.#prices;
    const { tokens: stats } = this.#stats;
    const { window } = this.#query;
    const { start, startKind } = this.#counts.columns;
    const sign = sort === 'gainers' ? 1 : -1;
    const end = stats.idsEnd;
    // A product of rough prices first: the exact change takes many times as long.
    let least = this.#findLeastRatio(sign);
    for (let id = 0; id < end; id += 1) {
      if (startKind[id] === START.stale) stats.findStartKind(id, window);
      const price = prices[id] as number;
      // Neither holds for NaN: there is no price, or none to count from.
      const bound = (start[id] as number) * least;
      if (!(sign > 0 ? price >= bound : price <= bound)) continue;
      this.#offerChange(sign, id);
      least = this.#findLeastRatio(sign);
    }
  }

  /** How much of its first price a price must be at least, or at most, to be listed; roughly. */
  #findLeastRatio(sign: 1 | -1): number {
    const leastPct = Math.max(this.#top.floor, CHANGE_LEAST);
    return 1 + (sign * leastPct * (1 - ROUGHNESS) - sign * ROUGHNESS) / 100;
  }

  #offerChange(sign: 1 | -1, id: number): void {
    const place = (this.#places[id] ?? 0) - 1;
    if (place < 0 || this.#counts.columns.trades[id] === 0) return;
    const change = this.#findRoundChange(id, place) ?? this.#computeChange(id, place);
    if (change !== null && sign * change > 0) this.#offer(place, sign * change, { id });
  }

  #computeChange(id: number, place: number): number | null {
    const price = this.#columns.tokens.price.get(place);
    const start = this.#stats.tokens.readStart(id, this.#query.window);
    return computeChange(start, price, this.#isCovered(place));
  }

  /**
   * The change by doubles, where all within their error is rounded to one value: many tokens may
   * have almost the same change. Null if the prices must be looked at.
   */
  #findRoundChange(id: number, place: number): number | null {
    const { start, startKind } = this.#counts.columns;
    const isFromFirst = startKind[id] === START.first;
    if (isFromFirst && !this.#isCovered(place)) return null;
    const price = this.#columns.tokens.price.doubles[place] as number;
    const from = start[id] as number;
    if (!(price > DOUBLE_MIN && from > DOUBLE_MIN)) return null;
    const ratio = price / from;
    const steps = (ratio - 1) * 100 * CHANGE_STEPS;
    const error = (ratio + 1) * 100 * CHANGE_STEPS * RATIO_ERROR;
    if (!(Math.abs(steps) < STEPS_MAX)) return null;
    const [low, high] = [Math.trunc(steps - error), Math.trunc(steps + error)];
    return low === high ? low / CHANGE_STEPS : null;
  }

  /** Whether the whole window of a token is indexed. */
  #isCovered(place: number): boolean {
    const ownMs = this.#columns.tokens.startMs[place] ?? Number.NaN;
    return (Number.isNaN(ownMs) ? this.#query.startMs : ownMs) <= this.#query.windowStartMs;
  }

  #offer(
    position: number,
    double: number,
    of: { readonly id: number; readonly exact?: bigint },
  ): void {
    if (!this.#top.mayEnter(double, position)) return;
    const { after } = this.#query;
    if (after !== null && double > after.double) return;
    if (!this.#isListed(position, of.id)) return;
    const row = { position, double, exact: of.exact ?? this.#readExact(position) };
    if (this.#isAfter(row, position)) this.#top.offer(row);
  }

  #readExact(position: number): bigint {
    const { sort } = this.#query;
    if (sort !== 'liquidity' && sort !== 'marketCap') return 0n;
    const value = this.#columns.tokens[sort].get(position);
    return value === null ? 0n : toExact(value);
  }

  /** `id` is its number in the rolling stats; -1 if it is not asked for. */
  #isListed(position: number, id: number): boolean {
    const { tokens } = this.#columns;
    const query = this.#query;
    const flags = tokens.flags[position] ?? 0;
    if ((flags & TOKEN_FLAGS.present) === 0 || (flags & this.#excluded) !== 0) return false;
    const isPriced = !Number.isNaN(tokens.price.doubles[position] ?? Number.NaN);
    if (!isPriced && !query.includes.has('unpriced')) return false;
    if ((tokens.firstSeenMs[position] ?? 0) < query.seenFromMs) return false;
    if (this.#atVenue !== null && this.#atVenue[position] !== 1) return false;
    if (query.isVerified !== null && tokens.has(position, 'verified') !== query.isVerified) {
      return false;
    }
    if (query.launchpad !== null) {
      const launchpad = tokens.launchpads.get(position);
      const isWanted = query.launchpad === ANY_LAUNCHPAD || query.launchpad === launchpad;
      if (launchpad === undefined || !isWanted) return false;
    }
    const { minLiquidity, minVolume } = query;
    if (minLiquidity !== null && !isAtLeast(tokens.liquidity.get(position), minLiquidity)) {
      return false;
    }
    if (minVolume !== null) {
      const { columns, volumesE18 } = this.#counts;
      if (id < 0 || columns.unvalued[id] === columns.trades[id]) return false;
      if ((volumesE18[id] ?? 0n) < toE18(minVolume)) return false;
    }
    return !query.isHidden(tokens.ids.at(position));
  }
}

/** The best first. */
export function pickTokens(
  stats: ChainStats,
  columns: ChainColumns,
  query: ListQuery,
): readonly PickedToken[] {
  const rows = new TokenPicker(stats, columns, query).pick();
  return rows.map(({ position, double, exact }) => {
    return { double, exact, chain: query.chain, id: columns.tokens.ids.at(position) };
  });
}
