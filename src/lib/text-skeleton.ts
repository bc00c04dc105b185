// What a text looks like, whatever letters it is written with: two texts with one skeleton can be
// mistaken for each other. After the idea of UTS 39; `confusables.json` has the letters that are
// used to imitate Latin ones, `0` and `o`, `1`, `i` and `l`.

import CONFUSABLES from './confusables.json' with { type: 'json' };

const LOOKS_OF = new Map(
  Object.entries(CONFUSABLES).flatMap(([look, letters]) =>
    Array.from(letters, (letter) => [letter, look] as const),
  ),
);

const ACCENTS = /\p{M}/gu;
/** Spaces, punctuation and what cannot be seen. */
const NOT_LETTERS = /[^\p{L}\p{N}]/gu;

function pickLook(letter: string): string {
  return LOOKS_OF.get(letter) ?? letter.toLowerCase();
}

/** Empty if the text has no letter or digit. */
export function computeSkeleton(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(/^\s*\$/, '');
  return Array.from(plain, pickLook)
    .join('')
    .replace(NOT_LETTERS, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}
