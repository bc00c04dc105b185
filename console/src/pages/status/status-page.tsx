// How the service is: for everyone chains, checks and their own limits, for operators the rest.

import { isProblem } from '../../../../sdk/src/mintwire-error.ts';
import { api } from '../../api/api-client.ts';
import type {
  ChainRow,
  ChainsReply,
  EntitlementsReply,
  ReadyReply,
} from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { formatDuration } from '../../format/format-age.ts';
import { formatCount, formatPercent } from '../../format/format-amount.ts';
import { createLazyPart } from '../../lazy-part.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { FigureText } from '../../parts/figure-text.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { entitlements, me } from '../../state/account.ts';
import { texts } from '../../texts.ts';

const OperatorStatus = createLazyPart<Record<string, never>>(
  async () => (await import('./operator-status.tsx')).OperatorStatus,
  null,
);

const REFRESH_MS = 5000;

type Readiness =
  | { readonly kind: 'ready'; readonly checks: ReadyReply['checks'] }
  | { readonly kind: 'notReady'; readonly reason: string };

/** 503 is an answer here, not a problem. */
async function readReadiness(signal: AbortSignal): Promise<Readiness> {
  try {
    const { checks } = await api.getReady({}, { signal, retry: { countMax: 0 } });
    return { kind: 'ready', checks };
  } catch (error) {
    if (!isProblem(error, 'NOT_READY')) throw error;
    return { kind: 'notReady', reason: error.detail };
  }
}

function ChainState({ chain }: { chain: ChainRow }) {
  const { states, progress } = texts.status;
  const { blocksPerSecond, leftMs } = chain.progress ?? {};
  return (
    <span class={`state state-${chain.status}`}>
      <span class="dot" aria-hidden="true" /> {states[chain.status]}
      {chain.progress !== null && ` · ${progress(formatPercent(chain.progress.pct, 1))}`}
      {blocksPerSecond !== undefined &&
        leftMs !== undefined &&
        ` · ${formatCount(blocksPerSecond)}/s · ${formatDuration(leftMs)}`}
      {chain.slowed !== undefined && <span class="soft"> · {chain.slowed}</span>}
    </span>
  );
}

const { columns } = texts.status;

const CHAIN_COLUMNS: readonly TableColumn<ChainRow>[] = [
  { text: columns.chain, cell: (chain) => chain.name },
  { text: columns.status, cell: (chain) => <ChainState chain={chain} /> },
  { text: columns.head, className: 'number', cell: (chain) => formatCount(chain.head) },
  {
    text: columns.finalized,
    className: 'number wide',
    cell: (chain) => formatCount(chain.finalized),
  },
  {
    text: columns.lag,
    className: 'number',
    cell: (chain) => (chain.lagMs === null ? '–' : formatDuration(chain.lagMs)),
  },
  {
    text: columns.scope,
    className: 'wide',
    cell: (chain) => texts.status.scopes[chain.scope],
  },
  {
    text: columns.price,
    className: 'number wide',
    cell: ({ native }) => (
      <>
        {native.symbol} <FigureText value={native.priceUsd} as="price" />
      </>
    ),
  },
];

function ReadinessNote({ readiness }: { readiness: Readiness | null }) {
  if (readiness === null) return null;
  if (readiness.kind === 'notReady') {
    return (
      <div class="note" role="status">
        <p>
          <strong>{texts.status.notReady}</strong> {readiness.reason}
        </p>
      </div>
    );
  }
  return (
    <section>
      <h2>{texts.status.ready}</h2>
      <ul class="checks">
        {readiness.checks.map(({ name, detail }) => (
          <li key={name}>
            <strong>{name}</strong> <span class="soft">{detail}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function LimitTable({ own }: { own: EntitlementsReply }) {
  const { rows, level } = texts.status;
  const { streams, streamTokens, trades, holders, klines } = own.limits;
  const figures = { perMinute: own.budget.perMinute, burst: own.budget.burst };
  const limits = { ...figures, streams, streamTokens, trades, holders, klines };
  return (
    <section>
      <h2>{texts.status.limits}</h2>
      <dl class="stats">
        <div>
          <dt>{rows.level}</dt>
          <dd>{level[own.level]}</dd>
        </div>
        {Object.entries(limits).map(([name, value]) => (
          <div key={name}>
            <dt>{rows[name as keyof typeof limits]}</dt>
            <dd>{formatCount(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function StatusPage() {
  const ready = useResource({ key: 'ready', load: readReadiness, refreshMs: REFRESH_MS });
  const chains = useResource<ChainsReply>({
    key: 'chains',
    load: (signal) => api.getChains({}, { signal }),
    refreshMs: REFRESH_MS,
  });
  const problem = ready.problem ?? chains.problem;
  // What was true before is not shown as if it still were.
  if (problem?.status === 0) {
    return (
      <div class="page">
        <h1>{texts.status.title}</h1>
        <ProblemNote problem={problem} />
        <p class="soft">{texts.status.unknown}</p>
      </div>
    );
  }
  return (
    <div class="page">
      <h1>{texts.status.title}</h1>
      {problem !== null && <ProblemNote problem={problem} />}
      <div class="readiness">
        <ReadinessNote readiness={ready.value} />
      </div>
      <section>
        <h2>{texts.status.chains}</h2>
        <DataTable
          label={texts.status.chains}
          columns={CHAIN_COLUMNS}
          rows={chains.value?.chains ?? null}
          keyOf={({ slug }) => slug}
          empty={texts.status.noChains}
          skeletonRows={2}
        />
      </section>
      <div class="own-limits">
        {entitlements.value !== null && <LimitTable own={entitlements.value} />}
      </div>
      {me.value?.operator === true && <OperatorStatus />}
    </div>
  );
}
