// The results of probes, and which of them are still valid.
//
// Stored by pool and not by token: a contract may tax, or refuse, transfers of one pool and not
// those of another, and a quote's promise is about the pools on its route.
//
// A measurement is valid until there is a doubt about its pool or one of its tokens. Doubts are
// numbered, and a measurement clears those that existed when it began; a doubt that arrives during
// a measurement stays.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import { type PoolSafety, SAFETY_LIFE_MS, type SideSafety } from '../../model/pool-safety.ts';

/** The round-trip result of a token; null means not measured. */
export interface TokenSafety {
  readonly buyTaxBps: number | null;
  readonly sellTaxBps: number | null;
  readonly sellable: boolean | null;
  readonly checkedAtMs: number;
  /** The cost units that its contract used in a sale; set only if they are unusually many. */
  readonly sellUnits?: number;
}

/** A swap in a measured pool: what is lost on the way in and out, and whether it succeeds. */
export interface DirectionSafety {
  readonly inBps: number | null;
  readonly outBps: number | null;
  readonly sellable: boolean | null;
}

const POOLS_MAX = 300_000;
/** Older than every doubt: measurements of an earlier run, since nothing was watched in between. */
const BEFORE_START = -1;

export class SafetyCache {
  readonly #pools = new BoundedMap<PoolId, PoolSafety>(POOLS_MAX);
  readonly #taxed = new BoundedMap<Address, true>(POOLS_MAX);
  /** The number of the last doubt that each pool's measurement clears. */
  readonly #settled = new BoundedMap<PoolId, number>(POOLS_MAX);
  /** The number of the last doubt about each token or pool. */
  readonly #doubts = new BoundedMap<Address | PoolId, number>(3 * POOLS_MAX);
  #doubtCount = 0;
  #unwatchedUntilMs = 0;

  get size(): number {
    return this.#pools.size;
  }

  get(pool: PoolId): PoolSafety | undefined {
    return this.#pools.get(pool);
  }

  /** The number of doubts so far; read it when a measurement begins. */
  get doubtCount(): number {
    return this.#doubtCount;
  }

  /** A measurement of an earlier run: known, but no promise. */
  restore(safety: PoolSafety): void {
    this.set(safety, BEFORE_START);
  }

  /** `doubtCount` is the value at the start of the measurement. */
  set(safety: PoolSafety, doubtCount = this.#doubtCount): void {
    this.#settled.delete(safety.pool);
    this.#settled.set(safety.pool, doubtCount);
    // A measured pool moves to the end, so that the longest unchecked one is evicted first.
    this.#pools.delete(safety.pool);
    this.#pools.set(safety.pool, safety);
    for (const [token, side] of [
      [safety.token0, safety.side0],
      [safety.token1, safety.side1],
    ] as const) {
      if ((side.inBps ?? 0) > 0 || (side.outBps ?? 0) > 0) this.#taxed.set(token, true);
    }
  }

  /** Invalidates every measurement that began before now. */
  doubt(subject: Address | PoolId): void {
    this.#doubtCount += 1;
    this.#doubts.delete(subject);
    this.#doubts.set(subject, this.#doubtCount);
  }

  /** Changes were not watched up to this time: earlier measurements are invalid. */
  doubtBefore(timeMs: number): void {
    this.#unwatchedUntilMs = Math.max(this.#unwatchedUntilMs, timeMs);
  }

  /** `seen`: there is evidence against the measurement; `unwatched`: changes were not watched. */
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

  /** Whether any pool was ever seen to tax the token. */
  mayBeTaxed(token: Address): boolean {
    return this.#taxed.has(token);
  }

  /** Null if the pool has not been measured. */
  direction(pool: PoolId, zeroForOne: boolean): DirectionSafety | null {
    const known = this.#pools.get(pool);
    if (known === undefined) return null;
    const [paid, got] = zeroForOne ? [known.side0, known.side1] : [known.side1, known.side0];
    return { inBps: paid.inBps, outBps: got.outBps, sellable: paid.sellable };
  }

  /** Cost units above those of ordinary swaps; 0 if nothing unusual was measured. */
  extraUnits(pool: PoolId, zeroForOne: boolean): number {
    const known = this.#pools.get(pool);
    return (zeroForOne ? known?.side0 : known?.side1)?.sellUnits ?? 0;
  }

  /** Whether a recent measurement lost nothing and has not been doubted since. */
  isClean(pool: PoolId, zeroForOne: boolean, nowMs: number): boolean {
    const known = this.#pools.get(pool);
    if (known === undefined || nowMs - known.checkedAtMs > SAFETY_LIFE_MS) return false;
    if (this.findDoubt(pool) !== null) return false;
    const [paid, got] = zeroForOne ? [known.side0, known.side1] : [known.side1, known.side0];
    return paid.inBps === 0 && paid.sellable === true && got.outBps === 0;
  }

  /** The results of some pools for a token; null if none of them was measured. */
  ofToken(pools: Iterable<PoolId>, isToken: (token: Address) => boolean): TokenSafety | null {
    const sides: (SideSafety & { readonly checkedAtMs: number })[] = [];
    for (const id of pools) {
      const known = this.#pools.get(id);
      if (known === undefined) continue;
      const side = isToken(known.token0) ? known.side0 : known.side1;
      sides.push({ ...side, checkedAtMs: known.checkedAtMs });
    }
    if (sides.length === 0) return null;
    // If it can be sold in some pool, only those pools count for its holders.
    const open = sides.filter(({ sellable }) => sellable === true);
    const sellUnits = findHighest(sides.map((side) => side.sellUnits ?? null));
    return {
      buyTaxBps: findHighest(sides.map(({ outBps }) => outBps)),
      sellTaxBps: findHighest((open.length > 0 ? open : sides).map(({ inBps }) => inBps)),
      sellable: open.length > 0 ? true : judgeSellable(sides),
      checkedAtMs: Math.min(...sides.map(({ checkedAtMs }) => checkedAtMs)),
      ...(sellUnits === null ? {} : { sellUnits }),
    };
  }
}

/** For sides of which none is known to be sellable. */
function judgeSellable(sides: readonly SideSafety[]): boolean | null {
  return sides.some(({ sellable }) => sellable === false) ? false : null;
}

function findHighest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}
