// What round trips through pools have shown of the tokens in them, and what of it still counts.
//
// Kept by pool and not by token: a contract may tax, or refuse, transfers of one pool and not those
// of another, and what a quote promises is about the pools on its way.
//
// A measurement counts until something speaks against it: a doubt of its pool or of one of its
// tokens. Doubts are numbered, and a measurement settles those that were there when it began; one
// that was under way when a doubt came settles nothing.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolSafety, SideSafety } from '../../model/pool-safety.ts';

/** What the round trip of a token showed; null is what it could not show. */
export interface TokenSafety {
  readonly buyTaxBps: number | null;
  readonly sellTaxBps: number | null;
  readonly sellable: boolean | null;
  readonly checkedAtMs: number;
  /** What its contract used of gas in a sale; told only where that is unusually much. */
  readonly sellGas?: number;
}

/** A swap in a measured pool: what is lost on the way in and out, and whether it goes through. */
export interface DirectionSafety {
  readonly inBps: number | null;
  readonly outBps: number | null;
  readonly sellable: boolean | null;
}

/** What was measured longer ago than this no longer counts as a promise. */
export const SAFETY_LIFE_MS = 30 * 60_000;

const POOLS_MAX = 300_000;
/** Older than every doubt: what an earlier run measured, since nobody watched in between. */
const BEFORE_START = -1;

export class SafetyBook {
  readonly #pools = new BoundedMap<PoolId, PoolSafety>(POOLS_MAX);
  readonly #taxed = new BoundedMap<Address, true>(POOLS_MAX);
  /** The number of the last doubt that each pool's measurement settles. */
  readonly #settled = new BoundedMap<PoolId, number>(POOLS_MAX);
  /** The number of the last doubt of each token or pool. */
  readonly #doubts = new BoundedMap<Address | PoolId, number>(3 * POOLS_MAX);
  #doubtCount = 0;
  #unwatchedUntilMs = 0;

  get size(): number {
    return this.#pools.size;
  }

  get(pool: PoolId): PoolSafety | undefined {
    return this.#pools.get(pool);
  }

  /** How many doubts there have been: to be read when a measurement begins. */
  get doubtCount(): number {
    return this.#doubtCount;
  }

  /** What an earlier run measured: known, but no promise. */
  restore(safety: PoolSafety): void {
    this.set(safety, BEFORE_START);
  }

  /** `doubtCount` as it was when the measurement began. */
  set(safety: PoolSafety, doubtCount = this.#doubtCount): void {
    this.#settled.delete(safety.pool);
    this.#settled.set(safety.pool, doubtCount);
    // Told anew, a pool counts as new, so that the longest unchecked is forgotten first.
    this.#pools.delete(safety.pool);
    this.#pools.set(safety.pool, safety);
    for (const [token, side] of [
      [safety.token0, safety.side0],
      [safety.token1, safety.side1],
    ] as const) {
      if ((side.inBps ?? 0) > 0 || (side.outBps ?? 0) > 0) this.#taxed.set(token, true);
    }
  }

  /** From now on no measurement counts that was not begun after this. */
  doubt(subject: Address | PoolId): void {
    this.#doubtCount += 1;
    this.#doubts.delete(subject);
    this.#doubts.set(subject, this.#doubtCount);
  }

  /** Nobody looked for changes up to then: measurements from before do not count. */
  doubtBefore(timeMs: number): void {
    this.#unwatchedUntilMs = Math.max(this.#unwatchedUntilMs, timeMs);
  }

  /** `seen`: something speaks against the measurement; `unwatched`: nobody looked. */
  findDoubt(pool: PoolId): 'seen' | 'unwatched' | null {
    const known = this.#pools.get(pool);
    if (known === undefined) return null;
    const settled = this.#settled.get(pool) ?? BEFORE_START;
    const isSeen = [pool, known.token0, known.token1].some(
      (subject) => (this.#doubts.get(subject) ?? 0) > Math.max(settled, 0),
    );
    if (isSeen) return 'seen';
    const isUnwatched = settled === BEFORE_START || known.checkedAtMs <= this.#unwatchedUntilMs;
    return isUnwatched ? 'unwatched' : null;
  }

  clear(): void {
    this.#pools.clear();
    this.#settled.clear();
    this.#doubts.clear();
    this.#unwatchedUntilMs = 0;
    this.#taxed.clear();
  }

  /** Whether some pool was seen to tax the token at some time. */
  mayBeTaxed(token: Address): boolean {
    return this.#taxed.has(token);
  }

  /** Null where the pool has not been measured. */
  direction(pool: PoolId, zeroForOne: boolean): DirectionSafety | null {
    const known = this.#pools.get(pool);
    if (known === undefined) return null;
    const [paid, got] = zeroForOne ? [known.side0, known.side1] : [known.side1, known.side0];
    return { inBps: paid.inBps, outBps: got.outBps, sellable: paid.sellable };
  }

  /** Gas beyond what such swaps use; 0 where nothing unusual was seen. */
  extraGas(pool: PoolId, zeroForOne: boolean): number {
    const known = this.#pools.get(pool);
    return (zeroForOne ? known?.side0 : known?.side1)?.sellGas ?? 0;
  }

  /** Whether a swap was seen to lose nothing, lately, and nothing has spoken against it since. */
  isClean(pool: PoolId, zeroForOne: boolean, nowMs: number): boolean {
    const known = this.#pools.get(pool);
    if (known === undefined || nowMs - known.checkedAtMs > SAFETY_LIFE_MS) return false;
    if (this.findDoubt(pool) !== null) return false;
    const [paid, got] = zeroForOne ? [known.side0, known.side1] : [known.side1, known.side0];
    return paid.inBps === 0 && paid.sellable === true && got.outBps === 0;
  }

  /** What some pools show of a token; null where none of them was measured. */
  ofToken(pools: Iterable<PoolId>, isToken: (token: Address) => boolean): TokenSafety | null {
    const sides: (SideSafety & { readonly checkedAtMs: number })[] = [];
    for (const id of pools) {
      const known = this.#pools.get(id);
      if (known === undefined) continue;
      const side = isToken(known.token0) ? known.side0 : known.side1;
      sides.push({ ...side, checkedAtMs: known.checkedAtMs });
    }
    if (sides.length === 0) return null;
    // Where it can be sold at all is what counts for who holds it.
    const open = sides.filter(({ sellable }) => sellable === true);
    const sellGas = toHighest(sides.map((side) => side.sellGas ?? null));
    return {
      buyTaxBps: toHighest(sides.map(({ outBps }) => outBps)),
      sellTaxBps: toHighest((open.length > 0 ? open : sides).map(({ inBps }) => inBps)),
      sellable: open.length > 0 ? true : toSellable(sides),
      checkedAtMs: Math.min(...sides.map(({ checkedAtMs }) => checkedAtMs)),
      ...(sellGas === null ? {} : { sellGas }),
    };
  }
}

/** Of sides none of which is known to be open. */
function toSellable(sides: readonly SideSafety[]): boolean | null {
  return sides.some(({ sellable }) => sellable === false) ? false : null;
}

function toHighest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}
