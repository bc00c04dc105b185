// Normalises text for search: one case, one Unicode form, single spaces, nothing invisible, and no
// dollar sign in front: `$WIF` is the symbol of a token that people call WIF, and the reverse.

import { cleanText } from './clean-text.ts';

/** Plain ASCII words, which only need lower case. */
const PLAIN = /^[!-~]+( [!-~]+)*$/;

const TICKER_SIGN = /^\$(?=[^\s$])/;

/** Empty if nothing visible is left. */
export function foldText(text: string): string {
  const folded = PLAIN.test(text)
    ? text.toLowerCase()
    : // Tether writes its sign for the letter, as in `USD₮0`.
      (cleanText(text.normalize('NFKC').toLowerCase()) ?? '').replaceAll('₮', 't');
  return folded.replace(TICKER_SIGN, '');
}
