// API keys and sessions of the signed-in wallet.

import { useState } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { IssuedKeyReply, KeyRow, KeysReply, MeReply } from '../../api/contract-types.ts';
import { type ShownProblem, toProblem } from '../../api/shown-problem.ts';
import { useResource } from '../../api/use-resource.ts';
import { currentLocation, setQuery } from '../../current-location.ts';
import { formatCount } from '../../format/format-amount.ts';
import { AgeText } from '../../parts/age-text.tsx';
import { ChoiceGroup } from '../../parts/choice-fields.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { ModalDialog } from '../../parts/modal-dialog.tsx';
import { NoAccount } from '../../parts/no-account.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { me, readAccount } from '../../state/account.ts';
import { texts } from '../../texts.ts';
import { IssueKeyForm } from './issue-key-form.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { SessionList } from './session-list.tsx';
import { UsageTab } from './usage-tab.tsx';

const KEYS_READ = 100;
const KEYS_TABS = ['keys', 'usage', 'sessions'] as const;

interface RevokeDialogProps {
  readonly row: KeyRow;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

function RevokeDialog({ row, onClose, onRevoked }: RevokeDialogProps) {
  const [problem, setProblem] = useState<ShownProblem | null>(null);
  const revoke = () =>
    api.revokeKey({ id: row.id }).then(onRevoked, (error) => setProblem(toProblem(error)));
  return (
    <ModalDialog label={texts.keys.revoke} onClose={onClose}>
      <p>{texts.keys.confirm(row.name)}</p>
      {problem !== null && <ProblemNote problem={problem} />}
      <div class="actions">
        <button type="button" class="danger" onClick={revoke}>
          {texts.keys.revoke}
        </button>
        <button type="button" onClick={onClose}>
          {texts.keys.keep}
        </button>
      </div>
    </ModalDialog>
  );
}

/** Its own limits; without any it has all that the wallet has. */
function KeyLimits({ row }: { row: KeyRow }) {
  const { allowedIps, perMinute, expiresAt } = row;
  const { ofMinute, fromAnywhere, until } = texts.keys;
  const networks = allowedIps.join(', ');
  return (
    <span class="two-lines">
      <span>{perMinute === null ? texts.keys.wholeBudget : ofMinute(formatCount(perMinute))}</span>
      <span class="line soft small" title={networks}>
        {networks === '' ? fromAnywhere : networks}
        {expiresAt !== null && ` ${until(new Date(expiresAt).toLocaleDateString(texts.locale))}`}
      </span>
    </span>
  );
}

function buildKeyColumns(onRevoke: (row: KeyRow) => void): TableColumn<KeyRow>[] {
  const { columns, status, ofNever, revoke, scopeNames } = texts.keys;
  return [
    {
      text: columns.name,
      className: 'line',
      cell: (row) => <span title={row.name}>{row.name}</span>,
    },
    { text: columns.key, className: 'mono wide', cell: (row) => `${row.prefix}…${row.last4}` },
    { text: columns.status, cell: (row) => status[row.status] },
    {
      text: columns.created,
      className: 'wide',
      cell: (row) => <AgeText timeMs={row.createdAt} />,
    },
    {
      text: columns.used,
      className: 'wide',
      cell: (row) => (row.lastUsedAt === null ? ofNever : <AgeText timeMs={row.lastUsedAt} />),
    },
    {
      text: columns.scopes,
      className: 'wider',
      cell: (row) => row.scopes.map((scope) => scopeNames[scope]).join(', '),
    },
    {
      text: columns.limits,
      className: 'wider',
      cell: (row) => <KeyLimits row={row} />,
    },
    { text: columns.requests, className: 'number', cell: (row) => formatCount(row.requests24h) },
    {
      text: revoke,
      className: 'number',
      cell: (row) =>
        row.status === 'active' && (
          <button type="button" class="quiet" onClick={() => onRevoke(row)}>
            {revoke}
          </button>
        ),
    },
  ];
}

function SignedIn({ account }: { account: MeReply }) {
  const { query } = currentLocation.value;
  const tab = KEYS_TABS.find((each) => each === query.get('tab')) ?? 'keys';
  const list = useResource<KeysReply>({
    key: account.wallet.id,
    load: (signal) => api.getKeys({ limit: KEYS_READ }, { signal }),
  });
  const [issued, setIssued] = useState<IssuedKeyReply | null>(null);
  const [revoked, setRevoked] = useState<KeyRow | null>(null);
  const refresh = () => {
    list.reload();
    void readAccount().catch(() => undefined);
  };
  return (
    <>
      <p class="soft">
        {texts.keys.active(account.keys.active, account.keys.limit)} · {texts.keys.usage}:{' '}
        {formatCount(account.usage.requests24h)} · {texts.keys.perMinute}:{' '}
        {formatCount(account.entitlements.budget.perMinute)}
      </p>
      <ChoiceGroup
        label={texts.keys.tabsLabel}
        choices={KEYS_TABS.map((value) => ({ value, text: texts.keys.tabs[value] }))}
        chosen={tab}
        onChoose={(next) => setQuery({ tab: next === 'keys' ? null : next })}
      />
      {tab === 'sessions' && <SessionList />}
      {tab === 'usage' && <UsageTab keys={list.value?.keys ?? []} />}
      {tab === 'keys' && (
        <>
          <IssueKeyForm
            budgetPerMinute={account.entitlements.budget.perMinute}
            onIssued={(key) => {
              setIssued(key);
              refresh();
            }}
          />
          {list.problem !== null && <ProblemNote problem={list.problem} onRetry={list.reload} />}
          {list.problem?.status === 0 ? (
            <p class="soft">{texts.keys.unknown}</p>
          ) : (
            <DataTable
              label={texts.keys.title}
              columns={buildKeyColumns(setRevoked)}
              rows={list.value?.keys ?? null}
              keyOf={({ id }) => id}
              empty={texts.keys.empty}
              skeletonRows={3}
              rowClass={(row) => (row.status === 'active' ? '' : 'soft')}
            />
          )}
        </>
      )}
      {issued?.key !== undefined && (
        <SecretDialog secret={issued.key} onClose={() => setIssued(null)} />
      )}
      {revoked !== null && (
        <RevokeDialog
          row={revoked}
          onClose={() => setRevoked(null)}
          onRevoked={() => {
            setRevoked(null);
            refresh();
          }}
        />
      )}
    </>
  );
}

export function KeysPage() {
  const account = me.value;
  return (
    <div class="page">
      <h1>{texts.keys.title}</h1>
      {account === null ? <NoAccount {...texts.keys} /> : <SignedIn account={account} />}
    </div>
  );
}
