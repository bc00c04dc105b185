// The columns of a chain's tokens and pools, as of one commit.

import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolFigures, TokenFigures } from '../../store/market-reads.ts';
import { PoolColumns } from './pool-columns.ts';
import { type ListAssets, TokenColumns } from './token-columns.ts';

/** Venues are bits of a 32-bit number. */
const VENUES_MAX = 32;

export class ChainColumns {
  readonly tokens: TokenColumns;
  readonly pools = new PoolColumns();
  readonly #venues: string[] = [];

  constructor(assets: ListAssets) {
    this.tokens = new TokenColumns(assets);
  }

  /** The number of a venue; -1 if no pool is of it. */
  findVenue(venue: string): number {
    return this.#venues.indexOf(venue);
  }

  /** `isVerified` says which tokens a token list vouches for. */
  putTokens(rows: readonly TokenFigures[], isVerified: (token: Address) => boolean): void {
    for (const row of rows) {
      const position = this.tokens.put(row);
      this.tokens.setFlag(position, 'verified', isVerified(row.token));
      // The contract of a pair is also the token of its shares, and has the same address.
      if (this.#isPool(row.token)) this.tokens.setFlag(position, 'poolShare', true);
    }
  }

  putPools(rows: readonly PoolFigures[]): void {
    const { tokens, pools } = this;
    for (const row of rows) {
      const of = { token0: tokens.place(row.token0), token1: tokens.place(row.token1) };
      const venue = this.#placeVenue(row.venue);
      pools.put(row, of, venue);
      for (const token of [of.token0, of.token1]) {
        tokens.venues[token] = ((tokens.venues[token] ?? 0) | (1 << venue)) >>> 0;
      }
      const share = tokens.ids.find(row.pool);
      if (share !== null) tokens.setFlag(share, 'poolShare', true);
    }
  }

  removePool(pool: PoolId): void {
    const { tokens, pools } = this;
    const position = pools.ids.find(pool);
    if (position === null) return;
    pools.isPresent[position] = 0;
    for (const token of [pools.token0[position] ?? 0, pools.token1[position] ?? 0]) {
      tokens.venues[token] = pools.findVenues(token);
    }
    const share = tokens.ids.find(pool);
    if (share !== null) tokens.setFlag(share, 'poolShare', false);
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
    if (this.#venues.length === VENUES_MAX) throw new Error('There are more than 32 venues');
    return this.#venues.push(venue) - 1;
  }
}
