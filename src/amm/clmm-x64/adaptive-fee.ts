// Orca's adaptive fee: it rises with the distance, in groups of ticks, that the price has moved
// from a reference, and decays with time.

import { divideUp } from '../divide-up.ts';
import { TICK_X64_MAX, type TickTable } from './tick-prices.ts';

const SCALE = 10_000;
const FEE_DIVISOR = 10_000_000_000_000n;
const FEE_PIPS_MAX = 100_000n;
/** A reference older than this is dropped, however often the price moved since. */
const REFERENCE_AGE_MAX_S = 3600;

/** Fixed by the pool's fee tier. */
interface AdaptiveConstants {
  readonly filterSeconds: number;
  readonly decaySeconds: number;
  readonly reduction: number;
  readonly control: number;
  readonly volatilityMax: number;
  readonly groupSize: number;
  readonly majorTicks: number;
}

/** Changed by swaps. */
interface AdaptiveVariables {
  readonly referenceAt: number;
  readonly majorAt: number;
  readonly volatilityReference: number;
  readonly groupReference: number;
  readonly volatility: number;
}

export interface AdaptiveFee extends AdaptiveConstants, AdaptiveVariables {}

const FIELDS: readonly (keyof AdaptiveFee)[] = [
  ...(['filterSeconds', 'decaySeconds', 'reduction', 'control', 'volatilityMax'] as const),
  ...(['groupSize', 'majorTicks', 'referenceAt', 'majorAt', 'volatilityReference'] as const),
  ...(['groupReference', 'volatility'] as const),
];

/** As text for the store: empty for a fee that does not change. */
export function encodeAdaptive(fee: AdaptiveFee | null): string {
  return fee === null ? '' : FIELDS.map((field) => fee[field]).join(':');
}

export function decodeAdaptive(text: string): AdaptiveFee | null {
  if (text === '') return null;
  const numbers = text.split(':').map(Number);
  return Object.fromEntries(FIELDS.map((field, index) => [field, numbers[index]])) as never;
}

/** The references at the start of a swap. */
function renewReferences(fee: AdaptiveFee, group: number, now: number): AdaptiveFee {
  const sinceReference = now - fee.referenceAt;
  const elapsed = now - Math.max(fee.referenceAt, fee.majorAt);
  if (sinceReference > REFERENCE_AGE_MAX_S || elapsed >= fee.decaySeconds) {
    return { ...fee, groupReference: group, volatilityReference: 0, referenceAt: now };
  }
  if (elapsed < fee.filterSeconds) return fee;
  const volatilityReference = Math.floor((fee.volatility * fee.reduction) / SCALE);
  return { ...fee, groupReference: group, volatilityReference, referenceAt: now };
}

interface WalkStart {
  readonly table: TickTable;
  readonly zeroForOne: boolean;
  readonly staticPips: bigint;
  readonly tick: number;
  readonly nowSeconds: number;
}

/** The fee along one swap, group by group. */
export class AdaptiveWalk {
  readonly #fee: AdaptiveFee;
  readonly #start: WalkStart;
  /** The fee changes only in groups from the first to the last of these. */
  readonly #lower: number;
  readonly #upper: number;
  #group: number;
  #isSkipping = false;

  constructor(fee: AdaptiveFee, start: WalkStart) {
    this.#group = Math.floor(start.tick / fee.groupSize);
    this.#fee = renewReferences(fee, this.#group, start.nowSeconds);
    this.#start = start;
    const { volatilityMax, volatilityReference, groupReference } = this.#fee;
    const reach = Math.ceil((volatilityMax - volatilityReference) / SCALE);
    this.#lower = groupReference - reach;
    this.#upper = groupReference + reach;
  }

  #findVolatility(group: number): number {
    const { volatilityReference, groupReference, volatilityMax } = this.#fee;
    const moved = volatilityReference + Math.abs(groupReference - group) * SCALE;
    return Math.min(moved, volatilityMax);
  }

  /** In the present group. */
  get feePips(): bigint {
    return this.#findFee(this.#group);
  }

  /** The least on the way: the fee falls until the reference is reached. */
  get feePipsLeast(): bigint {
    const { groupReference } = this.#fee;
    const isAhead = this.#start.zeroForOne
      ? groupReference < this.#group
      : groupReference > this.#group;
    return this.#findFee(isAhead ? groupReference : this.#group);
  }

  #findFee(group: number): bigint {
    const { control, groupSize } = this.#fee;
    const squared = BigInt(this.#findVolatility(group) * groupSize) ** 2n;
    const total = this.#start.staticPips + divideUp(BigInt(control) * squared, FEE_DIVISOR);
    return total > FEE_PIPS_MAX ? FEE_PIPS_MAX : total;
  }

  /** Where the fee changes before the target, if it does. */
  bound(target: bigint, liquidity: bigint): bigint {
    const { zeroForOne } = this.#start;
    const isBelow = this.#group < this.#lower;
    const isAbove = this.#group > this.#upper;
    this.#isSkipping = liquidity === 0n || isBelow || isAbove;
    if (liquidity === 0n) return target;
    if (isBelow) return zeroForOne ? target : this.#nearest(target, this.#lower);
    if (isAbove) return zeroForOne ? this.#nearest(target, this.#upper + 1) : target;
    return this.#nearest(target, zeroForOne ? this.#group : this.#group + 1);
  }

  /** The target, or the lower border of a group if that comes first. */
  #nearest(target: bigint, group: number): bigint {
    const { table, zeroForOne } = this.#start;
    const tick = group * this.#fee.groupSize;
    const border = table.toPrice(Math.min(Math.max(tick, -TICK_X64_MAX), TICK_X64_MAX));
    if (zeroForOne) return border > target ? border : target;
    return border < target ? border : target;
  }

  /** Goes on to the group of the price that a step ended at. */
  advance(price: bigint): void {
    const { table, zeroForOne } = this.#start;
    if (!this.#isSkipping) {
      this.#group += zeroForOne ? -1 : 1;
      return;
    }
    const tick = table.findTick(price);
    const group = Math.floor(tick / this.#fee.groupSize);
    const isOnBorder = tick % this.#fee.groupSize === 0 && table.toPrice(tick) === price;
    this.#group = zeroForOne && isOnBorder ? group - 1 : group;
  }

  /** The fee after a swap that ended at a tick. */
  finish(tick: number): AdaptiveFee {
    const { tick: tickBefore, nowSeconds } = this.#start;
    this.#group = Math.floor(tick / this.#fee.groupSize);
    const isMajor = Math.abs(tick - tickBefore) >= this.#fee.majorTicks;
    return {
      ...this.#fee,
      volatility: this.#findVolatility(this.#group),
      majorAt: isMajor ? nowSeconds : this.#fee.majorAt,
    };
  }
}
