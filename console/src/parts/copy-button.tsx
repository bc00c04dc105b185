// Copies a text and says that it did.

import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';

const SHOWN_MS = 1500;

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <button type="button" class="quiet copy" onClick={copy} title={label ?? texts.copy.copy}>
      {isCopied ? (
        <span aria-hidden="true">✓</span>
      ) : (
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M5 5V2h9v9h-3M2 5h9v9H2z" />
        </svg>
      )}
      <span class="hidden" aria-live="polite">
        {isCopied ? texts.copy.copied : (label ?? texts.copy.copy)}
      </span>
    </button>
  );
}
