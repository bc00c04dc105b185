// The columns of a chain's tokens and pools, as of one commit.

import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolFigures, TokenFigures } from '../../store/market-reads.ts';
import { PoolColumns } from './pool-columns.ts';
import type { PlacedColumns } from './subject-places.ts';
import { type ListAssets, TokenColumns } from './token-columns.ts';

/** Anybody can deploy a venue: those above this many share a number, which no filter finds. */
const VENUES_MAX = 65_535;

export class ChainColumns {
  readonly tokens: TokenColumns;
  readonly pools = new PoolColumns();
  /** For the board, which numbers its subjects itself. */
  readonly placedTokens: PlacedColumns<Address>;
  readonly placedPools: PlacedColumns<PoolId>;
  readonly #venues = new Map<string, number>();

  constructor(assets: ListAssets) {
    const tokens = new TokenColumns(assets);
    this.tokens = tokens;
    this.placedTokens = {
      owner: this,
      findPlace: (token) => tokens.ids.find(token) ?? -1,
      prices: {
        column: tokens.price,
        changed: tokens.changedPrices,
        keyAt: (place) => tokens.ids.at(place),
      },
    };
    this.placedPools = {
      owner: this,
      findPlace: (pool) => this.pools.ids.find(pool) ?? -1,
      prices: null,
    };
  }

  /** The number of a venue; -1 if no pool is of it. */
  findVenue(venue: string): number {
    return this.#venues.get(venue) ?? -1;
  }

  /** By position, 1 for the tokens that have a pool at a venue. */
  markTokensAt(venue: number): Uint8Array {
    const { tokens, pools } = this;
    const marks = new Uint8Array(tokens.ids.size);
    for (let position = 0; position < pools.ids.size; position += 1) {
      if (pools.isPresent[position] !== 1 || pools.venue[position] !== venue) continue;
      marks[pools.token0[position] ?? 0] = 1;
      marks[pools.token1[position] ?? 0] = 1;
    }
    return marks;
  }

  putTokens(
    rows: readonly TokenFigures[],
    of: {
      /** Whether a token list vouches for a token. */
      readonly isVerified: (token: Address) => boolean;
      /** Since when it is indexed; NaN if that is since the chain is. */
      readonly findStart: (token: Address) => number;
    },
  ): void {
    for (const row of rows) {
      const position = this.tokens.put(row);
      this.tokens.setStart(position, of.findStart(row.token));
      this.tokens.setFlag(position, 'verified', of.isVerified(row.token));
      // The contract of a pair is also the token of its shares, and has the same address.
      if (this.#isPool(row.token)) this.tokens.setFlag(position, 'poolShare', true);
    }
  }

  putPools(rows: readonly PoolFigures[]): void {
    const { tokens, pools } = this;
    for (const row of rows) {
      const position = pools.place(row.pool);
      pools.put(position, row);
      const [token0, token1] = [tokens.place(row.token0), tokens.place(row.token1)];
      const of = { token0, token1, venue: this.#placeVenue(row.venue) };
      if (pools.isOf(position, of)) continue;
      // After a reorganisation an id may belong to another pair.
      pools.remove(position);
      pools.add(position, of);
      const share = tokens.ids.find(row.pool);
      if (share !== null) tokens.setFlag(share, 'poolShare', true);
    }
  }

  removePool(pool: PoolId): void {
    const position = this.pools.ids.find(pool);
    if (position === null) return;
    this.pools.remove(position);
    const share = this.tokens.ids.find(pool);
    if (share !== null) this.tokens.setFlag(share, 'poolShare', false);
  }

  /** Marks which tokens the lists vouch for, after the lists changed. */
  setVerified(listed: Iterable<Address>): void {
    this.tokens.clearFlag('verified');
    for (const token of listed) {
      const position = this.tokens.ids.find(token);
      if (position !== null) this.tokens.setFlag(position, 'verified', true);
    }
  }

  #isPool(token: Address): boolean {
    const position = this.pools.ids.find(token);
    return position !== null && this.pools.isPresent[position] === 1;
  }

  #placeVenue(venue: string): number {
    const known = this.findVenue(venue);
    if (known >= 0) return known;
    const { size } = this.#venues;
    if (size >= VENUES_MAX) return VENUES_MAX;
    this.#venues.set(venue, size);
    return size;
  }
}
