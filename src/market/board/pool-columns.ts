// The figures of all pools of a chain that lists sort and filter by, in typed arrays, and the pools
// of each token as linked lists.

import type { PoolId } from '../../model/ids.ts';
import type { PoolFigures } from '../../store/market-reads.ts';
import { DecimalColumn } from './decimal-column.ts';
import { packDecimal } from './packed-decimal.ts';
import { PackedIds } from './packed-ids.ts';
import { toUsdText } from './token-columns.ts';

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

export class PoolColumns {
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
