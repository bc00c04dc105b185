// The list of keys.

import { dialogTexts } from '../dialog-texts.ts';
import { ModalDialog } from './modal-dialog.tsx';

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const { title, rows } = dialogTexts.keysHelp;
  return (
    <ModalDialog label={title} onClose={onClose}>
      <h2>{title}</h2>
      <dl class="keys-help">
        {rows.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        {dialogTexts.close}
      </button>
    </ModalDialog>
  );
}
