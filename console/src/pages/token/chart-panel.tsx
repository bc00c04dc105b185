// The chart of a token with its controls. The library is loaded when a chart is first shown.

import { effect, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ChartKline, PoolRow } from '../../api/contract-types.ts';
import { setQuery } from '../../current-location.ts';
import { formatCompact } from '../../format/format-amount.ts';
import { formatPrice } from '../../format/format-price.ts';
import { shortenAddress } from '../../format/shorten-address.ts';
import { createPartLoader, PartFailureNote } from '../../lazy-part.tsx';
import { CheckField, SelectField } from '../../parts/choice-fields.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { findOwnAddress } from '../../state/account.ts';
import { findChain } from '../../state/chains.ts';
import { texts } from '../../texts.ts';
import { palette, theme } from '../../theme.ts';
import type { TokenChart } from './token-chart.ts';
import { CHART_INTERVALS, type TokenChoices } from './token-choices.ts';
import type { TokenFeed } from './token-feed.ts';

interface ChartPanelProps {
  readonly feed: TokenFeed;
  readonly choices: TokenChoices;
  readonly pools: readonly PoolRow[];
}

function ChartControls({ choices, pools }: Omit<ChartPanelProps, 'feed'>) {
  const { chart } = texts.token;
  const native = findChain(choices.chain)?.native.symbol ?? chart.native;
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

const chartLoader = createPartLoader(
  async () => (await import('./token-chart.ts')).createTokenChart,
);

function useChart({ feed, choices }: ChartPanelProps) {
  const element = useRef<HTMLDivElement>(null);
  const hovered = useSignal<ChartKline | null>(null);
  const chart = useSignal<TokenChart | null>(null);
  const current = useRef(feed);
  current.current = feed;
  const { isJoined, isLog } = choices;
  const create = chartLoader.part.value?.loaded ?? null;

  useEffect(() => {
    const node = element.current;
    if (node === null) return undefined;
    if (create === null) {
      chartLoader.ask();
      return undefined;
    }
    chart.value = create({
      element: node,
      onHover: (openTime) => {
        hovered.value = openTime === null ? null : current.current.book.findAt(openTime);
      },
      onNearStart: () => void current.current.loadOlder(),
    });
    return () => {
      chart.peek()?.destroy();
      chart.value = null;
      hovered.value = null;
    };
  }, [chart, hovered, create]);

  const drawn = chart.value;
  const own = findOwnAddress(choices.chain);
  useEffect(() => {
    if (drawn === null) return undefined;
    return drawn.drawFeed(feed, { isJoined });
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
    return drawn.markOwnTrades(feed, choices);
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
      {chartLoader.failure.value !== null && (
        <PartFailureNote failure={chartLoader.failure.value} />
      )}
    </section>
  );
}
