// Normalises text for search: one case, one Unicode form, single spaces, nothing invisible.

import { cleanText } from '../../lib/clean-text.ts';

/** Plain ASCII words, which only need lower case. */
const PLAIN = /^[!-~]+( [!-~]+)*$/;

/** Empty if nothing visible is left. */
export function foldText(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return cleanText(text.normalize('NFKC').toLowerCase()) ?? '';
}
