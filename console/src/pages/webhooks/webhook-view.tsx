// One webhook: how it is doing, what can be done with it, its settings and its deliveries.

import { useState } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { DeliveriesReply, WebhookRow } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { nowMs } from '../../clock-tick.ts';
import { currentLocation, navigate, setQuery } from '../../current-location.ts';
import { formatDuration } from '../../format/format-age.ts';
import { formatCount } from '../../format/format-amount.ts';
import { shortenAddress } from '../../format/shorten-address.ts';
import { lateTexts } from '../../late-texts.ts';
import { AgeText } from '../../parts/age-text.tsx';
import { SelectField } from '../../parts/choice-fields.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { buildTokenHref } from '../../routes.ts';
import { findChain } from '../../state/chains.ts';
import { useAction } from './use-action.ts';
import { RemoveDialog, ReplayDialog, RotateDialog } from './webhook-dialogs.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

const REFRESH_MS = 5000;
const DELIVERIES_READ = 25;
const TOKENS_SHOWN_MAX = 20;
const FILTERS = ['all', 'delivered', 'failed'] as const;

type Delivery = DeliveriesReply['deliveries'][number];

/** Why it does not deliver, and what comes next. */
function WebhookState({ webhook }: { webhook: WebhookRow }) {
  const { status, disabledReason, failingSince, lastError, nextAttemptAt, isReplaying } = webhook;
  if (status === 'disabled') {
    return (
      <div class="note danger" role="alert">
        <p>{lateTexts.webhooks.disabled(disabledReason ?? '')}</p>
        <p class="soft">{lateTexts.webhooks.disabledHint}</p>
      </div>
    );
  }
  if (status === 'paused') return <p class="note">{lateTexts.webhooks.paused}</p>;
  if (failingSince !== null) {
    const age = formatDuration(nowMs.value - failingSince);
    const waitMs = Math.max(0, (nextAttemptAt ?? 0) - nowMs.value);
    return (
      <div class="note danger">
        <p>{lateTexts.webhooks.failing(age, lastError ?? '')}</p>
        {nextAttemptAt !== null && (
          <p class="soft">{lateTexts.webhooks.nextAttempt(formatDuration(waitMs))}</p>
        )}
      </div>
    );
  }
  return isReplaying ? <p class="note">{lateTexts.webhooks.replaying}</p> : null;
}

function CopiedText({ text }: { text: string }) {
  return (
    <>
      <span class="mono" title={text}>
        {shortenAddress(text)}
      </span>
      <CopyButton text={text} />
    </>
  );
}

function WebhookFacts({ webhook }: { webhook: WebhookRow }) {
  const { facts, form, events } = lateTexts.webhooks;
  const { tokens, chains, wallets, bothSecretsUntil, cursor } = webhook;
  const isBoth = bothSecretsUntil !== null && bothSecretsUntil > nowMs.value;
  return (
    <dl class="quote facts">
      <dt>{facts.events}</dt>
      <dd>{webhook.events.map((name) => events[name]).join(', ')}</dd>
      {tokens.length > 0 && (
        <>
          <dt>{facts.tokens}</dt>
          <dd>
            {tokens.slice(0, TOKENS_SHOWN_MAX).map((token) => (
              <a
                key={`${token.chain}${token.mint}`}
                class="mono link"
                href={buildTokenHref(token)}
                title={token.mint}
              >
                {shortenAddress(token.mint)}
              </a>
            ))}
            {tokens.length > TOKENS_SHOWN_MAX && ` +${tokens.length - TOKENS_SHOWN_MAX}`}
          </dd>
        </>
      )}
      {chains.length > 0 && (
        <>
          <dt>{facts.chains}</dt>
          <dd>{chains.map((slug) => findChain(slug)?.name ?? slug).join(', ')}</dd>
        </>
      )}
      {wallets.length > 0 && (
        <>
          <dt>{facts.wallets}</dt>
          <dd>{wallets.map(shortenAddress).join(', ')}</dd>
        </>
      )}
      <dt>{facts.finality}</dt>
      <dd>{form.finalities[webhook.finality]}</dd>
      <dt>{facts.delivered}</dt>
      <dd>
        {webhook.lastDeliveryAt === null ? (
          facts.never
        ) : (
          <AgeText timeMs={webhook.lastDeliveryAt} />
        )}
      </dd>
      {isBoth && (
        <>
          <dt>{facts.both}</dt>
          <dd>{facts.bothFor(formatDuration(bothSecretsUntil - nowMs.value))}</dd>
        </>
      )}
      <dt>{facts.publicKey}</dt>
      <dd>
        <CopiedText text={webhook.publicKey} />
      </dd>
      {cursor !== null && (
        <>
          <dt>{facts.cursor}</dt>
          <dd>
            <CopiedText text={cursor} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** What the receiver said to a test; its answer is a stranger's text. */
function TestResult({ delivery }: { delivery: Delivery }) {
  const { taken, refused, answered } = lateTexts.webhooks.test;
  const { status, httpStatus, tookMs, error, answer } = delivery;
  const isTaken = status === 'delivered';
  return (
    <div class={isTaken ? 'note' : 'note danger'} role="status">
      <p>{isTaken ? taken(httpStatus ?? 0, tookMs) : refused(error ?? String(httpStatus))}</p>
      {answer !== null && (
        <p class="break">
          <span class="soft">{answered}</span> <code>{answer}</code>
        </p>
      )}
    </div>
  );
}

const { deliveries: words } = lateTexts.webhooks;

const DELIVERY_COLUMNS: readonly TableColumn<Delivery>[] = [
  { text: words.columns.age, cell: (row) => <AgeText timeMs={row.at} /> },
  {
    text: words.columns.result,
    cell: (row) => (
      <span class={row.status === 'delivered' ? 'up' : 'down'}>
        {words[row.status]} {row.httpStatus}
        {row.isTest && ` (${words.test})`}
      </span>
    ),
  },
  { text: words.columns.events, className: 'number', cell: (row) => formatCount(row.events) },
  { text: words.columns.attempt, className: 'number wide', cell: (row) => row.attempt },
  { text: words.columns.took, className: 'number wide', cell: (row) => `${row.tookMs} ms` },
  {
    text: words.columns.answer,
    className: 'break soft',
    cell: (row) => row.error ?? row.answer ?? '',
  },
];

function DeliveryList({ id, round }: { id: string; round: number }) {
  const { query } = currentLocation.value;
  const filter = FILTERS.find((each) => each === query.get('deliveries')) ?? 'all';
  const before = query.get('before');
  const { value, problem, reload } = useResource<DeliveriesReply>({
    key: JSON.stringify([id, filter, before, round]),
    load: (signal) =>
      api.getWebhookDeliveries(
        {
          ...{ id, limit: DELIVERIES_READ, cursor: before ?? undefined },
          status: filter === 'all' ? undefined : filter,
        },
        { signal },
      ),
    refreshMs: REFRESH_MS,
  });
  const next = value?.nextCursor ?? null;
  return (
    <section>
      <h2>{words.title}</h2>
      <div class="bar">
        <SelectField
          label={words.show}
          value={filter}
          options={FILTERS.map((each) => [each, words.filters[each]])}
          onChange={(each) => setQuery({ deliveries: each === 'all' ? null : each, before: null })}
        />
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      <DataTable
        label={words.title}
        columns={DELIVERY_COLUMNS}
        rows={value?.deliveries ?? null}
        keyOf={({ deliveryId }) => deliveryId}
        empty={words.empty}
        skeletonRows={3}
      />
      <div class="bar">
        {before !== null && (
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
    </section>
  );
}

type DialogKind = 'replay' | 'rotate' | 'remove';

function LoadedWebhook({ webhook, reload }: { webhook: WebhookRow; reload: () => void }) {
  const { webhookId: id, status } = webhook;
  const { actions } = lateTexts.webhooks;
  const [dialog, setDialog] = useState<DialogKind | null>(null);
  const [tested, setTested] = useState<Delivery | null>(null);
  const [rotated, setRotated] = useState<{ secret: string; publicKey: string } | null>(null);
  /** Counts what makes the deliveries others at once. */
  const [round, setRound] = useState(0);
  const { isBusy, problem, run } = useAction();
  const readAgain = () => {
    setRound((count) => count + 1);
    reload();
  };
  const close = () => setDialog(null);
  const test = () =>
    run(async () => {
      setTested(null);
      setTested(await api.testWebhook({ id }));
      readAgain();
    });
  const turn = () =>
    run(async () => {
      await api.updateWebhook({ id, status: status === 'active' ? 'paused' : 'active' });
      readAgain();
    });
  return (
    <>
      <h2 class="break">
        {webhook.url} <span class="soft">{describeState(webhook)}</span>
      </h2>
      <WebhookState webhook={webhook} />
      <fieldset class="bar" aria-label={actions.label}>
        <button type="button" class="primary" disabled={isBusy} onClick={() => void test()}>
          {isBusy ? actions.testing : actions.test}
        </button>
        <button type="button" disabled={isBusy} onClick={() => void turn()}>
          {status === 'active' ? actions.pause : actions.resume}
        </button>
        <button type="button" onClick={() => setDialog('replay')}>
          {actions.replay}
        </button>
        <button type="button" onClick={() => setDialog('rotate')}>
          {actions.rotate}
        </button>
        <button type="button" class="danger" onClick={() => setDialog('remove')}>
          {actions.remove}
        </button>
      </fieldset>
      {problem !== null && <ProblemNote problem={problem} />}
      {tested !== null && <TestResult delivery={tested} />}
      <WebhookFacts webhook={webhook} />
      <DeliveryList id={id} round={round} />
      {dialog === 'replay' && (
        <ReplayDialog
          id={id}
          onClose={close}
          onDone={() => {
            close();
            readAgain();
          }}
        />
      )}
      {dialog === 'rotate' && (
        <RotateDialog
          id={id}
          onClose={close}
          onDone={(next) => {
            close();
            setRotated(next);
            reload();
          }}
        />
      )}
      {dialog === 'remove' && (
        <RemoveDialog webhook={webhook} onClose={close} onDone={() => navigate('/webhooks')} />
      )}
      {rotated !== null && <WebhookSecret {...rotated} onClose={() => setRotated(null)} />}
    </>
  );
}

export function WebhookView({ id }: { id: string }) {
  const { value, problem, reload } = useResource<WebhookRow>({
    key: id,
    load: (signal) => api.getWebhook({ id }, { signal }),
    refreshMs: REFRESH_MS,
  });
  return (
    <>
      <p>
        <a class="own-page" href="/webhooks">
          ← {lateTexts.webhooks.all}
        </a>
      </p>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {value === null && problem === null && <div class="page-space" aria-busy="true" />}
      {value !== null && <LoadedWebhook webhook={value} reload={reload} />}
    </>
  );
}

/** An active one that fails says so. */
export function describeState({ status, failingSince }: WebhookRow): string {
  const isFailing = status === 'active' && failingSince !== null;
  return lateTexts.webhooks.states[isFailing ? 'failing' : status];
}
