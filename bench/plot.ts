// Renders SVG plots: bars of ratios with their goals, and lines of growing costs.

import type { Growth } from './row.ts';

const WIDTH = 760;
const FONT = 'font-family="system-ui, sans-serif" font-size="12"';
/** Readable on light and dark pages. */
const STYLE = `<style>
  .text { fill: #24292f } .faint { fill: #6e7781 } .line { stroke: #d0d7de }
  .bar { fill: #2da44e } .missed { fill: #cf222e } .goal { stroke: #0969da; stroke-width: 2 }
  .curve { fill: none; stroke: #0969da; stroke-width: 2 } .dot { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    .text { fill: #e6edf3 } .faint { fill: #8d96a0 } .line { stroke: #3d444d }
  }
</style>`;

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function svg(title: string, height: number, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" ${FONT}>`;
  const named = `<title>${escapeMarkup(title)}</title>`;
  return `${[head, named, STYLE, ...parts, '</svg>'].join('\n')}\n`;
}

function text(at: { x: number; y: number }, what: string, look = 'class="text"'): string {
  return `<text x="${at.x.toFixed(1)}" y="${at.y.toFixed(1)}" ${look}>${escapeMarkup(what)}</text>`;
}

export interface Bar {
  readonly name: string;
  readonly ratio: number;
  readonly ratioMin: number | null;
}

const BAR_LEFT = 330;
const BAR_RIGHT = 690;
const BAR_STEP = 26;
const TICKS = [0.1, 1, 10, 100] as const;

/** Ratios from a tenth to a hundred, on a logarithmic axis: 1 is the peer. */
function computeBarX(ratio: number): number {
  const share = (Math.log10(Math.min(100, Math.max(0.1, ratio))) + 1) / 3;
  return BAR_LEFT + share * (BAR_RIGHT - BAR_LEFT);
}

export function plotRatios(bars: readonly Bar[]): string {
  const bottom = 30 + bars.length * BAR_STEP;
  const axis = TICKS.flatMap((tick) => {
    const x = computeBarX(tick);
    const line = `<line x1="${x}" x2="${x}" y1="20" y2="${bottom}" class="line"/>`;
    return [line, text({ x: x - 8, y: 14 }, `${tick}×`, 'class="faint"')];
  });
  const rows = bars.flatMap(({ name, ratio, ratioMin }, index) => {
    const y = 28 + index * BAR_STEP;
    const met = ratioMin === null || ratio >= ratioMin;
    const width = (computeBarX(ratio) - BAR_LEFT).toFixed(1);
    const bar = `<rect x="${BAR_LEFT}" y="${y}" width="${width}" height="16" class="${met ? 'bar' : 'missed'}"/>`;
    const goalX = ratioMin === null ? null : computeBarX(ratioMin).toFixed(1);
    const goal = `<line x1="${goalX}" x2="${goalX}" y1="${y - 3}" y2="${y + 19}" class="goal"/>`;
    return [
      text({ x: BAR_LEFT - 8, y: y + 12 }, name, 'class="text" text-anchor="end"'),
      bar,
      ...(goalX === null ? [] : [goal]),
      text({ x: BAR_RIGHT + 8, y: y + 12 }, ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)),
    ];
  });
  return svg('Ratios to the peers', bottom + 6, [...axis, ...rows]);
}

export interface Curve extends Growth {
  readonly name: string;
}

const CURVE_HEIGHT = 170;

function plotCurve({ name, of, unit, points }: Curve, top: number): string[] {
  const [left, right, base] = [120, WIDTH - 60, top + CURVE_HEIGHT - 40];
  const sizes = points.map(({ size }) => Math.log10(size));
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
  const most = Math.max(...points.map(({ cost }) => cost)) * 1.2;
  const places = points.map(({ size, cost }) => ({
    x: left + ((Math.log10(size) - low) / (high - low || 1)) * (right - left),
    y: base - (cost / most) * (CURVE_HEIGHT - 80),
    label: `${cost.toFixed(cost < 10 ? 2 : 0)} ${unit}`,
    size: `${size.toLocaleString('en')} ${of}`,
  }));
  const line = places.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  return [
    text({ x: 10, y: top + 16 }, name, 'class="text" font-weight="600"'),
    `<line x1="${left}" x2="${right}" y1="${base}" y2="${base}" class="line"/>`,
    `<polyline points="${line}" class="curve"/>`,
    ...places.flatMap(({ x, y, label, size }) => [
      `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3" class="dot"/>`,
      text({ x, y: y - 8 }, label, 'class="text" text-anchor="middle"'),
      text({ x, y: base + 16 }, size, 'class="faint" text-anchor="middle"'),
    ]),
  ];
}

/** One line per curve, each from zero, so that growth is visible. */
export function plotGrowth(curves: readonly Curve[]): string {
  const parts = curves.flatMap((curve, index) => plotCurve(curve, index * CURVE_HEIGHT));
  return svg('Costs as data grow', curves.length * CURVE_HEIGHT, parts);
}
