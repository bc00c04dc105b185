// Creates a webhook: where events are sent, which, of what, and when.

import { useState } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { CreatedWebhookReply, WebhookRow } from '../../api/contract-types.ts';
import { lateTexts } from '../../late-texts.ts';
import { CheckField } from '../../parts/choice-fields.tsx';
import { ModalDialog } from '../../parts/modal-dialog.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { chains } from '../../state/chains.ts';
import { LabelledInput, LabelledSelect } from './labelled-fields.tsx';
import { useAction } from './use-action.ts';

type EventName = WebhookRow['events'][number];

const OF_TOKENS = ['trade', 'price', 'holders'] as const satisfies readonly EventName[];
const OF_CHAINS = ['pool', 'launch', 'graduation'] as const satisfies readonly EventName[];
const EVENTS = [...OF_TOKENS, ...OF_CHAINS, 'alert', 'reverted'] as const;

const URL_MAX = 2048;
const LIST_MAX = 20_000;

const splitList = (text: string) => text.split(/[\s,]+/).filter((part) => part !== '');

interface WebhookFormProps {
  readonly onCreated: (webhook: CreatedWebhookReply) => void;
  readonly onClose: () => void;
}

export function WebhookForm({ onCreated, onClose }: WebhookFormProps) {
  const { form, events: names } = lateTexts.webhooks;
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly EventName[]>(['trade', 'reverted']);
  const [chain, setChain] = useState(chains.value[0]?.slug ?? '');
  const [tokens, setTokens] = useState('');
  const [wallets, setWallets] = useState('');
  const [finality, setFinality] = useState<WebhookRow['finality']>('head');
  const { isBusy, problem, run } = useAction();
  const has = (some: readonly EventName[]) => some.some((each) => events.includes(each));
  const submit = (event: Event) => {
    event.preventDefault();
    const mints = has(OF_TOKENS) ? splitList(tokens) : [];
    const own = has(['trade']) ? splitList(wallets) : [];
    void run(async () =>
      onCreated(
        await api.createWebhook({
          ...{ url: url.trim(), events, finality },
          ...(mints.length > 0 && { tokens: mints.map((mint) => ({ chain, mint })) }),
          ...(own.length > 0 && { wallets: own }),
          ...(has(OF_CHAINS) && { chains: [chain] }),
        }),
      ),
    );
  };
  return (
    <ModalDialog label={form.open} onClose={onClose} isFirm>
      <h2>{form.open}</h2>
      <form class="stacked" onSubmit={submit}>
        <LabelledInput
          {...{ label: form.url, value: url, placeholder: form.urlExample, onInput: setUrl }}
          maxLength={URL_MAX}
          inputMode="url"
          required
        />
        <fieldset class="scopes" aria-label={form.events}>
          {EVENTS.map((name) => (
            <CheckField
              key={name}
              label={names[name]}
              isOn={events.includes(name)}
              onChange={(isOn) =>
                setEvents(EVENTS.filter((each) => (each === name ? isOn : events.includes(each))))
              }
            />
          ))}
        </fieldset>
        {has([...OF_TOKENS, ...OF_CHAINS]) && (
          <LabelledSelect
            {...{ label: form.chain, value: chain, onChange: setChain }}
            options={chains.value.map(({ slug, name }) => [slug, name] as const)}
          />
        )}
        {has(OF_TOKENS) && (
          <LabelledInput
            {...{ label: form.tokens, value: tokens, onInput: setTokens }}
            placeholder={form.tokensExample}
            maxLength={LIST_MAX}
            required
          />
        )}
        {has(['trade']) && (
          <LabelledInput
            {...{ label: form.wallets, value: wallets, onInput: setWallets }}
            placeholder={form.walletsExample}
            maxLength={LIST_MAX}
          />
        )}
        <LabelledSelect
          {...{ label: form.finality, value: finality, onChange: setFinality }}
          options={(['head', 'final'] as const).map((each) => [each, form.finalities[each]])}
        />
        {problem !== null && <ProblemNote problem={problem} />}
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy || events.length === 0}>
            {form.submit}
          </button>
          <button type="button" onClick={onClose}>
            {form.cancel}
          </button>
        </div>
      </form>
    </ModalDialog>
  );
}
