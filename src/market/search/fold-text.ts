// Text as search compares it: one case, one form, plain spaces, nothing invisible.

import { cleanText } from '../../lib/clean-text.ts';

/** Plain words, which need no more than their case changed. */
const PLAIN = /^[!-~]+( [!-~]+)*$/;

/** Empty where nothing visible is left. */
export function foldText(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return cleanText(text.normalize('NFKC').toLowerCase()) ?? '';
}
