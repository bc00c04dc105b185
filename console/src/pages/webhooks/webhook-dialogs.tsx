// The dialogs of one webhook: send older events again, rotate its secret, delete it.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { RotatedWebhookReply, WebhookRow } from '../../api/contract-types.ts';
import { lateTexts } from '../../late-texts.ts';
import { ModalDialog } from '../../parts/modal-dialog.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { LabelledInput } from './labelled-fields.tsx';
import { useAction } from './use-action.ts';

interface AskDialogProps {
  readonly title: string;
  readonly submit: string;
  readonly isDanger?: boolean;
  readonly isReady?: boolean;
  /** Fails with what the server says. */
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Does something after it was confirmed, and says what went wrong. */
export function AskDialog({ title, submit, onSubmit, onClose, children, ...rest }: AskDialogProps) {
  const { isBusy, problem, run } = useAction();
  return (
    <ModalDialog label={title} onClose={onClose}>
      <h2>{title}</h2>
      <form
        class="stacked"
        onSubmit={(event) => {
          event.preventDefault();
          void run(onSubmit);
        }}
      >
        {children}
        {problem !== null && <ProblemNote problem={problem} />}
        <div class="actions">
          <button
            type="submit"
            class={rest.isDanger === true ? 'danger' : 'primary'}
            disabled={isBusy || rest.isReady === false}
          >
            {submit}
          </button>
          <button type="button" onClick={onClose}>
            {lateTexts.webhooks.form.cancel}
          </button>
        </div>
      </form>
    </ModalDialog>
  );
}

interface WebhookDialogProps<Result> {
  readonly id: string;
  readonly onClose: () => void;
  readonly onDone: (result: Result) => void;
}

export function ReplayDialog({ id, onClose, onDone }: WebhookDialogProps<WebhookRow>) {
  const { title, note, time, event, eventExample, submit } = lateTexts.webhooks.replay;
  const [fromTime, setFromTime] = useState('');
  const [fromEventId, setFromEventId] = useState('');
  const from = () =>
    fromTime === ''
      ? { fromEventId: fromEventId.trim() }
      : { fromTime: new Date(fromTime).getTime() };
  return (
    <AskDialog
      {...{ title, submit, onClose }}
      // One of them, and not both.
      isReady={(fromTime === '') !== (fromEventId.trim() === '')}
      onSubmit={async () => onDone(await api.replayWebhook({ id, ...from() }))}
    >
      <p class="soft">{note}</p>
      <label>
        <span class="soft small">{time}</span>
        <input
          type="datetime-local"
          value={fromTime}
          onInput={(change) => setFromTime(change.currentTarget.value)}
        />
      </label>
      <LabelledInput
        {...{ label: event, value: fromEventId, onInput: setFromEventId }}
        placeholder={eventExample}
      />
    </AskDialog>
  );
}

export function RotateDialog({ id, onClose, onDone }: WebhookDialogProps<RotatedWebhookReply>) {
  const { title, note, submit } = lateTexts.webhooks.rotate;
  return (
    <AskDialog
      {...{ title, submit, onClose }}
      onSubmit={async () => onDone(await api.rotateWebhook({ id }))}
    >
      <p>{note}</p>
    </AskDialog>
  );
}

interface RemoveDialogProps {
  readonly webhook: WebhookRow;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function RemoveDialog({ webhook, onClose, onDone }: RemoveDialogProps) {
  const { title, note, submit } = lateTexts.webhooks.remove;
  const remove = async () => {
    await api.deleteWebhook({ id: webhook.webhookId });
    onDone();
  };
  return (
    <AskDialog {...{ title, submit, onClose }} onSubmit={remove} isDanger>
      <p>{note(webhook.url)}</p>
    </AskDialog>
  );
}
