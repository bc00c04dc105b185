// What a wallet was worth over the last day, week or month.

import { useState } from 'preact/hooks';
import type { WalletBalancesReply } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { formatCompactUsd } from '../../format/format-amount.ts';
import { ChangeText } from '../../parts/change-text.tsx';
import { ChoiceGroup } from '../../parts/choice-fields.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { texts } from '../../texts.ts';
import type { ValuePoint } from './build-value-series.ts';
import type { PortfolioSubject } from './portfolio-choices.ts';
import { readValueHistory, VALUE_RANGES, type ValueRange } from './read-value-history.ts';
import type { ChainAnswers } from './read-wallet.ts';

const WIDTH = 600;
const HEIGHT = 140;
/** A line along an edge would be half cut. */
const MARGIN = 4;
const USD_DIGITS = 2;

const toUsd = (value: number) => formatCompactUsd(value.toFixed(USD_DIGITS));
const toTime = (timeMs: number) =>
  new Date(timeMs).toLocaleString(texts.locale, { dateStyle: 'short', timeStyle: 'short' });

function findPlaces(points: readonly ValuePoint[]) {
  const values = points.map(({ valueUsd }) => valueUsd);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = high - low;
  const places = values.map((value, at) => {
    const share = span === 0 ? 0.5 : (value - low) / span;
    const x = (at * WIDTH) / Math.max(1, values.length - 1);
    return { x, y: MARGIN + (HEIGHT - 2 * MARGIN) * (1 - share) };
  });
  return { low, high, places };
}

function ValuePlot({ points }: { points: readonly ValuePoint[] }) {
  const [chosen, setChosen] = useState<number | null>(null);
  const { low, high, places } = findPlaces(points);
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return <p class="soft">{texts.value.none}</p>;
  const shown = (chosen === null ? last : points[chosen]) ?? last;
  const change =
    first.valueUsd === 0 ? null : ((shown.valueUsd - first.valueUsd) / first.valueUsd) * 100;
  const line = places.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L');
  const place = chosen === null ? undefined : places[chosen];
  const choose = (event: PointerEvent & { readonly currentTarget: Element }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = Math.round(((event.clientX - left) / width) * (points.length - 1));
    setChosen(Math.min(points.length - 1, Math.max(0, at)));
  };
  return (
    <figure class="value">
      <p class="value-now">
        <strong>{toUsd(shown.valueUsd)}</strong> <ChangeText value={change} />{' '}
        <span class="soft small">{toTime(shown.timeMs)}</span>{' '}
        <span class="soft small wide">{texts.value.between(toUsd(low), toUsd(high))}</span>
      </p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.value.describe(toUsd(first.valueUsd), toUsd(last.valueUsd))}
        onPointerMove={choose}
        onPointerDown={choose}
        onPointerLeave={() => setChosen(null)}
      >
        <path class="value-area" d={`M0 ${HEIGHT}L${line}L${WIDTH} ${HEIGHT}Z`} />
        <path class="value-line" d={`M${line}`} />
        {place !== undefined && <path class="value-cross" d={`M${place.x} 0V${HEIGHT}`} />}
      </svg>
      <figcaption class="soft small bar">
        <span>{toTime(first.timeMs)}</span>
        <span>{toTime(last.timeMs)}</span>
      </figcaption>
    </figure>
  );
}

interface ValueChartProps {
  readonly subject: PortfolioSubject;
  /** Null until they are known. */
  readonly balances: ChainAnswers<WalletBalancesReply> | null;
}

export function ValueChart({ subject, balances }: ValueChartProps) {
  const [range, setRange] = useState<ValueRange>('24h');
  const { wallet, chains } = subject;
  const { value, problem, reload } = useResource<ValuePoint[]>({
    key: balances === null ? null : [wallet, range, ...chains].join(':'),
    load: (signal) =>
      readValueHistory(wallet, balances ?? { answers: [], missing: [] }, { range, signal }),
  });
  return (
    <section class="value-part" aria-label={texts.value.title}>
      <ChoiceGroup
        label={texts.value.range}
        choices={VALUE_RANGES.map((each) => ({ value: each, text: each }))}
        chosen={range}
        onChoose={setRange}
      />
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {value === null ? <div class="value" aria-busy="true" /> : <ValuePlot points={value} />}
      <p class="soft small">{texts.value.note}</p>
    </section>
  );
}
