// What the signed-in wallet has: its webhooks, its alerts, or one webhook.

import { useState } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { WebhookRow, WebhooksReply } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { currentLocation, setQuery } from '../../current-location.ts';
import { lateTexts } from '../../late-texts.ts';
import { AgeText } from '../../parts/age-text.tsx';
import { ChoiceGroup } from '../../parts/choice-fields.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { texts } from '../../texts.ts';
import { AlertList } from './alert-list.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { describeState, WebhookView } from './webhook-view.tsx';

const TABS = ['webhooks', 'alerts'] as const;
const REFRESH_MS = 10_000;

const { columns, facts } = lateTexts.webhooks;

const COLUMNS: readonly TableColumn<WebhookRow>[] = [
  {
    text: columns.url,
    className: 'break',
    cell: (row) => (
      <a class="own-page" href={`/webhooks?id=${encodeURIComponent(row.webhookId)}`}>
        {row.url}
      </a>
    ),
  },
  { text: columns.status, cell: describeState },
  {
    text: columns.events,
    className: 'wider',
    cell: (row) => row.events.map((name) => lateTexts.webhooks.events[name]).join(', '),
  },
  { text: columns.tokens, className: 'number wide', cell: (row) => row.tokens.length },
  {
    text: columns.delivered,
    className: 'wide',
    cell: (row) =>
      row.lastDeliveryAt === null ? facts.never : <AgeText timeMs={row.lastDeliveryAt} />,
  },
];

function WebhookList() {
  const [isOpen, setOpen] = useState(false);
  const [created, setCreated] = useState<{ secret: string; publicKey: string } | null>(null);
  const { value, problem, reload } = useResource<WebhooksReply>({
    key: 'webhooks',
    load: (signal) => api.getWebhooks({}, { signal }),
    refreshMs: REFRESH_MS,
  });
  return (
    <>
      <div class="bar">
        <button type="button" class="primary" onClick={() => setOpen(true)}>
          {lateTexts.webhooks.form.open}
        </button>
        {value !== null && (
          <span class="soft">{lateTexts.webhooks.used(value.webhooks.length, value.limit)}</span>
        )}
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {problem?.status === 0 && value === null ? (
        <p class="soft">{texts.webhooks.unknown}</p>
      ) : (
        <DataTable
          label={lateTexts.webhooks.tabs.webhooks}
          columns={COLUMNS}
          rows={value?.webhooks ?? null}
          keyOf={({ webhookId }) => webhookId}
          empty={lateTexts.webhooks.empty}
          skeletonRows={3}
          rowClass={(row) => (row.status === 'active' ? '' : 'soft')}
        />
      )}
      {isOpen && (
        <WebhookForm
          onClose={() => setOpen(false)}
          onCreated={(webhook) => {
            setOpen(false);
            setCreated(webhook);
            reload();
          }}
        />
      )}
      {created !== null && <WebhookSecret {...created} onClose={() => setCreated(null)} />}
    </>
  );
}

export function OwnWebhooks() {
  const { query } = currentLocation.value;
  const id = query.get('id');
  if (id !== null) return <WebhookView key={id} id={id} />;
  const tab = TABS.find((each) => each === query.get('tab')) ?? 'webhooks';
  return (
    <>
      <ChoiceGroup
        label={lateTexts.webhooks.tabsLabel}
        choices={TABS.map((value) => ({ value, text: lateTexts.webhooks.tabs[value] }))}
        chosen={tab}
        onChoose={(next) => setQuery({ tab: next === 'webhooks' ? null : next })}
      />
      {tab === 'webhooks' ? <WebhookList /> : <AlertList token={null} />}
    </>
  );
}
