// The columns of a chain's tokens and pools, as of one commit.

import { toUsdText } from '../../lib/decimal.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolFigures, TokenFigures } from '../../store/market-reads.ts';
import { DecimalColumn, packDecimal } from './packed-decimal.ts';
import { PackedIds } from './packed-ids.ts';
import type { PlacedColumns } from './subject-places.ts';
import { type ListAssets, TokenColumns } from './token-columns.ts';

// The figures of all pools of a chain that lists sort and filter by, in typed arrays, and the pools
// of each token as linked lists.

const CAPACITY_FIRST = 1024;
/** A pool is in two lists: its entries are twice its position, and that plus one. */
const SIDES = 2;

interface ListedSides {
  /** Its number. */
  readonly venue: number;
  /** Positions in the columns of tokens. */
  readonly token0: number;
  readonly token1: number;
}

function grow<T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(
  grown: T,
  old: T,
): T {
  grown.set(old);
  return grown;
}

class PoolColumns {
  readonly ids = new PackedIds<PoolId>();
  readonly liquidity = new DecimalColumn();
  /** 0 if the creation was not seen. Replaced when the columns grow, like the next four. */
  createdMs = new Float64Array(CAPACITY_FIRST);
  isPresent = new Uint8Array(CAPACITY_FIRST);
  venue = new Uint16Array(CAPACITY_FIRST);
  token0 = new Uint32Array(CAPACITY_FIRST);
  token1 = new Uint32Array(CAPACITY_FIRST);
  /** Entries plus one; 0 for none. The heads are by token. */
  #heads = new Uint32Array(CAPACITY_FIRST);
  #next = new Uint32Array(SIDES * CAPACITY_FIRST);
  #previous = new Uint32Array(SIDES * CAPACITY_FIRST);

  /** The position of a pool, which may have no row (yet). */
  place(pool: PoolId): number {
    const position = this.ids.add(pool);
    if (position >= this.isPresent.length) this.#grow();
    return position;
  }

  put(position: number, figures: Pick<PoolFigures, 'liquidityUsdE18' | 'createdAtMs'>): void {
    const liquidity = toUsdText(figures.liquidityUsdE18);
    this.liquidity.set(position, liquidity === null ? null : packDecimal(liquidity));
    this.createdMs[position] = figures.createdAtMs;
  }

  isOf(position: number, of: ListedSides): boolean {
    return (
      this.isPresent[position] === 1 &&
      this.venue[position] === of.venue &&
      this.token0[position] === of.token0 &&
      this.token1[position] === of.token1
    );
  }

  add(position: number, { venue, token0, token1 }: ListedSides): void {
    this.isPresent[position] = 1;
    this.venue[position] = venue;
    this.token0[position] = token0;
    this.token1[position] = token1;
    this.#link(position * SIDES, token0);
    this.#link(position * SIDES + 1, token1);
  }

  remove(position: number): void {
    if (this.isPresent[position] !== 1) return;
    this.isPresent[position] = 0;
    this.#unlink(position * SIDES, this.token0[position] ?? 0);
    this.#unlink(position * SIDES + 1, this.token1[position] ?? 0);
  }

  /** The pools of a token. */
  *listOf(token: number): Generator<number> {
    for (let link = this.#heads[token] ?? 0; link > 0; link = this.#next[link - 1] ?? 0) {
      yield Math.floor((link - 1) / SIDES);
    }
  }

  #link(entry: number, token: number): void {
    if (token >= this.#heads.length) {
      this.#heads = grow(new Uint32Array(Math.max(token + 1, this.#heads.length * 2)), this.#heads);
    }
    const head = this.#heads[token] ?? 0;
    this.#next[entry] = head;
    this.#previous[entry] = 0;
    if (head > 0) this.#previous[head - 1] = entry + 1;
    this.#heads[token] = entry + 1;
  }

  #unlink(entry: number, token: number): void {
    const [next = 0, previous = 0] = [this.#next[entry], this.#previous[entry]];
    if (previous > 0) this.#next[previous - 1] = next;
    else this.#heads[token] = next;
    if (next > 0) this.#previous[next - 1] = previous;
  }

  #grow(): void {
    const size = this.isPresent.length * 2;
    this.createdMs = grow(new Float64Array(size), this.createdMs);
    this.isPresent = grow(new Uint8Array(size), this.isPresent);
    this.venue = grow(new Uint16Array(size), this.venue);
    this.token0 = grow(new Uint32Array(size), this.token0);
    this.token1 = grow(new Uint32Array(size), this.token1);
    this.#next = grow(new Uint32Array(SIDES * size), this.#next);
    this.#previous = grow(new Uint32Array(SIDES * size), this.#previous);
  }
}

/** Anybody can deploy a venue: those above this many share a number, which no filter finds. */
const VENUES_MAX = 65_535;

export class ChainColumns {
  readonly tokens: TokenColumns;
  readonly pools = new PoolColumns();
  /** For the rolling stats, which number their subjects themselves. */
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
