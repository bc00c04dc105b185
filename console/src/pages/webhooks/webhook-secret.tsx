// The secret of a new or rotated webhook, shown once.

import { lateTexts } from '../../late-texts.ts';
import { CopyLine } from '../../parts/copy-line.tsx';
import { ModalDialog } from '../../parts/modal-dialog.tsx';

interface WebhookSecretProps {
  readonly secret: string;
  readonly publicKey: string;
  readonly onClose: () => void;
}

export function WebhookSecret({ secret, publicKey, onClose }: WebhookSecretProps) {
  const { title, note, key, stored } = lateTexts.webhooks.secret;
  return (
    <ModalDialog label={title} onClose={onClose} isFirm>
      <h2>{title}</h2>
      <p class="warn">{note}</p>
      <CopyLine text={secret} />
      <p class="soft">{key}</p>
      <CopyLine text={publicKey} />
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          {stored}
        </button>
      </div>
    </ModalDialog>
  );
}
