// One line of the result table.

import type { GOALS } from './goals.ts';

export interface Row {
  readonly goal: keyof typeof GOALS;
  readonly ours: string;
  readonly peer: string;
  /** Ours to the peer's, higher is better; null where there is no peer. */
  readonly ratio: number | null;
  readonly spread: number | null;
  readonly note: string;
}
