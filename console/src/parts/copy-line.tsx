// A text to copy, whole.

import { CopyButton } from './copy-button.tsx';

export function CopyLine({ text }: { text: string }) {
  return (
    <p class="copy-line">
      <code>{text}</code>
      <CopyButton text={text} />
    </p>
  );
}
