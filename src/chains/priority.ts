// What a trade offers to be executed sooner than others.

import type { Address } from '../model/ids.ts';

/** By what others have paid lately: a quarter of them, half, nine of ten paid no more. */
export type PriorityLevel = 'low' | 'medium' | 'high';

/** What each level is per unit of a transaction's cost. */
export type PriorityTips = Readonly<Record<PriorityLevel, bigint>>;

/** A level, or a price for a unit. */
export type Priority = PriorityLevel | { readonly unitPrice: bigint };

export function pickTip(tips: PriorityTips, priority: Priority): bigint {
  return typeof priority === 'string' ? tips[priority] : priority.unitPrice;
}

interface UnitPrices {
  readonly perUnit: bigint;
  readonly perUnitMax: bigint;
  readonly tips?: PriorityTips;
}

/** The fees of a chain with this priority in place of the medium one. */
export function applyPriority<Fees extends UnitPrices>(fees: Fees, priority: Priority): Fees {
  const { tips = { low: 0n, medium: 0n, high: 0n }, perUnit, perUnitMax } = fees;
  const more = pickTip(tips, priority) - tips.medium;
  return { ...fees, perUnit: perUnit + more, perUnitMax: perUnitMax + more };
}

/** The percentiles that are told of what others paid; the three levels are among them. */
export const TOLD_PERCENTILES = [10, 25, 50, 75, 90, 99] as const;

/** What others paid lately to be executed soon, as a client is told. */
export interface PaidTips {
  /** As trades offer them. */
  readonly tips: PriorityTips;
  /** Per unit of a transaction's cost, for each of `TOLD_PERCENTILES`. */
  readonly percentiles: readonly bigint[];
  /** How many blocks they are from. */
  readonly blockCount: number;
  /** What everybody pays for a unit in the next block; null where only tips are paid. */
  readonly basePerUnit: bigint | null;
  /** What a transaction pays beside its units. */
  readonly baseRaw: bigint;
  /** Only transactions that locked these accounts count; empty if all do. */
  readonly accounts: readonly Address[];
}
