// “Tell me when …”: creates an alert of a token, and lists those that the wallet has of it.

import { useState } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { WebhooksReply } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { lateTexts } from '../../late-texts.ts';
import { SignInButton } from '../../parts/account-menu.tsx';
import { ModalDialog } from '../../parts/modal-dialog.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { me } from '../../state/account.ts';
import { texts } from '../../texts.ts';
import {
  ALERT_WINDOWS,
  type AlertWindow,
  buildWhen,
  CONDITIONS,
  type ConditionName,
} from './alert-condition.ts';
import { AlertList } from './alert-list.tsx';
import { LabelledInput, LabelledSelect } from './labelled-fields.tsx';
import { useAction } from './use-action.ts';

/** As the API has amounts in USD; what else is wrong, the server says. */
const DECIMAL = '\\d{1,20}(\\.\\d{1,18})?';

const { alerts: words } = lateTexts.webhooks;

const REPEATS = {
  once: { once: true },
  always: {},
  hourly: { cooldownSeconds: 3600 },
  daily: { cooldownSeconds: 86_400 },
} as const satisfies Readonly<Record<keyof typeof words.repeats, object>>;

type RepeatName = keyof typeof REPEATS;

const listEntries = <Name extends string>(named: Readonly<Record<Name, string>>) =>
  Object.entries(named) as [Name, string][];

export interface AlertDialogProps {
  readonly token: {
    readonly chain: string;
    readonly mint: string;
    readonly symbol: string | null;
  };
  readonly onClose: () => void;
}

/** Those that may have alerts, by their URLs. */
/** Those to which the server lets an alert of the chain be sent. */
function useAlertWebhooks(chain: string): readonly (readonly [id: string, text: string])[] {
  const { value } = useResource<WebhooksReply>({
    key: 'webhooks',
    load: (signal) => api.getWebhooks({}, { signal }),
  });
  const fitting =
    value?.webhooks.filter(
      ({ events, chains }) => events.includes('alert') && chains.includes(chain),
    ) ?? [];
  return fitting.map(({ webhookId, url }) => [webhookId, url] as const);
}

function AlertForm({ token, onCreated }: Omit<AlertDialogProps, 'onClose'> & CreatedProps) {
  const [name, setName] = useState<ConditionName>('above');
  const [value, setValue] = useState('');
  const [window, setWindow] = useState<AlertWindow>('1h');
  const [repeat, setRepeat] = useState<RepeatName>('once');
  const [floor, setFloor] = useState('');
  const [webhookId, setWebhookId] = useState('');
  const { chain, mint } = token;
  const webhooks = useAlertWebhooks(chain);
  const { isBusy, problem, run } = useAction();
  const condition = CONDITIONS[name];
  const create = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api.createAlert({
        ...{ chain, mint, when: buildWhen({ name, value: value.trim(), window }) },
        ...REPEATS[repeat],
        ...(floor !== '' && { minLiquidityUsd: floor.trim() }),
        ...(webhookId !== '' && { webhookId }),
      });
      setValue('');
      onCreated();
    });
  };
  return (
    <form class="stacked" onSubmit={create}>
      <div class="pair">
        <LabelledSelect
          {...{ label: words.condition, value: name }}
          options={listEntries(words.conditions)}
          onChange={(next) => {
            // 1 per cent is no price.
            if (CONDITIONS[next].value !== condition.value) setValue('');
            setName(next);
          }}
        />
        <LabelledInput
          {...{ label: words.value[condition.value], value, onInput: setValue }}
          {...(condition.value !== 'address' && { inputMode: 'decimal', pattern: DECIMAL })}
          required
        />
        {condition.hasWindow && (
          <LabelledSelect
            {...{ label: words.window, value: window, onChange: setWindow }}
            options={ALERT_WINDOWS.map((each) => [each, each] as const)}
          />
        )}
        <LabelledSelect
          {...{ label: words.again, value: repeat, onChange: setRepeat }}
          options={listEntries(words.repeats)}
        />
        <LabelledInput
          {...{ label: words.floor, value: floor, onInput: setFloor }}
          {...{ placeholder: words.floorExample, pattern: DECIMAL, inputMode: 'decimal' }}
        />
        {webhooks.length > 0 && (
          <LabelledSelect
            {...{ label: words.webhook, value: webhookId, onChange: setWebhookId }}
            options={[['', words.here] as const, ...webhooks]}
          />
        )}
      </div>
      {problem !== null && <ProblemNote problem={problem} />}
      <button type="submit" class="primary" disabled={isBusy}>
        {words.submit}
      </button>
    </form>
  );
}

interface CreatedProps {
  readonly onCreated: () => void;
}

function OwnAlerts({ token }: Pick<AlertDialogProps, 'token'>) {
  const [created, setCreated] = useState(0);
  return (
    <>
      <AlertForm token={token} onCreated={() => setCreated((count) => count + 1)} />
      {created > 0 && (
        <p class="note" role="status">
          {words.created}
        </p>
      )}
      <AlertList token={token} round={created} />
      <p>
        <a class="own-page" href="/webhooks?tab=alerts">
          {words.all}
        </a>
      </p>
    </>
  );
}

export function AlertDialog({ token, onClose }: AlertDialogProps) {
  const title = words.dialog(token.symbol ?? texts.token.unnamed);
  return (
    <ModalDialog label={title} onClose={onClose}>
      <h2>{title}</h2>
      {me.value === null ? (
        <div class="note">
          <p>{words.signedOut}</p>
          <SignInButton className="primary" />
        </div>
      ) : (
        <OwnAlerts token={token} />
      )}
      <div class="actions">
        <button type="button" onClick={onClose}>
          {texts.close}
        </button>
      </div>
    </ModalDialog>
  );
}
