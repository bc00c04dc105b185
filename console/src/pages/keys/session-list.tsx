// The wallet's sessions, and the way out of them.

import { api } from '../../api/api-client.ts';
import type { SessionsReply } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { AgeText } from '../../parts/age-text.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { signOut } from '../../state/account.ts';
import { texts } from '../../texts.ts';

type SessionRow = SessionsReply['sessions'][number];

const { sessionColumns, kinds, thisSession } = texts.keys;

const COLUMNS: readonly TableColumn<SessionRow>[] = [
  { text: sessionColumns.created, cell: (row) => <AgeText timeMs={row.createdAt} /> },
  { text: sessionColumns.used, cell: (row) => <AgeText timeMs={row.lastUsedAt} /> },
  { text: sessionColumns.chain, cell: (row) => row.chain },
  {
    text: sessionColumns.how,
    cell: (row) => `${kinds[row.transport]}${row.current ? ` · ${thisSession}` : ''}`,
  },
];

export function SessionList() {
  const { value, problem, reload } = useResource<SessionsReply>({
    key: 'sessions',
    load: (signal) => api.getSessions({}, { signal }),
  });
  return (
    <section>
      <h2>{texts.keys.sessions}</h2>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      <DataTable
        label={texts.keys.sessions}
        columns={COLUMNS}
        rows={value?.sessions ?? null}
        keyOf={({ id }) => id}
        empty=""
        skeletonRows={1}
      />
      <div class="bar">
        <button type="button" onClick={() => void signOut('everywhere')}>
          {texts.account.signOutAll}
        </button>
      </div>
    </section>
  );
}
