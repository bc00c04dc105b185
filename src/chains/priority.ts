// What a trade offers to be executed sooner than others.

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
