// The row of a cost at several sizes, measured in turn.

import { median, spread } from './measure.ts';
import type { Row } from './row.ts';

export interface SizeCosts {
  readonly size: number;
  /** Microseconds, by repetition. */
  readonly micros: readonly number[];
}

/**
 * Compares the first size with the last within each repetition, so that other load affects both.
 */
export function buildGrowthRow(
  goal: Row['goal'],
  costs: readonly SizeCosts[],
  words: {
    readonly of: string;
    readonly formatSize: (size: number) => string;
    readonly note: string;
  },
): Row {
  const { of, formatSize, note } = words;
  const [first = [], last = []] = [costs.at(0)?.micros, costs.at(-1)?.micros];
  const ratios = last.map((micros, index) => (first[index] ?? Number.NaN) / micros);
  const points = costs.map(({ size, micros }) => ({ size, cost: median(micros) }));
  return {
    goal,
    ours: points.map(({ size, cost }) => `${cost.toFixed(0)} µs at ${formatSize(size)}`).join(', '),
    peer: 'ourselves at the first size',
    ratio: median(ratios),
    spread: spread(ratios),
    note: `${note}; ${ratios.length} repetitions, each of all sizes in turn`,
    growth: { of, unit: 'µs', points },
  };
}
