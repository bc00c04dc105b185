// Candles in characters: one column each, in step with time, half a line as the smallest step.

import { formatNumber } from './format-value.ts';

export interface DrawnCandle {
  readonly openTime: number;
  /** A candle without a trade is drawn as a dash at the price before it. */
  readonly isFilled: boolean;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

interface ChartOptions {
  readonly width: number;
  /** Of the candles, without the line of times. */
  readonly height: number;
  /** Colours a text, where the terminal has colours. */
  readonly paint: (colour: 'green' | 'red', text: string) => string;
}

/** What half a cell shows: nothing, the wick, or the body. */
type Half = 0 | 1 | 2;

/** By the upper half, then by the lower one. */
const CELLS: readonly (readonly string[])[] = [
  [' ', '╷', '╻'],
  ['╵', '│', '╽'],
  ['╹', '╿', '┃'],
];

const LABEL_GAP = 4;

/** The half rows from the top that a price lies in. */
function createScale(candles: readonly DrawnCandle[], height: number) {
  const high = Math.max(...candles.map((one) => one.high));
  const low = Math.min(...candles.map((one) => one.low));
  const last = height * 2 - 1;
  const toHalf = (price: number) =>
    high === low ? height : Math.round(((high - price) / (high - low)) * last);
  return { high, low, toHalf };
}

function drawColumn(
  candle: DrawnCandle,
  { height, paint, toHalf }: ChartOptions & { readonly toHalf: (price: number) => number },
): string[] {
  const [top, bottom] = [toHalf(candle.high), toHalf(candle.low)];
  const [open, close] = [toHalf(candle.open), toHalf(candle.close)];
  const [bodyTop, bodyBottom] = [Math.min(open, close), Math.max(open, close)];
  const pickHalf = (at: number): Half => {
    if (at >= bodyTop && at <= bodyBottom) return 2;
    return at >= top && at <= bottom ? 1 : 0;
  };
  const colour = candle.close >= candle.open ? 'green' : 'red';
  return Array.from({ length: height }, (_, row) => {
    if (candle.isFilled) return row === close >> 1 ? '╌' : ' ';
    const cell = CELLS[pickHalf(row * 2)]?.[pickHalf(row * 2 + 1)] ?? ' ';
    return cell === ' ' ? cell : paint(colour, cell);
  });
}

function formatAxisTime(ms: number, isDaily: boolean): string {
  const text = new Date(ms).toISOString();
  return isDaily ? text.slice(0, 10) : `${text.slice(5, 10)} ${text.slice(11, 16)}`;
}

/** Times below the first columns that have room for them. */
function drawTimes(candles: readonly DrawnCandle[]): string {
  const [first, second] = candles;
  const isDaily = second !== undefined && second.openTime - (first?.openTime ?? 0) >= 86_400_000;
  let line = '';
  candles.forEach(({ openTime }, at) => {
    if (line !== '' && at < line.length + LABEL_GAP) return;
    const label = formatAxisTime(openTime, isDaily);
    if (line === '' || at + label.length <= candles.length) line = line.padEnd(at) + label;
  });
  return line;
}

/** As many of the last candles as fit, with the highest and lowest price beside them. */
export function drawCandles(all: readonly DrawnCandle[], options: ChartOptions): string {
  const { width, height } = options;
  if (all.length === 0) return '';
  const labelsOf = (candles: readonly DrawnCandle[]) => {
    const { high, low } = createScale(candles, height);
    return [formatNumber(high), formatNumber(low)];
  };
  const room = Math.max(...labelsOf(all).map((label) => label.length));
  const candles = all.slice(-Math.max(1, width - room - 1));
  const { toHalf } = createScale(candles, height);
  const [highest = '', lowest = ''] = labelsOf(candles);
  const columns = candles.map((candle) => drawColumn(candle, { ...options, toHalf }));
  const rows = Array.from({ length: height }, (_, row) => {
    const label = row === 0 ? highest : row === height - 1 ? lowest : '';
    return `${label.padStart(room)} ${columns.map((column) => column[row]).join('')}`;
  });
  return [...rows, `${' '.repeat(room + 1)}${drawTimes(candles)}`].join('\n');
}
