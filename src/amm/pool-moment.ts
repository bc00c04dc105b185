// The block that swaps are computed for, and pools that cannot be traded before one.

import type { UncheckedFlag } from './unchecked-flag.ts';

/** A block: pools whose terms change with time are evaluated at one. */
export interface PoolMoment {
  /** The block's time. */
  readonly seconds: number;
  /** Its number; on Solana its slot. */
  readonly block: number;
}

/** What a pool counts time in. */
export type PoolClock = 'seconds' | 'block';

/** From when on a pool can be traded, and what keeps it from that before. */
export interface PoolOpening {
  readonly clock: PoolClock;
  readonly from: number;
  readonly flag: UncheckedFlag;
}

export function toPoolMoment(of: {
  readonly block: number;
  readonly timestampMs: number;
}): PoolMoment {
  return { seconds: Math.floor(of.timestampMs / 1000), block: of.block };
}

export function isOpenAt({ clock, from }: PoolOpening, moment: PoolMoment): boolean {
  return moment[clock] >= from;
}

/** As text for the store: empty for a pool that was open from the start. */
export function encodeOpening(opening: PoolOpening | null): string {
  if (opening === null || opening.from <= 0) return '';
  return `${opening.clock}:${opening.from}:${opening.flag}`;
}

export function decodeOpening(text: string): PoolOpening | null {
  if (text === '') return null;
  const [clock, from, flag] = text.split(':');
  return { clock: clock as PoolClock, from: Number(from), flag: flag as UncheckedFlag };
}
