// A new key, shown once: to copy, to try, and to confirm that it is stored.

import { CopyButton } from '../../parts/copy-button.tsx';
import { ModalDialog } from '../../parts/modal-dialog.tsx';
import { sideTexts } from '../../side-texts.ts';

function CopyLine({ text }: { text: string }) {
  return (
    <p class="copy-line">
      <code>{text}</code>
      <CopyButton text={text} />
    </p>
  );
}

export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const curl = `curl -s -H 'Authorization: Bearer ${secret}' ${location.origin}/v1/entitlements`;
  return (
    <ModalDialog label={sideTexts.keys.secretTitle} onClose={onClose} isFirm>
      <h2>{sideTexts.keys.secretTitle}</h2>
      <p>{sideTexts.keys.secretNote}</p>
      <CopyLine text={secret} />
      <p class="soft">{sideTexts.keys.secretTry}</p>
      <CopyLine text={curl} />
      <button type="button" class="primary" onClick={onClose}>
        {sideTexts.keys.stored}
      </button>
    </ModalDialog>
  );
}
