// The figures of all pools of a chain that lists sort and filter by, in typed arrays.

import type { PoolId } from '../../model/ids.ts';
import type { PoolFigures } from '../../store/market-reads.ts';
import { DecimalColumn } from './decimal-column.ts';
import { packDecimal } from './packed-decimal.ts';
import { PackedIds } from './packed-ids.ts';
import { toUsdText } from './token-columns.ts';

const CAPACITY_FIRST = 1024;

/** Positions of a pool's tokens in the columns of tokens. */
interface ListedPoolSides {
  readonly token0: number;
  readonly token1: number;
}

export class PoolColumns {
  readonly ids = new PackedIds<PoolId>();
  readonly liquidity = new DecimalColumn();
  /** Replaced when the columns grow, like the next four. */
  createdMs = new Float64Array(CAPACITY_FIRST);
  isPresent = new Uint8Array(CAPACITY_FIRST);
  venue = new Uint8Array(CAPACITY_FIRST);
  token0 = new Uint32Array(CAPACITY_FIRST);
  token1 = new Uint32Array(CAPACITY_FIRST);

  /** `venue` is its number. */
  put(figures: PoolFigures, { token0, token1 }: ListedPoolSides, venue: number): number {
    const position = this.ids.add(figures.pool);
    if (position >= this.isPresent.length) this.#grow();
    const liquidity = toUsdText(figures.liquidityUsdE18);
    this.liquidity.set(position, liquidity === null ? null : packDecimal(liquidity));
    this.createdMs[position] = figures.createdAtMs;
    this.isPresent[position] = 1;
    this.venue[position] = venue;
    this.token0[position] = token0;
    this.token1[position] = token1;
    return position;
  }

  /** A bit for each venue with a pool of a token. Looks at every pool: for rollbacks only. */
  findVenues(token: number): number {
    let venues = 0;
    for (let position = 0; position < this.ids.size; position += 1) {
      if (this.isPresent[position] !== 1) continue;
      if (this.token0[position] !== token && this.token1[position] !== token) continue;
      venues |= 1 << (this.venue[position] ?? 0);
    }
    return venues >>> 0;
  }

  #grow(): void {
    const size = this.isPresent.length * 2;
    const grow = <T extends Uint8Array | Uint32Array | Float64Array>(grown: T, old: T): T => {
      grown.set(old);
      return grown;
    };
    this.createdMs = grow(new Float64Array(size), this.createdMs);
    this.isPresent = grow(new Uint8Array(size), this.isPresent);
    this.venue = grow(new Uint8Array(size), this.venue);
    this.token0 = grow(new Uint32Array(size), this.token0);
    this.token1 = grow(new Uint32Array(size), this.token1);
  }
}
