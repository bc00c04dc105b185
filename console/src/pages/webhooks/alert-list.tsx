// The wallet's alerts with their last firing, and the way to delete one. Each also goes to the
// webhook that it names.

import { useState } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { AlertRow, AlertsReply } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { currentLocation, setQuery } from '../../current-location.ts';
import { shortenAddress } from '../../format/shorten-address.ts';
import { lateTexts } from '../../late-texts.ts';
import { AgeText } from '../../parts/age-text.tsx';
import { ChainName } from '../../parts/chain-icon.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { buildTokenHref } from '../../routes.ts';
import { describeFired, describeWhen } from './alert-condition.ts';
import { AskDialog } from './webhook-dialogs.tsx';

const REFRESH_MS = 5000;
const ALERTS_READ = 100;

const { alerts: words } = lateTexts.webhooks;

/** The mint or the whole chain, on which chain. */
function AlertToken({ row: { chain, mint } }: { row: AlertRow }) {
  return (
    <span class="two-lines">
      {mint === null ? (
        <span>{words.chain}</span>
      ) : (
        <a class="mono own-page" href={buildTokenHref({ chain, mint })} title={mint}>
          {shortenAddress(mint)}
        </a>
      )}
      <span class="soft small">
        <ChainName chain={chain} />
      </span>
    </span>
  );
}

function LastFiring({ row }: { row: AlertRow }) {
  if (row.lastFiredAt === null) return <>{words.never}</>;
  return (
    <span class="two-lines">
      <AgeText timeMs={row.lastFiredAt} />
      {row.lastValue !== null && (
        <span class="soft small" title={row.lastValue}>
          {words.at(describeFired(row.when, row.lastValue))}
        </span>
      )}
    </span>
  );
}

function AlertCondition({ row }: { row: AlertRow }) {
  const notes = [
    words.states[row.status],
    ...(row.once && row.status !== 'done' ? [words.once] : []),
  ];
  return (
    <span class="two-lines">
      <span>{describeWhen(row.when)}</span>
      <span class="soft small">
        {notes.join(', ')}
        {row.webhookId !== null && (
          <>
            {' · '}
            <a href={`/webhooks?id=${encodeURIComponent(row.webhookId)}`}>{words.toWebhook}</a>
          </>
        )}
      </span>
    </span>
  );
}

function buildColumns(isOfToken: boolean, onRemove: (row: AlertRow) => void) {
  const all: readonly (TableColumn<AlertRow> | null)[] = [
    isOfToken ? null : { text: words.columns.token, cell: (row) => <AlertToken row={row} /> },
    { text: words.columns.condition, cell: (row) => <AlertCondition row={row} /> },
    { text: words.columns.fired, cell: (row) => <LastFiring row={row} /> },
    { text: words.columns.count, className: 'number wide', cell: (row) => row.firings },
    {
      text: words.remove,
      className: 'number',
      cell: (row) => (
        <button type="button" class="quiet" onClick={() => onRemove(row)}>
          {words.remove}
        </button>
      ),
    },
  ];
  return all.filter((column) => column !== null);
}

interface AlertListProps {
  /** Only its alerts; null for all. */
  readonly token: { readonly chain: string; readonly mint: string } | null;
  /** Another value reads the list at once. */
  readonly round?: number;
}

export function AlertList({ token, round = 0 }: AlertListProps) {
  const [removed, setRemoved] = useState<AlertRow | null>(null);
  const cursor = token === null ? currentLocation.value.query.get('before') : null;
  const { value, problem, reload } = useResource<AlertsReply>({
    key: `${cursor} ${round}`,
    load: (signal) =>
      api.getAlerts({ limit: ALERTS_READ, cursor: cursor ?? undefined }, { signal }),
    refreshMs: REFRESH_MS,
  });
  const rows = value?.alerts.filter(
    ({ chain, mint }) => token === null || (chain === token.chain && mint === token.mint),
  );
  const next = token === null ? (value?.nextCursor ?? null) : null;
  return (
    <>
      {token === null && (
        <p class="soft">
          {value !== null && `${words.used(value.active, value.limit)} · `}
          {words.hint}
        </p>
      )}
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      <DataTable
        label={lateTexts.webhooks.tabs.alerts}
        columns={buildColumns(token !== null, setRemoved)}
        rows={rows ?? null}
        keyOf={({ alertId }) => alertId}
        empty={words.empty}
        skeletonRows={token === null ? 3 : 1}
        rowClass={(row) => (row.status === 'done' ? 'soft' : '')}
      />
      {(cursor !== null || next !== null) && (
        <div class="bar">
          {cursor !== null && (
            <button type="button" onClick={() => setQuery({ before: null })}>
              {words.newest}
            </button>
          )}
          {next !== null && (
            <button type="button" onClick={() => setQuery({ before: next })}>
              {words.older}
            </button>
          )}
        </div>
      )}
      {removed !== null && (
        <AskDialog
          title={words.removeTitle}
          submit={words.remove}
          isDanger
          onClose={() => setRemoved(null)}
          onSubmit={async () => {
            await api.deleteAlert({ id: removed.alertId });
            setRemoved(null);
            reload();
          }}
        >
          <p>{words.removing(describeWhen(removed.when))}</p>
        </AskDialog>
      )}
    </>
  );
}
