// The chart of a token with its controls. The library is loaded when a chart is first shown.

import { effect, type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ChartKline, PoolRow } from '../../api/contract-types.ts';
import { currentLocation, setQuery } from '../../current-location.ts';
import { formatCompact } from '../../format/format-amount.ts';
import { formatPrice } from '../../format/format-price.ts';
import { shortenAddress } from '../../format/shorten-address.ts';
import { createPartLoader, PartFailureNote } from '../../lazy-part.tsx';
import { ChangeText } from '../../parts/change-text.tsx';
import { CheckField, ChoiceGroup, SelectField } from '../../parts/choice-fields.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { findOwnAddress } from '../../state/account.ts';
import { findChain } from '../../state/chains.ts';
import { texts } from '../../texts.ts';
import { palette, theme } from '../../theme.ts';
import { parseTapeFilter } from './tape-filter.ts';
import type { TokenChart } from './token-chart.ts';
import {
  CHART_INTERVALS,
  CHART_RANGE_NAMES,
  CHART_RANGES,
  findStepMs,
  MAIN_INTERVALS,
  type TokenChoices,
} from './token-choices.ts';
import type { TokenFeed } from './token-feed.ts';

interface ChartPanelProps {
  readonly feed: TokenFeed;
  readonly choices: TokenChoices;
  readonly pools: readonly PoolRow[];
}

const OTHER_INTERVALS = CHART_INTERVALS.filter(
  (each) => !MAIN_INTERVALS.some((main) => main === each),
);

/** The range had candles of its own. */
const changeInterval = (interval: string) => {
  if (interval !== '') setQuery({ interval, range: null });
};

function ChartControls({ choices, pools }: Omit<ChartPanelProps, 'feed'>) {
  const { chart } = texts.token;
  const native = findChain(choices.chain)?.native.symbol ?? chart.native;
  const pool = pools.find(({ address }) => address === choices.pool);
  const other = pool?.base.mint === choices.mint ? pool.quote : pool?.base;
  const poolOptions = [
    ['', chart.allPools] as const,
    ...pools.map(
      ({ address, venue, quote }) =>
        [address, `${venue} ${quote.symbol ?? ''} ${shortenAddress(address)}`] as const,
    ),
  ];
  return (
    <div class="bar">
      <ChoiceGroup
        label={chart.interval}
        choices={MAIN_INTERVALS.map((value) => ({ value, text: value }))}
        chosen={choices.interval}
        onChoose={changeInterval}
      />
      <ChoiceGroup
        label={chart.range}
        choices={CHART_RANGE_NAMES.map((value) => ({ value, text: chart.ranges[value] }))}
        chosen={choices.range}
        onChoose={(range) => setQuery({ range, interval: CHART_RANGES[range].interval })}
      />
      <SelectField
        label={chart.otherIntervals}
        value={OTHER_INTERVALS.find((each) => each === choices.interval) ?? ''}
        options={[
          ['', chart.otherIntervals] as const,
          ...OTHER_INTERVALS.map((each) => [each, each] as const),
        ]}
        onChange={changeInterval}
      />
      <SelectField
        label={chart.currency}
        value={choices.currency}
        options={[
          ['usd', chart.usd],
          ['native', native],
          ...(choices.pool === null ? [] : [['quote', other?.symbol ?? chart.quote] as const]),
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

function findChangePct({ open, close }: ChartKline): number | null {
  const from = Number(open ?? 0);
  return from > 0 ? ((Number(close ?? open) - from) / from) * 100 : null;
}

/**
 * The true values of a candle, whatever is drawn. It alone reads what is under the pointer, so that
 * a pointer on its way over the chart renders nothing else.
 */
function CandleLegend({ hovered }: { hovered: Signal<ChartKline | null> }) {
  const row = hovered.value;
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
      {legend.volume} <b>{formatCompact(row.volume)}</b> <ChangeText value={findChangePct(row)} />
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
  const { isJoined, isLog, interval, range } = choices;
  const isGapless = useSignal(false);
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
  const filter = parseTapeFilter(currentLocation.value.query);
  const { side, minUsd, wallet } = filter;
  useEffect(() => {
    if (drawn === null) return undefined;
    return drawn.drawFeed(feed, {
      isJoined,
      stepMs: findStepMs(interval),
      rangeMs: range === null ? null : CHART_RANGES[range].lengthMs,
      onGapless: (isNow) => {
        isGapless.value = isNow;
      },
    });
  }, [drawn, feed, isJoined, range, isGapless]);
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
    return drawn.markTrades(feed, { choices, filter });
  }, [drawn, feed, own, side, minUsd, wallet]);
  return { element, hovered, isGapless };
}

export function ChartPanel(props: ChartPanelProps) {
  const { feed } = props;
  const { element, hovered, isGapless } = useChart(props);
  const problem = feed.candleProblem.value;
  return (
    <section class="chart-panel" aria-label={texts.token.chart.label}>
      <ChartControls {...props} />
      <div class="chart-frame">
        <CandleLegend hovered={hovered} />
        <div class="chart" ref={element} />
      </div>
      {isGapless.value && <p class="soft small">{texts.token.chart.gapless}</p>}
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
