// Nearly valid texts: one step away from a real one.

import type { Dice } from './dice.ts';
import { HOSTILE_TEXTS } from './hostile-values.ts';

type Mutation = (text: string, dice: Dice) => string;

function replaceAt(text: string, index: number, replacement: string): string {
  return `${text.slice(0, index)}${replacement}${text.slice(index + 1)}`;
}

/** Careless decoders of base64url and base58 ignore what follows. */
const TAILS = ['=', '==', '.', 'A', '0', ' ', '\0', '\n', '/', '%00', '\u200b', '-'];

const MUTATIONS: readonly Mutation[] = [
  (text, dice) => text.slice(0, dice.below(text.length + 1)),
  (text, dice) => text.slice(dice.below(text.length + 1)),
  (text, dice) => replaceAt(text, dice.below(text.length), dice.pick(TAILS)),
  (text, dice) => {
    const index = dice.below(text.length);
    const code = text.charCodeAt(index) || 65;
    return replaceAt(text, index, String.fromCharCode(code ^ (1 << dice.below(7))));
  },
  (text, dice) => `${text}${dice.pick(TAILS)}`,
  (text, dice) => `${dice.pick(TAILS)}${text}`,
  (text) => `${text}${text}`,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => [...text].reverse().join(''),
  (text) => text.replace(/\d/g, '9'),
  (text) => encodeURIComponent(text.toWellFormed()),
  (text, dice) => `${text}${dice.pick(HOSTILE_TEXTS)}`,
  (text) => text.replace(/^0x/, ''),
  (text) => ` ${text} `,
];

export function mutateText(text: string, dice: Dice): string {
  return dice.pick(MUTATIONS)(text, dice);
}
