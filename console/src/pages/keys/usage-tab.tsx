// What the wallet's keys and sessions were used for: a bar for each day, and the sums by key.

import { api } from '../../api/api-client.ts';
import type { KeyRow, UsageReply } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { formatCount } from '../../format/format-amount.ts';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { texts } from '../../texts.ts';
import { buildUsageBars, type UsageBars, type UsageTotal } from './build-usage-bars.ts';

/** What the API answers by default. */
const DAYS = 30;
const REFRESH_MS = 30_000;
const BAR_WIDTH = 20;
const HEIGHT = 160;
/** Further keys share the last colour. */
const COLOURS = 6;

const { columns, plot, most, empty, session, other } = texts.keys.usageTab;

const toDay = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10);
const toColour = (series: number) => `series-${Math.min(series, COLOURS - 1)}`;

interface UsagePlotProps {
  readonly usage: UsageBars;
  readonly nameOf: (keyId: string | null) => string;
}

function UsagePlot({ usage: { bars, totals, requestsMax }, nameOf }: UsagePlotProps) {
  const sum = totals.reduce((all, { requests }) => all + requests, 0);
  return (
    <figure class="usage">
      <svg
        viewBox={`0 0 ${DAYS * BAR_WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={plot(formatCount(sum), DAYS)}
      >
        {bars.flatMap(({ time, parts }, at) =>
          parts.map(({ series, requests, from, height }) => (
            <rect
              key={`${time} ${series}`}
              class={toColour(series)}
              x={at * BAR_WIDTH + 2}
              width={BAR_WIDTH - 4}
              y={HEIGHT * (1 - from - height)}
              height={HEIGHT * height}
            >
              <title>{`${toDay(time)} ${nameOf(totals[series]?.keyId ?? null)}: ${requests}`}</title>
            </rect>
          )),
        )}
      </svg>
      <figcaption class="soft small bar">
        <span>{toDay(bars[0]?.time ?? 0)}</span>
        <span>{most(formatCount(requestsMax))}</span>
        <span>{toDay(bars.at(-1)?.time ?? 0)}</span>
      </figcaption>
    </figure>
  );
}

function buildUsageColumns(
  totals: readonly UsageTotal[],
  nameOf: UsagePlotProps['nameOf'],
): TableColumn<UsageTotal>[] {
  const count = (text: string, pick: (row: UsageTotal) => number, className = 'number') => ({
    text,
    className,
    cell: (row: UsageTotal) => formatCount(pick(row)),
  });
  return [
    {
      text: columns.key,
      className: 'line',
      cell: (row) => (
        <>
          <span class={`swatch ${toColour(totals.indexOf(row))}`} /> {nameOf(row.keyId)}
        </>
      ),
    },
    count(columns.requests, (row) => row.requests),
    count(columns.cost, (row) => Math.round(row.cost), 'number wide'),
    count(columns.limited, (row) => row.limited),
    count(columns.errors, (row) => row.errors),
  ];
}

export function UsageTab({ keys }: { keys: readonly KeyRow[] }) {
  const { value, problem, reload } = useResource<UsageReply>({
    key: 'usage',
    load: (signal) => api.getUsage({ interval: '1d' }, { signal }),
    refreshMs: REFRESH_MS,
  });
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const nameOf = (keyId: string | null) => (keyId === null ? session : (names.get(keyId) ?? other));
  const usage =
    value === null ? null : buildUsageBars(value.rows, { days: DAYS, nowMs: Date.now() });
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {usage === null ? <div class="usage" /> : <UsagePlot usage={usage} nameOf={nameOf} />}
      <DataTable
        label={texts.keys.tabs.usage}
        columns={buildUsageColumns(usage?.totals ?? [], nameOf)}
        rows={usage?.totals ?? null}
        keyOf={({ keyId }) => keyId ?? ''}
        empty={empty}
        skeletonRows={2}
      />
    </>
  );
}
