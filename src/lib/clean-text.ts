// Makes untrusted text from a chain safe to show: names and symbols of tokens.

// Makes a caller's own text safe to repeat in an error: short, without control characters.

const SHOWN_LENGTH_MAX = 64;

export function toShownText(text: string): string {
  const clean = text.replace(/\p{C}/gu, '�');
  return clean.length > SHOWN_LENGTH_MAX ? `${clean.slice(0, SHOWN_LENGTH_MAX)}…` : clean;
}

/** The maximum length, in code points. */
const LENGTH_MAX = 64;

/** Enough to find 64 visible characters; the rest is ignored. */
const INPUT_LENGTH_MAX = 4096;

/**
 * Control, format (direction, zero-width, tags), surrogate, private-use and unassigned characters,
 * invisible variation selectors and fillers, and the replacement character.
 */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\ufffd]/gu;

/** JavaScript counts the zero-width no-break space as whitespace; here it is removed. */
const WHITESPACE = /(?:[^\S\ufeff]|\u2800)+/gu;

/** Accents above three on one letter, which would cover other lines. No script needs more. */
const STACKED_MARKS = /(?<=\p{M}{3})\p{M}+/gu;

const SEGMENTER = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Cuts between graphemes, so that no accent or surrogate pair is split. */
function cut(text: string): string {
  let length = 0;
  let kept = '';
  for (const { segment } of SEGMENTER.segment(text)) {
    length += [...segment].length;
    if (length > LENGTH_MAX) break;
    kept += segment;
  }
  // A single grapheme of stacked marks may exceed the maximum length.
  return kept === '' ? [...text].slice(0, LENGTH_MAX).join('') : kept;
}

/** The displayable part of a text; null if nothing is left. */
export function cleanText(text: string): string | null {
  const visible = text
    .slice(0, INPUT_LENGTH_MAX)
    .replace(WHITESPACE, ' ')
    .replace(INVISIBLE, '')
    .normalize('NFC')
    .replace(STACKED_MARKS, '')
    .replace(WHITESPACE, ' ')
    .trim();
  const short = visible.length <= LENGTH_MAX ? visible : cut(visible).trim();
  return short === '' ? null : short;
}

// Normalises text for search: one case, one Unicode form, single spaces, nothing invisible, and no
// dollar sign in front: `$WIF` is the symbol of a token that people call WIF, and the reverse.

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
