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

export interface TokenChart extends PriceChart {
  /** Keeps the chart at the feed's candles; the result stops it. */
  drawFeed(feed: TokenFeed, how: { readonly isJoined: boolean }): () => void;
  /** Marks the trades of the signed-in wallet; the result stops it. */
  markOwnTrades(feed: TokenFeed, choices: TokenChoices): () => void;
}

const OWN_TRADES_MAX = 100;

/** Own trades as marks, one for each side of a candle; the chart wants them oldest first. */
function buildMarkers(feed: TokenFeed, trades: readonly TradeRow[]): TradeMarker[] {
  const marks = new Map<string, TradeMarker>();
  for (const { timestamp, side } of trades) {
    const openTime = feed.book.findAt(timestamp)?.openTime;
    if (openTime === undefined) continue;
    marks.set(`${openTime} ${side}`, { openTime, side, text: texts.token.chart.own[side] });
  }
  return [...marks.values()].toSorted((a, b) => a.openTime - b.openTime);
}

function drawFeed(chart: PriceChart, feed: TokenFeed, isJoined: boolean): () => void {
  let isShown = false;
  const draw = (change: CandleChange) => {
    const candles = buildDrawnCandles(feed.book.rows, { isJoined });
    chart.setCandles(candles, change);
    if (!isShown && candles.length > 0) {
      isShown = true;
      chart.showNewest();
    }
  };
  draw('all');
  return feed.listen({ candles: draw });
}

function markOwnTrades(chart: PriceChart, feed: TokenFeed, choices: TokenChoices): () => void {
  const wallet = findOwnAddress(choices.chain);
  if (wallet === null) {
    chart.setMarkers([]);
    return () => undefined;
  }
  const { chain, mint, pool } = choices;
  const abort = new AbortController();
  let own: readonly TradeRow[] = [];
  const mark = () => chart.setMarkers(buildMarkers(feed, own));
  const input = { chain, mint, pool: pool ?? undefined, wallet, limit: OWN_TRADES_MAX };
  const read = () =>
    api.getTrades(input, { signal: abort.signal }).then(
      ({ trades }) => {
        own = trades;
        mark();
      },
      // Without marks the chart is still true.
      () => undefined,
    );
  const stop = feed.listen({
    restart: () => void read(),
    revert: () => void read(),
    trade: (trade) => {
      if (trade.wallet.toLowerCase() === wallet.toLowerCase()) void read();
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
    drawFeed: (feed, { isJoined }) => drawFeed(chart, feed, isJoined),
    markOwnTrades: (feed, choices) => markOwnTrades(chart, feed, choices),
  };
}
