// Draws candles with volume. The only file that imports lightweight-charts.
//
// The library's prices are floats: they are drawn, never shown. Its logo would set markup from
// text, which the page's policy forbids; the credit and the link are in the page's footer instead.

import {
  CandlestickSeries,
  ColorType,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type MouseEventParams,
  PriceScaleMode,
  type UTCTimestamp,
} from 'lightweight-charts';
import { formatPrice } from '../format/format-price.ts';
import { texts } from '../texts.ts';
import type { CandleChange, DrawnCandle } from './candle-book.ts';
import { computeChartMove, isChartKey } from './compute-chart-move.ts';

export interface TradeMarker {
  readonly openTime: number;
  readonly side: 'buy' | 'sell';
  readonly text: string;
}

export interface PriceChartOptions {
  readonly element: HTMLElement;
  /** The candle under the pointer by its open time; null outside. */
  readonly onHover: (openTime: number | null) => void;
  /** The oldest candle is nearly on the screen. */
  readonly onNearStart: () => void;
}

export interface PriceChart {
  /** With `last`, only the last candle differs from what is drawn, or was added. */
  setCandles(candles: readonly DrawnCandle[], change: CandleChange): void;
  setMarkers(markers: readonly TradeMarker[]): void;
  setLogScale(isLog: boolean): void;
  /** Shows the newest candles. */
  showNewest(): void;
  /** Reads the colours of the theme. */
  repaint(): void;
  destroy(): void;
}

const BARS_BEFORE_START = 30;
const BARS_SHOWN_MIN = 40;
const BARS_SHOWN_MAX = 120;
/** Free space after the newest candle. */
const BARS_AFTER = 4;
/** Enough digits for any price that is drawn. */
const PRICE_DIGITS = 15;
const MIN_MOVE = 1e-12;
const VOLUME_SCALE = 'volume';

const toTime = (openTime: number) => (openTime / 1000) as UTCTimestamp;

function toCandleData({ openTime, open, high, low, close }: DrawnCandle) {
  return { time: toTime(openTime), open, high, low, close };
}

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    up: read('--up'),
    down: read('--down'),
    text: read('--soft'),
    line: read('--line'),
    upVolume: read('--up-volume'),
    downVolume: read('--down-volume'),
  };
}

type Colours = ReturnType<typeof readColours>;

function toVolumeData({ openTime, open, close, quoteVolume }: DrawnCandle, colours: Colours) {
  const color = close >= open ? colours.upVolume : colours.downVolume;
  return { time: toTime(openTime), value: quoteVolume, color };
}

function openChart(element: HTMLElement) {
  const chart = createChart(element, {
    autoSize: true,
    layout: { attributionLogo: false, fontFamily: getComputedStyle(document.body).fontFamily },
    timeScale: { timeVisible: true, secondsVisible: true, rightOffset: BARS_AFTER },
    localization: { locale: texts.locale },
  });
  const formatter = (price: number) => formatPrice(Math.max(0, price).toFixed(PRICE_DIGITS));
  const candles = chart.addSeries(CandlestickSeries, {
    priceFormat: { type: 'custom', formatter, minMove: MIN_MOVE },
    borderVisible: false,
  });
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: VOLUME_SCALE,
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  });
  chart.priceScale(VOLUME_SCALE).applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } });
  candles.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.24 } });
  return { chart, candles, volume, markers: createSeriesMarkers(candles, []) };
}

function paint({ chart, candles }: ReturnType<typeof openChart>, colours: Colours): void {
  chart.applyOptions({
    layout: {
      background: { type: ColorType.Solid, color: 'transparent' },
      textColor: colours.text,
    },
    grid: { vertLines: { color: colours.line }, horzLines: { color: colours.line } },
    rightPriceScale: { borderColor: colours.line },
    timeScale: { borderColor: colours.line },
  });
  candles.applyOptions({
    upColor: colours.up,
    downColor: colours.down,
    wickUpColor: colours.up,
    wickDownColor: colours.down,
  });
}

function toMarkerData({ openTime, side, text }: TradeMarker, colours: Colours) {
  const isBuy = side === 'buy';
  return {
    time: toTime(openTime),
    position: isBuy ? 'belowBar' : 'aboveBar',
    shape: isBuy ? 'arrowUp' : 'arrowDown',
    color: isBuy ? colours.up : colours.down,
    text,
  } as const;
}

type ChartParts = ReturnType<typeof openChart>;

interface ChartKeyOptions extends PriceChartOptions {
  readonly parts: ChartParts;
  readonly readCandles: () => readonly DrawnCandle[];
}

interface ChosenCandle {
  /** Its open time; null if no candle is chosen. */
  readTime(): number | null;
  /** Puts the cross back after the candles were drawn anew, which removes it. */
  restore(): void;
}

/** The chart by keyboard: a cross on one candle, and the range that is shown. */
function followKeys({ element, parts, readCandles, onHover }: ChartKeyOptions): ChosenCandle {
  const { chart, candles } = parts;
  /** The candle under the cross by its open time: candles before it may be added. */
  let chosenTime: number | null = null;
  element.tabIndex = 0;
  element.setAttribute('role', 'application');
  const choose = (candle: DrawnCandle) => {
    chosenTime = candle.openTime;
    chart.setCrosshairPosition(candle.close, toTime(candle.openTime), candles);
    onHover(candle.openTime);
  };
  const leave = () => {
    chosenTime = null;
    chart.clearCrosshairPosition();
    onHover(null);
  };
  element.addEventListener('blur', leave);
  element.addEventListener('keydown', (event) => {
    const range = chart.timeScale().getVisibleLogicalRange();
    const drawn = readCandles();
    if (event.key === 'Escape') leave();
    if (range === null || drawn.length === 0 || !isChartKey(event.key)) return;
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const found = drawn.findIndex(({ openTime }) => openTime === chosenTime);
    const chosen = found < 0 ? null : found;
    const next = computeChartMove(event.key, { range, chosen, count: drawn.length });
    chart.timeScale().setVisibleLogicalRange(next.range);
    const candle = next.chosen === null ? undefined : drawn[next.chosen];
    if (candle !== undefined) choose(candle);
  });
  return {
    readTime: () => chosenTime,
    restore: () => {
      const candle = readCandles().find(({ openTime }) => openTime === chosenTime);
      if (candle !== undefined) choose(candle);
    },
  };
}

export function createPriceChart(options: PriceChartOptions): PriceChart {
  const parts = openChart(options.element);
  const { chart, candles, volume, markers } = parts;
  let colours = readColours();
  let drawn: readonly DrawnCandle[] = [];
  let marked: readonly TradeMarker[] = [];
  paint(parts, colours);
  const chosen = followKeys({ ...options, parts, readCandles: () => drawn });
  const onMove = ({ time }: MouseEventParams) =>
    options.onHover(typeof time === 'number' ? time * 1000 : chosen.readTime());
  chart.subscribeCrosshairMove(onMove);
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
    if (range !== null && drawn.length > 0 && range.from < BARS_BEFORE_START) {
      options.onNearStart();
    }
  });
  const describe = () => {
    const label = texts.token.chart.describe({ candles: drawn.length, marks: marked.length });
    options.element.setAttribute('aria-label', label);
  };
  const drawVolume = () => volume.setData(drawn.map((candle) => toVolumeData(candle, colours)));
  const drawMarkers = () => markers.setMarkers(marked.map((each) => toMarkerData(each, colours)));
  return {
    setCandles: (next, change) => {
      const last = next.at(-1);
      // The library refuses to update what is before its last candle.
      const isAfter = last !== undefined && last.openTime >= (drawn.at(-1)?.openTime ?? 0);
      const isUpdate = change === 'last' && isAfter && drawn.length > 0;
      drawn = next;
      describe();
      if (isUpdate) {
        candles.update(toCandleData(last));
        volume.update(toVolumeData(last, colours));
      } else {
        candles.setData(drawn.map(toCandleData));
        drawVolume();
      }
      chosen.restore();
    },
    setMarkers: (next) => {
      marked = next;
      describe();
      drawMarkers();
    },
    setLogScale: (isLog) => {
      const mode = isLog ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal;
      candles.priceScale().applyOptions({ mode });
    },
    showNewest: () => {
      const to = drawn.length + BARS_AFTER;
      const shown = Math.max(BARS_SHOWN_MIN, Math.min(to, BARS_SHOWN_MAX));
      chart.timeScale().setVisibleLogicalRange({ from: to - shown, to });
    },
    repaint: () => {
      colours = readColours();
      paint(parts, colours);
      drawVolume();
      drawMarkers();
    },
    destroy: () => chart.remove(),
  };
}
