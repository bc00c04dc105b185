// The largest balances of a token, kept up to date by what blocks change. More are kept than
// count, so that the store is asked again only after most of them have sold.

import type { Address } from '../model/ids.ts';
import type { BalanceRecord } from '../model/market-record.ts';

export const TOP_LOADED = 200;
const KEPT_MAX = 2 * TOP_LOADED;
const COUNTED = 10;

const byAmount = (a: readonly [Address, bigint], b: readonly [Address, bigint]) =>
  a[1] < b[1] ? 1 : a[1] > b[1] ? -1 : 0;

export class TopHolders {
  #amounts: Map<Address, bigint>;
  /** Nobody who is not listed has more. */
  #restMax: bigint;

  /** With the largest balances, highest first: all of them, or `TOP_LOADED`. */
  constructor(balances: readonly BalanceRecord[]) {
    this.#amounts = new Map(balances.map(({ owner, amountRaw }) => [owner, amountRaw]));
    this.#restMax = balances.length < TOP_LOADED ? 0n : (balances.at(-1)?.amountRaw ?? 0n);
  }

  set(owner: Address, amountRaw: bigint): void {
    if (amountRaw === 0n || amountRaw < this.#restMax) this.#amounts.delete(owner);
    else this.#amounts.set(owner, amountRaw);
    if (this.#amounts.size <= KEPT_MAX) return;
    const sorted = [...this.#amounts].sort(byAmount).slice(0, TOP_LOADED);
    this.#amounts = new Map(sorted);
    this.#restMax = sorted.at(-1)?.[1] ?? 0n;
  }

  /** What the ten largest hold; null once they are no longer known. */
  sum(): bigint | null {
    if (this.#amounts.size < COUNTED && this.#restMax > 0n) return null;
    const top = [...this.#amounts].sort(byAmount).slice(0, COUNTED);
    return top.reduce((sum, [, amountRaw]) => sum + amountRaw, 0n);
  }
}

/** In per cent of all balances, cut to six decimals; null without any. */
export function computeTopPct(topRaw: bigint, sumRaw: bigint): string | null {
  return sumRaw === 0n ? null : String(Number((topRaw * 100_000_000n) / sumRaw) / 1_000_000);
}
