// The list of keys.

import { texts } from '../texts.ts';
import { ModalDialog } from './modal-dialog.tsx';

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const { title, rows } = texts.keysHelp;
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
        {texts.close}
      </button>
    </ModalDialog>
  );
}
