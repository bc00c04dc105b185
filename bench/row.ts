// One line of the result table.

import type { GOALS } from './goals.ts';

/** A cost at several sizes, for the plot of its growth. */
export interface Growth {
  /** What grows along the axis, such as `tokens`. */
  readonly of: string;
  readonly unit: string;
  readonly points: readonly { readonly size: number; readonly cost: number }[];
}

export interface Row {
  readonly goal: keyof typeof GOALS;
  readonly ours: string;
  readonly peer: string;
  /** Ours to the peer's, higher is better; null if there is no peer. */
  readonly ratio: number | null;
  /** Over the repetitions, as a share of their median: every row is measured more than once. */
  readonly spread: number;
  readonly note: string;
  readonly growth?: Growth;
}
