// Picks the pools of a list from the columns and rolling stats of one chain, both at one commit.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { ChainColumns } from './chain-columns.ts';
import type { ChainStats } from './chain-stats.ts';
import { toExact } from './packed-decimal.ts';
import { computeTrending } from './pick-tokens.ts';
import { createAfter, type ListPosition, type RankedRow, TopRows } from './top-rows.ts';

export interface PoolQuery {
  readonly chain: ChainSlug;
  readonly sort: 'liquidity' | 'trending' | 'volume' | 'trades' | 'new';
  /** The index of the window in `STATS_WINDOWS`. */
  readonly window: number;
  readonly venue: string | null;
  /** Only pools of this token. */
  readonly token: Address | null;
  readonly after: ListPosition | null;
  readonly limit: number;
  readonly isHidden: (token: Address) => boolean;
}

interface PickedPool extends ListPosition {
  readonly id: PoolId;
}

class PoolPicker {
  readonly #stats: ChainStats;
  readonly #columns: ChainColumns;
  readonly #query: PoolQuery;
  readonly #top: TopRows;
  readonly #isAfter: ReturnType<typeof createAfter>;
  /** The number of the venue and the position of the token; -1 if the query is about all. */
  readonly #venue: number;
  readonly #token: number;

  constructor(
    stats: ChainStats,
    columns: ChainColumns,
    of: { readonly query: PoolQuery; readonly venue: number; readonly token: number },
  ) {
    const { ids } = columns.pools;
    this.#stats = stats;
    this.#columns = columns;
    this.#query = of.query;
    this.#venue = of.venue;
    this.#token = of.token;
    this.#top = new TopRows(of.query.limit, (a, b) => ids.compare(a, b));
    this.#isAfter = createAfter(of.query.after, of.query.chain, ids);
  }

  pick(): readonly RankedRow[] {
    const { sort } = this.#query;
    if (sort === 'liquidity' || sort === 'new') this.#pickByColumn(sort);
    else this.#pickByCounts(sort);
    return this.#top.rows;
  }

  #pickByColumn(sort: 'liquidity' | 'new'): void {
    const { pools } = this.#columns;
    const doubles = sort === 'new' ? pools.createdMs : pools.liquidity.doubles;
    const offer = (position: number) => {
      const double = doubles[position] ?? Number.NaN;
      if (Number.isNaN(double) || (sort === 'new' && double === 0)) return;
      this.#offer(position, double, 0n);
    };
    if (this.#token >= 0) {
      for (const position of pools.listOf(this.#token)) offer(position);
      return;
    }
    const ceiling = this.#query.after?.double ?? Number.POSITIVE_INFINITY;
    let { floor } = this.#top;
    // From the end, where new pools are: they are the first of their list.
    for (let position = pools.ids.size - 1; position >= 0; position -= 1) {
      const double = doubles[position] as number;
      if (!(double >= floor && double <= ceiling)) continue;
      offer(position);
      floor = this.#top.floor;
    }
  }

  #pickByCounts(sort: 'trending' | 'volume' | 'trades'): void {
    const { pools: stats } = this.#stats;
    const { columns, volumesE18 } = stats.columnsOf(this.#query.window);
    const { trades, unvalued, volume, limitedVolumeE6, buyers, sellers } = columns;
    const { places } = stats.findPlaces(this.#columns.placedPools);
    // What was traded bounds `trending`.
    const doubles = { volume, trades, trending: limitedVolumeE6 }[sort];
    let { floor } = this.#top;
    for (let id = 0; id < stats.idsEnd; id += 1) {
      const bound = doubles[id] as number;
      if (trades[id] === 0 || bound < floor) continue;
      if (sort === 'volume' && trades[id] === unvalued[id]) continue;
      const place = (places[id] as number) - 1;
      if (place < 0) continue;
      const [buyersHere = 0, sellersHere = 0] = [buyers[id], sellers[id]];
      const of = { limitedVolumeE6: bound, buyers: buyersHere, sellers: sellersHere };
      const double = sort === 'trending' ? computeTrending(of) : bound;
      this.#offer(place, double, sort === 'volume' ? (volumesE18[id] ?? 0n) : 0n);
      floor = this.#top.floor;
    }
  }

  #offer(position: number, double: number, exact: bigint): void {
    if (!this.#top.mayEnter(double, position) || !this.#isListed(position)) return;
    const liquidity =
      this.#query.sort === 'liquidity' ? this.#columns.pools.liquidity.get(position) : null;
    const row = { position, double, exact: liquidity === null ? exact : toExact(liquidity) };
    if (this.#isAfter(row, position)) this.#top.offer(row);
  }

  #isListed(position: number): boolean {
    const { pools, tokens } = this.#columns;
    if (pools.isPresent[position] !== 1) return false;
    if (this.#venue >= 0 && pools.venue[position] !== this.#venue) return false;
    const sides = [pools.token0[position] ?? 0, pools.token1[position] ?? 0];
    if (this.#token >= 0 && !sides.includes(this.#token)) return false;
    return !sides.some((token) => this.#query.isHidden(tokens.ids.at(token)));
  }
}

/** The best first. */
export function pickPools(
  stats: ChainStats,
  columns: ChainColumns,
  query: PoolQuery,
): readonly PickedPool[] {
  const venue = query.venue === null ? -1 : columns.findVenue(query.venue);
  const token = query.token === null ? -1 : (columns.tokens.ids.find(query.token) ?? -1);
  const isUnknown = (query.venue !== null && venue < 0) || (query.token !== null && token < 0);
  if (isUnknown) return [];
  const rows = new PoolPicker(stats, columns, { query, venue, token }).pick();
  return rows.map(({ position, double, exact }) => {
    return { double, exact, chain: query.chain, id: columns.pools.ids.at(position) };
  });
}
