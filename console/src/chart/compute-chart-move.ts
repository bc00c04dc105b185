// Where a key leads on the chart: the range that is shown, and the candle that is looked at.

interface BarRange {
  readonly from: number;
  readonly to: number;
}

interface ChartView {
  readonly range: BarRange;
  /** The candle that is looked at, by its place; null for none. */
  readonly chosen: number | null;
  readonly count: number;
}

const KEYS = [
  'ArrowLeft',
  'ArrowRight',
  'PageUp',
  'PageDown',
  'Home',
  'End',
  '+',
  '=',
  '-',
] as const;
type ChartKey = (typeof KEYS)[number];

const ZOOM = 1.5;
const BARS_SHOWN_MIN = 10;
/** How much of what is shown a page moves by. */
const PAGE_SHARE = 0.8;
/** Free space after the newest candle. */
const BARS_AFTER = 4;

export function isChartKey(key: string): key is ChartKey {
  return KEYS.some((each) => each === key);
}

/** The same length, moved just so far that the candle is seen. */
export function showCandle({ from, to }: BarRange, at: number): BarRange {
  const shift = at < from ? at - from : Math.max(0, at + 1 - to);
  return { from: from + shift, to: to + shift };
}

/** Around the candle that is looked at, or the newest that is shown. */
function zoom({ range: { from, to }, chosen }: ChartView, factor: number): BarRange {
  const length = Math.max(BARS_SHOWN_MIN, (to - from) * factor);
  const centre = chosen ?? to;
  const share = (centre - from) / (to - from);
  return { from: centre - share * length, to: centre + (1 - share) * length };
}

function lookAt(view: ChartView, at: number): Omit<ChartView, 'count'> {
  const chosen = Math.min(view.count - 1, Math.max(0, at));
  return { chosen, range: showCandle(view.range, chosen) };
}

export function computeChartMove(key: ChartKey, view: ChartView): Omit<ChartView, 'count'> {
  const { range, chosen, count } = view;
  const length = range.to - range.from;
  const newest = Math.min(count - 1, Math.floor(range.to) - 1);
  const page = Math.round(length * PAGE_SHARE);
  switch (key) {
    case 'ArrowLeft':
      return lookAt(view, chosen === null ? newest : chosen - 1);
    case 'ArrowRight':
      return lookAt(view, chosen === null ? newest : chosen + 1);
    case 'PageUp':
      return { chosen, range: { from: range.from - page, to: range.to - page } };
    case 'PageDown':
      return { chosen, range: { from: range.from + page, to: range.to + page } };
    case 'Home':
      return { chosen: 0, range: { from: 0, to: length } };
    case 'End':
      return {
        chosen: count - 1,
        range: { from: count + BARS_AFTER - length, to: count + BARS_AFTER },
      };
    case '-':
      return { chosen, range: zoom(view, ZOOM) };
    default:
      return { chosen, range: zoom(view, 1 / ZOOM) };
  }
}
