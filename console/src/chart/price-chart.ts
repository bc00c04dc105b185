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
  TrackingModeExitMode,
  type UTCTimestamp,
} from 'lightweight-charts';
import { formatPrice } from '../format/format-price.ts';
import { texts } from '../texts.ts';
import type { CandleChange, DrawnCandle } from './candle-book.ts';
import { computeChartMove, isChartKey, showCandle } from './compute-chart-move.ts';

export interface TradeMarker {
  readonly openTime: number;
  readonly side: 'buy' | 'sell';
  /** Of the signed-in wallet: an arrow with its text; others are dots. */
  readonly isOwn: boolean;
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
  /** Shows the newest candles, or those since a time. */
  showNewest(fromMs: number | null): void;
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
/** How many times the volume the price is high. */
const PRICE_SHARE = 4;

/** A finger rests once it has not moved so far for so long: as the library has it. */
const FINGER_MOVED_PX = 5;
const FINGER_RESTS_MS = 240;

const toTime = (openTime: number) => (openTime / 1000) as UTCTimestamp;

function toCandleData({ openTime, open, high, low, close, isGap }: DrawnCandle) {
  const time = toTime(openTime);
  return isGap ? { time } : { time, open, high, low, close };
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

function toVolumeData(candle: DrawnCandle, colours: Colours) {
  const { openTime, open, close, quoteVolume, isGap } = candle;
  if (isGap) return { time: toTime(openTime) };
  const color = close >= open ? colours.upVolume : colours.downVolume;
  return { time: toTime(openTime), value: quoteVolume, color };
}

function openChart(element: HTMLElement) {
  const chart = createChart(element, {
    autoSize: true,
    layout: { attributionLogo: false, fontFamily: getComputedStyle(document.body).fontFamily },
    timeScale: { timeVisible: true, secondsVisible: true, rightOffset: BARS_AFTER },
    localization: { locale: texts.locale },
    // A finger that moves up or down scrolls the page, not the price.
    handleScroll: { vertTouchDrag: false },
    // One that rests moves the cross, until it is lifted.
    trackingMode: { exitMode: TrackingModeExitMode.OnTouchEnd },
  });
  const formatter = (price: number) => formatPrice(Math.max(0, price).toFixed(PRICE_DIGITS));
  const candles = chart.addSeries(CandlestickSeries, {
    priceFormat: { type: 'custom', formatter, minMove: MIN_MOVE },
    borderVisible: false,
  });
  // Below the price, with a scale of its own.
  const volume = chart.addSeries(
    HistogramSeries,
    { priceFormat: { type: 'volume' }, lastValueVisible: false, priceLineVisible: false },
    1,
  );
  const [prices] = chart.panes();
  prices?.setStretchFactor(PRICE_SHARE);
  volume
    .priceScale()
    .applyOptions({ scaleMargins: { top: 0.15, bottom: 0 }, entireTextOnly: true });
  candles
    .priceScale()
    .applyOptions({ scaleMargins: { top: 0.1, bottom: 0.06 }, entireTextOnly: true });
  return { chart, candles, volume, markers: createSeriesMarkers(candles, []) };
}

function paint({ chart, candles }: ReturnType<typeof openChart>, colours: Colours): void {
  chart.applyOptions({
    layout: {
      background: { type: ColorType.Solid, color: 'transparent' },
      textColor: colours.text,
      panes: { separatorColor: colours.line, separatorHoverColor: colours.line },
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

function toMarkerData({ openTime, side, isOwn, text }: TradeMarker, colours: Colours) {
  const isBuy = side === 'buy';
  const shape = isOwn ? (isBuy ? 'arrowUp' : 'arrowDown') : 'circle';
  return {
    shape,
    time: toTime(openTime),
    position: isBuy ? 'belowBar' : 'aboveBar',
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
    // The first and the last place have a candle: over a gap there is always one.
    const step = event.key === 'ArrowLeft' ? -1 : 1;
    let at = next.chosen;
    while (at !== null && drawn[at]?.isGap === true) at += step;
    chart.timeScale().setVisibleLogicalRange(at === null ? next.range : showCandle(next.range, at));
    const candle = at === null ? undefined : drawn[at];
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

/**
 * On a slow phone the library hears of a finger's movement after 240 ms, takes the finger for one
 * that rests and keeps the movement from the page. Events tell when the finger did move: if it did
 * at once, the touch begins anew for the library, which then scrolls the page or the chart.
 */
function judgeFingersByTheirClock(element: HTMLElement, isCrossShown: () => boolean): void {
  let down: { readonly touch: Touch; readonly atMs: number } | null = null;
  element.addEventListener(
    'touchstart',
    ({ isTrusted, touches, timeStamp }) => {
      if (!isTrusted) return;
      const [touch, second] = touches;
      const isOne = touch !== undefined && second === undefined;
      down = isOne ? { touch, atMs: timeStamp } : null;
    },
    { passive: true },
  );
  // It comes before the touchmove, and knows all movements that have become one meanwhile.
  element.addEventListener('pointermove', (event) => {
    if (down === null || event.pointerType !== 'touch') return;
    const { touch, atMs } = down;
    const first = event
      .getCoalescedEvents()
      .find(
        ({ clientX, clientY }) =>
          Math.abs(clientX - touch.clientX) + Math.abs(clientY - touch.clientY) >= FINGER_MOVED_PX,
      );
    if (first === undefined) return;
    down = null;
    if (!isCrossShown() || first.timeStamp - atMs >= FINGER_RESTS_MS) return;
    const changedTouches = [touch];
    for (const type of ['touchend', 'touchstart']) {
      touch.target.dispatchEvent(new TouchEvent(type, { bubbles: true, changedTouches }));
    }
  });
}

export function createPriceChart(options: PriceChartOptions): PriceChart {
  const parts = openChart(options.element);
  const { chart, candles, volume, markers } = parts;
  let colours = readColours();
  let drawn: readonly DrawnCandle[] = [];
  let marked: readonly TradeMarker[] = [];
  paint(parts, colours);
  const chosen = followKeys({ ...options, parts, readCandles: () => drawn });
  let isCrossShown = false;
  const onMove = ({ time, point }: MouseEventParams) => {
    isCrossShown = point !== undefined;
    options.onHover(typeof time === 'number' ? time * 1000 : chosen.readTime());
  };
  chart.subscribeCrosshairMove(onMove);
  judgeFingersByTheirClock(options.element, () => isCrossShown);
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
    if (range !== null && drawn.length > 0 && range.from < BARS_BEFORE_START) {
      options.onNearStart();
    }
  });
  const describe = () => {
    const label = texts.token.chart.describe({
      candles: drawn.filter(({ isGap }) => !isGap).length,
      own: marked.filter(({ isOwn }) => isOwn).length,
      others: marked.filter(({ isOwn }) => !isOwn).length,
    });
    options.element.setAttribute('aria-label', label);
  };
  const drawVolume = () => volume.setData(drawn.map((candle) => toVolumeData(candle, colours)));
  const drawMarkers = () => markers.setMarkers(marked.map((each) => toMarkerData(each, colours)));
  return {
    setCandles: (next, change) => {
      const last = next.at(-1);
      // The library refuses to update what is before its last candle.
      const isAfter = last !== undefined && last.openTime >= (drawn.at(-1)?.openTime ?? 0);
      // After a pause, the places between come with the candle.
      const added = next.length - drawn.length;
      const isNext = added === 0 || added === 1;
      const isUpdate = change === 'last' && isAfter && isNext && drawn.length > 0;
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
    showNewest: (fromMs) => {
      const to = drawn.length + BARS_AFTER;
      const since = fromMs === null ? -1 : drawn.findIndex(({ openTime }) => openTime >= fromMs);
      const wanted = since < 0 ? Math.min(to, BARS_SHOWN_MAX) : to - since;
      const shown = Math.max(BARS_SHOWN_MIN, wanted);
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
