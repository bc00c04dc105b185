// The state of the whole service, for operators: nodes, chains, endpoints, work under way.

import { api } from '../../api/api-client.ts';
import type { StatusReply } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { nowMs } from '../../clock-tick.ts';
import { formatDuration } from '../../format/format-age.ts';
import { formatCompact, formatCount } from '../../format/format-amount.ts';
import { lateTexts } from '../../late-texts.ts';
import { AgeText } from '../../parts/age-text.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { findChain } from '../../state/chains.ts';

const REFRESH_MS = 5000;
const BYTES_PER_MEGABYTE = 1e6;

type NodeRow = StatusReply['nodes'][number];
type ChainStateRow = StatusReply['chains'][number];
type EndpointRow = ChainStateRow['endpoints'][number] & { readonly chain: string };
type BackfillRow = StatusReply['backfills'][number];

const { operator } = lateTexts;

const nameChain = (slug: string) => findChain(slug)?.name ?? slug;
const formatMs = (ms: number | null) => (ms === null ? '–' : `${Math.round(ms)} ms`);
const formatMegabytes = (bytes: number) =>
  `${formatCompact(String(Math.round(bytes / BYTES_PER_MEGABYTE)))} MB`;

const NODE_COLUMNS: readonly TableColumn<NodeRow>[] = [
  {
    text: operator.nodeColumns.node,
    className: 'line',
    cell: (row) => (
      <span title={row.id}>
        {row.id.slice(0, 8)} {row.self && <span class="soft">{operator.self}</span>}
      </span>
    ),
  },
  { text: operator.nodeColumns.role, cell: (row) => operator.roles[row.role] },
  { text: operator.nodeColumns.version, className: 'wide', cell: (row) => row.version },
  {
    text: operator.nodeColumns.indexes,
    className: 'wide',
    cell: (row) => row.indexes.map(nameChain).join(', ') || '–',
  },
  {
    text: operator.nodeColumns.streams,
    className: 'number',
    cell: (row) => formatCount(row.streams),
  },
  {
    text: operator.nodeColumns.memory,
    className: 'number',
    cell: (row) => formatMegabytes(row.memoryBytes),
  },
  {
    text: operator.nodeColumns.delay,
    className: 'number wide',
    cell: (row) => formatMs(row.eventLoopLagMs),
  },
  {
    text: operator.nodeColumns.seen,
    className: 'number wide',
    cell: (row) => <AgeText timeMs={row.seenAt} />,
  },
];

const CHAIN_COLUMNS: readonly TableColumn<ChainStateRow>[] = [
  { text: operator.chainColumns.chain, cell: (row) => nameChain(row.slug) },
  { text: operator.chainColumns.head, className: 'number', cell: (row) => formatCount(row.head) },
  {
    text: operator.chainColumns.indexed,
    className: 'number',
    cell: (row) => formatCount(row.indexed),
  },
  {
    text: operator.chainColumns.lag,
    className: 'number',
    cell: (row) => (row.lagMs === null ? '–' : formatDuration(row.lagMs)),
  },
  {
    text: operator.chainColumns.error,
    className: 'break wide',
    cell: (row) => row.lastError ?? '–',
  },
];

const ENDPOINT_COLUMNS: readonly TableColumn<EndpointRow>[] = [
  { text: operator.endpointColumns.chain, className: 'wide', cell: (row) => nameChain(row.chain) },
  { text: operator.endpointColumns.name, className: 'break', cell: (row) => row.name },
  {
    text: operator.endpointColumns.state,
    cell: (row) => (
      <span class={`state endpoint-${row.state}`}>
        <span class="dot" aria-hidden="true" /> {operator.endpointStates[row.state]}
      </span>
    ),
  },
  {
    text: operator.endpointColumns.latency,
    className: 'number',
    cell: (row) => formatMs(row.latencyMs),
  },
  {
    text: operator.endpointColumns.failures,
    className: 'number',
    cell: (row) => formatCount(row.failures),
  },
];

const BACKFILL_COLUMNS: readonly TableColumn<BackfillRow>[] = [
  { text: operator.backfillColumns.chain, cell: (row) => nameChain(row.chain) },
  ...(['waiting', 'done', 'failed'] as const).map((name) => ({
    text: operator.backfillColumns[name],
    className: 'number',
    cell: (row: BackfillRow) => formatCount(row[name]),
  })),
];

function ServiceFigures({ status }: { status: StatusReply }) {
  const { version, startedAt, store, streams, requests, process } = status;
  const figures = [
    [operator.figures.version, version],
    [operator.figures.up, formatDuration(Math.max(0, nowMs.value - startedAt))],
    [operator.figures.store, store.detail],
    [operator.figures.memory, formatMegabytes(process.memoryBytes)],
    [operator.figures.delay, formatMs(process.eventLoopLagMs)],
    [operator.figures.streams, `${formatCount(streams.open)} / ${formatCount(streams.tokens)}`],
    [operator.figures.cut, formatCount(streams.cut)],
    [operator.figures.requests, formatCount(requests.total)],
    [operator.figures.limited, formatCount(requests.limited)],
    [operator.figures.failed, formatCount(requests.failed)],
  ] as const;
  return (
    <dl class="stats">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface TitledTableProps<Row> {
  readonly title: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

function TitledTable<Row>({ title, columns, rows, keyOf }: TitledTableProps<Row>) {
  return (
    <>
      <h3>{title}</h3>
      <DataTable label={title} columns={columns} rows={rows} keyOf={keyOf} empty={operator.none} />
    </>
  );
}

export function OperatorStatus() {
  const { value, problem, reload } = useResource<StatusReply>({
    key: 'status',
    load: (signal) => api.getStatus({}, { signal }),
    refreshMs: REFRESH_MS,
  });
  // Nothing before there is something: what is above it may still grow.
  if (value === null) {
    return problem === null ? null : <ProblemNote problem={problem} onRetry={reload} />;
  }
  const endpoints = value.chains.flatMap(({ slug, endpoints: each }) =>
    each.map((endpoint) => ({ ...endpoint, chain: slug })),
  );
  return (
    <section class="operator">
      <h2>{operator.title}</h2>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      <ServiceFigures status={value} />
      <TitledTable
        title={operator.nodes}
        columns={NODE_COLUMNS}
        rows={value.nodes}
        keyOf={({ id }) => id}
      />
      <TitledTable
        title={operator.chains}
        columns={CHAIN_COLUMNS}
        rows={value.chains}
        keyOf={({ slug }) => slug}
      />
      <TitledTable
        title={operator.endpoints}
        columns={ENDPOINT_COLUMNS}
        rows={endpoints}
        keyOf={({ chain, name }) => `${chain} ${name}`}
      />
      <TitledTable
        title={operator.backfills}
        columns={BACKFILL_COLUMNS}
        rows={value.backfills}
        keyOf={({ chain }) => chain}
      />
    </section>
  );
}
