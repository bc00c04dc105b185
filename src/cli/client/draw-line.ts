// One line of prices in characters: a block for each, in eighths of a line.

const EIGHTHS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** The last of each group, so that so many remain. */
function thinOut(values: readonly number[], count: number): number[] {
  if (values.length <= count) return [...values];
  return Array.from({ length: count }, (_, index) => {
    const at = Math.floor(((index + 1) * values.length) / count) - 1;
    return values[at] ?? 0;
  });
}

/** One line of blocks; the lowest value still has one. */
export function drawLine(values: readonly number[], width: number): string {
  const shown = thinOut(values, width);
  const low = Math.min(...shown);
  const range = Math.max(...shown) - low;
  return shown
    .map((value) => EIGHTHS[range === 0 ? 4 : 1 + Math.round(((value - low) / range) * 7)])
    .join('');
}
