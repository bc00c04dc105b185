// What round trips through pools have shown of the tokens in them.
//
// Kept by pool and not by token: a contract may tax, or refuse, transfers of one pool and not those
// of another, and what a quote promises is about the pools on its way.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Address, PoolId } from '../../model/market-event.ts';
import type { PoolSafety, SideSafety } from '../../model/pool-safety.ts';
import type { TokenSafety } from '../quote/priced-trade.ts';

/** A swap in a measured pool: what is lost on the way in and out, and whether it goes through. */
export interface DirectionSafety {
  readonly inBps: number | null;
  readonly outBps: number | null;
  readonly sellable: boolean | null;
}

/** What was measured longer ago than this no longer counts as a promise. */
export const SAFETY_LIFE_MS = 3_600_000;

const POOLS_MAX = 300_000;

export class SafetyBook {
  readonly #pools = new BoundedMap<PoolId, PoolSafety>(POOLS_MAX);
  readonly #taxed = new BoundedMap<Address, true>(POOLS_MAX);

  get size(): number {
    return this.#pools.size;
  }

  get(pool: PoolId): PoolSafety | undefined {
    return this.#pools.get(pool);
  }

  set(safety: PoolSafety): void {
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

  clear(): void {
    this.#pools.clear();
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

  /** Whether a swap was seen to lose nothing, lately. */
  isClean(pool: PoolId, zeroForOne: boolean, nowMs: number): boolean {
    const known = this.#pools.get(pool);
    if (known === undefined || nowMs - known.checkedAtMs > SAFETY_LIFE_MS) return false;
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
    return {
      buyTaxBps: toHighest(sides.map(({ outBps }) => outBps)),
      sellTaxBps: toHighest((open.length > 0 ? open : sides).map(({ inBps }) => inBps)),
      sellable: open.length > 0 ? true : toSellable(sides),
      checkedAtMs: Math.min(...sides.map(({ checkedAtMs }) => checkedAtMs)),
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
