// Solana's programs keep ticks and bins in accounts of fixed length, and a swap sees only those
// accounts that it is given.

import type { TickList } from './tick-list.ts';

/** More do not fit into a transaction beside the other accounts. */
export const SWAP_ARRAYS_MAX = 3;

interface SwapStart {
  readonly tick: number;
  /** The ticks of one array. */
  readonly arrayTicks: number;
  readonly zeroForOne: boolean;
}

/**
 * The last tick of the arrays that a swap is given: from that of the price on, those that have any
 * tick. Null if it is given all.
 */
export function findLastTick(
  list: Pick<TickList, 'ticks' | 'findAbove'>,
  { tick, arrayTicks, zeroForOne }: SwapStart,
  arraysMax = SWAP_ARRAYS_MAX,
): number | null {
  const first = Math.floor(tick / arrayTicks);
  const step = zeroForOne ? -1 : 1;
  let index = zeroForOne
    ? list.findAbove((first + 1) * arrayTicks - 1) - 1
    : list.findAbove(first * arrayTicks - 1);
  let [array, count] = [first, 0];
  for (; ; index += step) {
    const next = list.ticks[index];
    if (next === undefined) return null;
    const nextArray = Math.floor(next / arrayTicks);
    if (count > 0 && nextArray === array) continue;
    if (count === arraysMax) break;
    [array, count] = [nextArray, count + 1];
  }
  return zeroForOne ? array * arrayTicks : (array + 1) * arrayTicks - 1;
}
