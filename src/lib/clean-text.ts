// Makes untrusted text from a chain safe to show: names and symbols of tokens.

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
