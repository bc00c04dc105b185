// A chart of prices in characters: a block for each, in eighths of a line.

import { formatNumber } from './format-value.ts';

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
  return drawRows(values, { width, height: 1 })[0] ?? '';
}

function drawRows(
  values: readonly number[],
  { width, height }: { readonly width: number; readonly height: number },
): string[] {
  const shown = thinOut(values, width);
  const low = Math.min(...shown);
  const range = Math.max(...shown) - low;
  const steps = height * 8 - 1;
  const levels = shown.map((value) =>
    range === 0 ? Math.ceil(steps / 2) : 1 + Math.round(((value - low) / range) * steps),
  );
  return Array.from({ length: height }, (_, row) => {
    const floor = (height - 1 - row) * 8;
    return levels.map((level) => EIGHTHS[Math.max(0, Math.min(8, level - floor))]).join('');
  });
}

/** With the highest and the lowest price beside it. */
export function drawChart(
  values: readonly number[],
  size: { readonly width: number; readonly height: number },
): string {
  if (values.length === 0) return '';
  const labels = [formatNumber(Math.max(...values)), formatNumber(Math.min(...values))];
  const room = Math.max(...labels.map((label) => label.length));
  const rows = drawRows(values, { ...size, width: Math.max(1, size.width - room - 1) });
  return rows
    .map((row, at) => {
      const label = at === 0 ? labels[0] : at === rows.length - 1 ? labels[1] : '';
      return `${(label ?? '').padStart(room)} ${row}`;
    })
    .join('\n');
}
