// Picks the tokens of a list from the columns and the board of one chain, both at one commit.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { ChainBoard } from './chain-board.ts';
import type { ChainColumns } from './chain-columns.ts';
import { toExact } from './decimal-column.ts';
import { createAfter, type ListPosition } from './list-position.ts';
import { type PackedDecimal, toE18 } from './packed-decimal.ts';
import { TOKEN_FLAGS } from './token-columns.ts';
import { computeChange } from './token-windows.ts';
import { type RankedRow, TopRows } from './top-rows.ts';
import type { WindowCounts } from './window-subject.ts';

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
  readonly includes: ReadonlySet<'poolShares' | 'unpriced' | 'native'>;
  readonly isHidden: (token: Address) => boolean;
}

export interface ListQuery extends TokenFilter {
  readonly chain: ChainSlug;
  readonly sort: TokenSort;
  /** The index of the window in `BOARD_WINDOWS`. */
  readonly window: number;
  readonly after: ListPosition | null;
  readonly limit: number;
  /** Whether the whole window is indexed. */
  readonly isCovered: boolean;
}

export interface PickedToken extends ListPosition {
  readonly id: Address;
}

/** Wallets count up to 1,000 USD each, more where more wallets buy than sell: see the docs. */
export function computeTrending(
  counts: Pick<WindowCounts, 'limitedVolumeE6' | 'buyers' | 'sellers'>,
): number {
  const { limitedVolumeE6, buyers, sellers } = counts;
  return (limitedVolumeE6 * buyers) / (buyers + sellers);
}

/** Not the nearest double, but close. */
function toRough({ digits, exponent }: PackedDecimal): number {
  return Number(digits) * 10 ** exponent;
}

function isAtLeast(value: PackedDecimal | null, minimum: PackedDecimal): boolean {
  return value !== null && toExact(value) >= toExact(minimum);
}

class TokenPicker {
  readonly #board: ChainBoard;
  readonly #columns: ChainColumns;
  readonly #query: ListQuery;
  readonly #top: TopRows;
  readonly #isAfter: ReturnType<typeof createAfter>;
  readonly #venueBit: number;
  readonly #excluded: number;

  constructor(board: ChainBoard, columns: ChainColumns, query: ListQuery) {
    const { ids } = columns.tokens;
    this.#board = board;
    this.#columns = columns;
    this.#query = query;
    this.#top = new TopRows(query.limit, (a, b) => ids.compare(a, b));
    this.#isAfter = createAfter(query.after, query.chain, ids);
    const venue = query.venue === null ? -1 : columns.findVenue(query.venue);
    this.#venueBit = venue < 0 ? 0 : (1 << venue) >>> 0;
    this.#excluded =
      (query.includes.has('poolShares') ? 0 : TOKEN_FLAGS.poolShare) |
      (query.includes.has('native') ? 0 : TOKEN_FLAGS.native);
  }

  pick(): readonly RankedRow[] {
    const { sort, minVolume } = this.#query;
    if (this.#query.venue !== null && this.#venueBit === 0) return [];
    const { tokens } = this.#columns;
    if (sort === 'liquidity') this.#pickByColumn(tokens.liquidity.doubles, minVolume !== null);
    else if (sort === 'marketCap') this.#pickByColumn(tokens.marketCap.doubles, minVolume !== null);
    else if (sort === 'new') this.#pickByColumn(tokens.firstSeenMs, minVolume !== null);
    else if (sort === 'gainers' || sort === 'losers') this.#pickByChange(sort);
    else this.#pickByCounts(sort);
    return this.#top.rows;
  }

  /** Tokens without trades have no volume, so with a minimum only the traded ones are looked at. */
  #pickByColumn(doubles: Float64Array, isTradedOnly: boolean): void {
    if (isTradedOnly) {
      this.#visit((_, place, counts) => {
        const double = doubles[place] ?? Number.NaN;
        // Unknown: it has no place in this order.
        if (!Number.isNaN(double)) this.#offer(place, double, { counts });
      });
      return;
    }
    let { floor } = this.#top;
    const ceiling = this.#query.after?.double ?? Number.POSITIVE_INFINITY;
    // From the end, where new tokens are: they are the first of their list.
    for (let position = this.#columns.tokens.ids.size - 1; position >= 0; position -= 1) {
      const double = doubles[position] as number;
      if (!(double >= floor && double <= ceiling)) continue;
      this.#offer(position, double, { counts: null });
      floor = this.#top.floor;
    }
  }

  #pickByCounts(sort: 'trending' | 'volume' | 'trades' | 'buyers'): void {
    this.#visit((_, place, counts) => {
      if (sort === 'trending') this.#offer(place, computeTrending(counts), { counts });
      else if (sort === 'volume') {
        if (counts.unvalued === counts.trades) return;
        const exact = counts.volumeUsdE18;
        this.#offer(place, Number(exact), { counts, exact });
      } else this.#offer(place, counts[sort], { counts });
    });
  }

  #pickByChange(sort: 'gainers' | 'losers'): void {
    const { price } = this.#columns.tokens;
    const { window, isCovered } = this.#query;
    const sign = sort === 'gainers' ? 1 : -1;
    this.#visit((key, place, counts) => {
      const start = this.#board.tokens.readStart(key, window);
      const from = start.before ?? (isCovered ? start.first : null);
      if (from === null) return;
      // A rough figure first: the exact one takes several times as long.
      const rough = sign * ((price.doubles[place] ?? Number.NaN) / toRough(from) - 1) * 100;
      if (rough < this.#top.floor - Math.abs(rough) * 1e-9 - 1e-5) return;
      const change = computeChange(start, price.get(place), isCovered);
      if (change === null || sign * change <= 0) return;
      this.#offer(place, sign * change, { counts });
    });
  }

  #visit(see: (key: Address, place: number, counts: Readonly<WindowCounts>) => void): void {
    const { tokens } = this.#columns;
    const columns = {
      owner: tokens,
      findPlace: (token: Address) => tokens.ids.find(token) ?? -1,
    };
    this.#board.tokens.visit(this.#query.window, columns, (key, place, counts) => {
      if (place >= 0) see(key, place, counts);
    });
  }

  #offer(
    position: number,
    double: number,
    of: { readonly counts: Readonly<WindowCounts> | null; readonly exact?: bigint },
  ): void {
    if (!this.#top.mayEnter(double, position)) return;
    const { after } = this.#query;
    if (after !== null && double > after.double) return;
    if (!this.#isListed(position, of.counts)) return;
    const row = { position, double, exact: of.exact ?? this.#readExact(position) };
    if (this.#isAfter(row, position)) this.#top.offer(row);
  }

  #readExact(position: number): bigint {
    const { sort } = this.#query;
    if (sort !== 'liquidity' && sort !== 'marketCap') return 0n;
    const value = this.#columns.tokens[sort].get(position);
    return value === null ? 0n : toExact(value);
  }

  #isListed(position: number, counts: Readonly<WindowCounts> | null): boolean {
    const { tokens } = this.#columns;
    const query = this.#query;
    const flags = tokens.flags[position] ?? 0;
    if ((flags & TOKEN_FLAGS.present) === 0 || (flags & this.#excluded) !== 0) return false;
    const isPriced = !Number.isNaN(tokens.price.doubles[position] ?? Number.NaN);
    if (!isPriced && !query.includes.has('unpriced')) return false;
    if ((tokens.firstSeenMs[position] ?? 0) < query.seenFromMs) return false;
    if (this.#venueBit !== 0 && ((tokens.venues[position] ?? 0) & this.#venueBit) === 0)
      return false;
    if (query.isVerified !== null && tokens.has(position, 'verified') !== query.isVerified) {
      return false;
    }
    const { minLiquidity, minVolume } = query;
    if (minLiquidity !== null && !isAtLeast(tokens.liquidity.get(position), minLiquidity)) {
      return false;
    }
    if (minVolume !== null) {
      if (counts === null || counts.unvalued === counts.trades) return false;
      if (counts.volumeUsdE18 < toE18(minVolume)) return false;
    }
    return !query.isHidden(tokens.ids.at(position));
  }
}

/** The best first. */
export function pickTokens(
  board: ChainBoard,
  columns: ChainColumns,
  query: ListQuery,
): readonly PickedToken[] {
  const rows = new TokenPicker(board, columns, query).pick();
  return rows.map(({ position, double, exact }) => {
    return { double, exact, chain: query.chain, id: columns.tokens.ids.at(position) };
  });
}
