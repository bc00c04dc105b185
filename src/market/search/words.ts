// The words of folded texts.

/** Without anything to separate, as most words are. */
const PLAIN = /^[a-z0-9]*$/;
const SEPARATORS = /[\s!-/:-@[-`{-~–—·•]+/u;

export function splitAtSpaces(text: string): readonly string[] {
  return text.split(' ');
}

/** Separated by spaces or punctuation; the text itself if it is nothing else. */
export function splitWords(text: string): readonly string[] {
  if (PLAIN.test(text)) return [text];
  const words = text.split(SEPARATORS).filter((word) => word !== '');
  return words.length === 0 ? [text] : words;
}

const ALL_SEPARATORS = new RegExp(SEPARATORS, 'gu');

/** Without spaces and punctuation, if anything is left: `USD Coin` equals `USDCoin`. */
export function joinWords(text: string): string {
  if (PLAIN.test(text)) return text;
  const joined = text.replace(ALL_SEPARATORS, '');
  return joined === '' ? text : joined;
}

/** The words that a token is found by; those of a name with and without their punctuation. */
export function listTokenWords(symbol: string, name: string): Set<string> {
  const words = new Set([
    symbol,
    ...splitWords(symbol),
    ...splitAtSpaces(name),
    ...splitWords(name),
  ]);
  words.delete('');
  return words;
}

const RUN_WORDS_MAX = 8;

/** Every run of neighbouring words, single words included, of the first few; each joined. */
export function listRuns(words: readonly string[]): string[] {
  const first = words.slice(0, RUN_WORDS_MAX);
  return first.flatMap((_, from) =>
    first
      .slice(from)
      .map((_word, length) => joinWords(first.slice(from, from + length + 1).join(' '))),
  );
}
