// The chart of a token: its candles and the marks of own trades, as a feed has them. Loaded with
// the library, for nothing of it is of use before.

import { api } from '../../api/api-client.ts';
import type { TradeRow } from '../../api/contract-types.ts';
import { buildDrawnCandles, type CandleChange } from '../../chart/candle-book.ts';
import {
  createPriceChart,
  type PriceChart,
  type PriceChartOptions,
  type TradeMarker,
} from '../../chart/price-chart.ts';
import { findOwnAddress } from '../../state/account.ts';
import { texts } from '../../texts.ts';
import type { TokenChoices } from './token-choices.ts';
import type { TokenFeed } from './token-feed.ts';
import { matchesTapeFilter, type TapeFilter } from './trade-tape.ts';

export interface TokenChart extends PriceChart {
  /** Keeps the chart at the feed's candles; the result stops it. */
  drawFeed(feed: TokenFeed, how: DrawnAs): () => void;
  /** Marks the trades of the signed-in wallet, and those that the tape is filtered for. */
  markTrades(feed: TokenFeed, marked: MarkedTrades): () => void;
}

interface DrawnAs {
  readonly isJoined: boolean;
  readonly stepMs: number | null;
  /** How far back is shown; null for the newest candles. */
  readonly rangeMs: number | null;
  readonly onGapless: (isGapless: boolean) => void;
}

interface MarkedTrades {
  readonly choices: TokenChoices;
  readonly filter: TapeFilter;
}

const MARKED_MAX = 100;

/** One mark for each side of a candle, an own one first; the chart wants the oldest first. */
function buildMarkers(
  feed: TokenFeed,
  trades: readonly TradeRow[],
  own: string | null,
): TradeMarker[] {
  const marks = new Map<string, TradeMarker>();
  for (const { timestamp, side, wallet } of trades) {
    const openTime = feed.book.findAt(timestamp)?.openTime;
    if (openTime === undefined) continue;
    const key = `${openTime} ${side}`;
    const isOwn = wallet.toLowerCase() === own;
    if (marks.get(key)?.isOwn === true && !isOwn) continue;
    marks.set(key, { openTime, side, isOwn, text: isOwn ? texts.token.chart.own[side] : '' });
  }
  return [...marks.values()].toSorted((a, b) => a.openTime - b.openTime);
}

function drawFeed(chart: PriceChart, feed: TokenFeed, how: DrawnAs): () => void {
  let isShown = false;
  const draw = (change: CandleChange) => {
    const { candles, isGapless } = buildDrawnCandles(feed.book.rows, how);
    chart.setCandles(candles, change);
    how.onGapless(isGapless);
    const last = candles.at(-1);
    if (!isShown && last !== undefined) {
      isShown = true;
      chart.showNewest(how.rangeMs === null ? null : last.openTime - how.rangeMs);
    }
  };
  draw('all');
  return feed.listen({ candles: draw });
}

function markTrades(
  chart: PriceChart,
  feed: TokenFeed,
  { choices, filter }: MarkedTrades,
): () => void {
  const { chain, mint, pool } = choices;
  const wallet = findOwnAddress(chain);
  const own = wallet?.toLowerCase() ?? null;
  const isFiltered = Object.values(filter).some((value) => value !== null);
  const wanted = [
    ...(wallet === null ? [] : [{ side: null, minUsd: null, wallet }]),
    ...(isFiltered ? [filter] : []),
  ];
  if (wanted.length === 0) {
    chart.setMarkers([]);
    return () => undefined;
  }
  const abort = new AbortController();
  let marked: readonly TradeRow[] = [];
  const mark = () => chart.setMarkers(buildMarkers(feed, marked, own));
  const readOne = (fields: TapeFilter) => {
    const input = {
      ...{ chain, mint, pool: pool ?? undefined, limit: MARKED_MAX },
      ...{ side: fields.side ?? undefined, minUsd: fields.minUsd ?? undefined },
      wallet: fields.wallet ?? undefined,
    };
    return api.getTrades(input, { signal: abort.signal });
  };
  const read = () =>
    Promise.all(wanted.map(readOne)).then(
      (answers) => {
        marked = answers.flatMap(({ trades }) => trades);
        mark();
      },
      // Without marks the chart is still true.
      () => undefined,
    );
  const stop = feed.listen({
    restart: () => void read(),
    revert: () => void read(),
    trade: (trade) => {
      if (wanted.some((fields) => matchesTapeFilter(trade, fields))) void read();
    },
    candles: (change) => {
      if (change === 'all') mark();
    },
  });
  return () => {
    abort.abort();
    stop();
  };
}

export function createTokenChart(options: PriceChartOptions): TokenChart {
  const chart = createPriceChart(options);
  return {
    ...chart,
    drawFeed: (feed, how) => drawFeed(chart, feed, how),
    markTrades: (feed, marked) => markTrades(chart, feed, marked),
  };
}
