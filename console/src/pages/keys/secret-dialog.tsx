// A new key, shown once: to copy, to try, and to confirm that it is stored.

import { CopyLine } from '../../parts/copy-line.tsx';
import { ModalDialog } from '../../parts/modal-dialog.tsx';
import { texts } from '../../texts.ts';

export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const curl = `curl -s -H 'Authorization: Bearer ${secret}' ${location.origin}/v1/entitlements`;
  return (
    <ModalDialog label={texts.keys.secretTitle} onClose={onClose} isFirm>
      <h2>{texts.keys.secretTitle}</h2>
      <p class="warn">{texts.keys.secretNote}</p>
      <CopyLine text={secret} />
      <p class="soft">{texts.keys.secretTry}</p>
      <CopyLine text={curl} />
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          {texts.keys.stored}
        </button>
      </div>
    </ModalDialog>
  );
}
