// The chart of a token with its controls. The library is loaded when a chart is first shown.

import { effect, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { ChartKline, PoolRow, TradeRow } from '../../api/contract-types.ts';
import { buildDrawnCandles, type CandleChange } from '../../chart/candle-book.ts';
import type { PriceChart, TradeMarker } from '../../chart/price-chart.ts';
import { setQuery } from '../../current-location.ts';
import { formatCompact } from '../../format/format-amount.ts';
import { formatPrice } from '../../format/format-price.ts';
import { shortenAddress } from '../../format/shorten-address.ts';
import { CheckField, SelectField } from '../../parts/choice-fields.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { findOwnAddress } from '../../state/account.ts';
import { findChain } from '../../state/chains.ts';
import { texts } from '../../texts.ts';
import { palette, theme } from '../../theme.ts';
import { CHART_INTERVALS, type TokenChoices } from './token-choices.ts';
import type { TokenFeed } from './token-feed.ts';

interface ChartPanelProps {
  readonly feed: TokenFeed;
  readonly choices: TokenChoices;
  readonly pools: readonly PoolRow[];
}

const OWN_TRADES_MAX = 100;

function ChartControls({ choices, pools }: Omit<ChartPanelProps, 'feed'>) {
  const { chart } = texts.token;
  const native = findChain(choices.chain)?.native.symbol ?? 'native';
  const poolOptions = [
    ['', chart.allPools] as const,
    ...pools.map(
      ({ address, venue, quote }) =>
        [address, `${venue} ${quote.symbol ?? ''} ${shortenAddress(address)}`] as const,
    ),
  ];
  return (
    <div class="bar">
      <SelectField
        label={chart.interval}
        value={choices.interval}
        options={CHART_INTERVALS.map((each) => [each, each] as const)}
        onChange={(interval) => setQuery({ interval })}
      />
      <SelectField
        label={chart.currency}
        value={choices.currency}
        options={[
          ['usd', chart.usd],
          ['native', native],
        ]}
        onChange={(currency) => setQuery({ currency: currency === 'usd' ? null : currency })}
      />
      <SelectField
        label={chart.pool}
        value={choices.pool ?? ''}
        options={poolOptions}
        onChange={(pool) => setQuery({ pool })}
      />
      <CheckField
        label={chart.log}
        isOn={choices.isLog}
        onChange={(isOn) => setQuery({ scale: isOn ? 'log' : null })}
      />
      <CheckField
        label={chart.joined}
        isOn={choices.isJoined}
        onChange={(isOn) => setQuery({ candles: isOn ? null : 'true-open' })}
      />
      <CheckField
        label={chart.outliers}
        isOn={choices.outliers === 'include'}
        onChange={(isOn) => setQuery({ outliers: isOn ? 'include' : null })}
      />
    </div>
  );
}

/** The true values of a candle, whatever is drawn. */
function CandleLegend({ row }: { row: ChartKline | null }) {
  if (row === null) return null;
  const { legend } = texts.token.chart;
  const parts = [
    [legend.open, row.open],
    [legend.high, row.high],
    [legend.low, row.low],
    [legend.close, row.close],
  ] as const;
  return (
    <p class="legend soft" aria-live="polite">
      {new Date(row.openTime).toLocaleString(texts.locale)}{' '}
      {parts.map(([name, value]) => (
        <span key={name} title={value ?? ''}>
          {name} <b>{formatPrice(value)}</b>{' '}
        </span>
      ))}
      {legend.volume} <b>{formatCompact(row.volume)}</b>
    </p>
  );
}

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

interface DrawOptions {
  readonly feed: TokenFeed;
  readonly chart: PriceChart;
  readonly isJoined: () => boolean;
}

/** Keeps a chart at the feed's candles; the result stops it. */
function drawFeed({ feed, chart, isJoined }: DrawOptions): () => void {
  let isShown = false;
  const draw = (change: CandleChange) => {
    const candles = buildDrawnCandles(feed.book.rows, { isJoined: isJoined() });
    chart.setCandles(candles, change);
    if (!isShown && candles.length > 0) {
      isShown = true;
      chart.showNewest();
    }
  };
  draw('all');
  return feed.listen({ candles: draw });
}

/** Marks the trades of the signed-in wallet; the result stops it. */
function markOwnTrades(feed: TokenFeed, chart: PriceChart, choices: TokenChoices): () => void {
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

function useChart({ feed, choices }: ChartPanelProps) {
  const element = useRef<HTMLDivElement>(null);
  const hovered = useSignal<ChartKline | null>(null);
  const chart = useSignal<PriceChart | null>(null);
  const current = useRef(feed);
  current.current = feed;
  const { isJoined, isLog } = choices;

  useEffect(() => {
    const node = element.current;
    let isGone = false;
    if (node === null) return undefined;
    void import('../../chart/price-chart.ts').then(({ createPriceChart }) => {
      if (isGone) return;
      chart.value = createPriceChart({
        element: node,
        onHover: (openTime) => {
          hovered.value = openTime === null ? null : current.current.book.findAt(openTime);
        },
        onNearStart: () => void current.current.loadOlder(),
      });
    });
    return () => {
      isGone = true;
      chart.peek()?.destroy();
      chart.value = null;
      hovered.value = null;
    };
  }, [chart, hovered]);

  const drawn = chart.value;
  const own = findOwnAddress(choices.chain);
  useEffect(() => {
    if (drawn === null) return undefined;
    return drawFeed({ feed, chart: drawn, isJoined: () => isJoined });
  }, [drawn, feed, isJoined]);
  useEffect(() => drawn?.setLogScale(isLog), [drawn, isLog]);
  useEffect(() => {
    if (drawn === null) return undefined;
    return effect(() => {
      void [theme.value, palette.value];
      drawn.repaint();
    });
  }, [drawn]);
  // The feed changes with the choices.
  useEffect(() => {
    if (drawn === null) return undefined;
    return markOwnTrades(feed, drawn, choices);
  }, [drawn, feed, own]);
  return { element, hovered };
}

export function ChartPanel(props: ChartPanelProps) {
  const { feed } = props;
  const { element, hovered } = useChart(props);
  const problem = feed.candleProblem.value;
  return (
    <section class="chart-panel" aria-label={texts.token.chart.label}>
      <ChartControls {...props} />
      <div class="chart-frame">
        <CandleLegend row={hovered.value} />
        <div class="chart" ref={element} />
      </div>
      {feed.hasCandles.value === false && <p class="over soft">{texts.token.chart.empty}</p>}
      {feed.isLoadingOlder.value && (
        <p class="over soft" role="status">
          {texts.token.chart.loadingOlder}
        </p>
      )}
      {problem !== null && <ProblemNote problem={problem} />}
    </section>
  );
}
