// A search text, parsed once: its words, other names of the same coins, and the part of an address
// that it may be.

import { computeLetterMask, pickEditsAllowed } from './edit-distance.ts';
import { foldText } from './fold-text.ts';
import { joinWords, listRuns, splitAtSpaces, splitWords } from './words.ts';

/** The beginning of an address, and its end if the text is a shortened address. */
export interface AddressPart {
  readonly start: string;
  readonly end: string;
}

/** A normalised query, ready for comparison. */
export interface SearchQuery {
  readonly text: string;
  readonly points: readonly number[];
  readonly letterMask: number;
  readonly edits: number;
  /** A single word is compared with each word of a name, several words with the whole name. */
  readonly isWord: boolean;
  /** Without spaces and punctuation. */
  readonly joined: string;
  /** Separated by spaces or punctuation. */
  readonly words: readonly string[];
  /** Separated by spaces only. */
  readonly spaced: readonly string[];
  /** Runs of neighbouring words, joined; empty for a single word. */
  readonly runs: ReadonlySet<string>;
  /** The same text with other names of the coins in it. */
  readonly aliases: readonly SearchAlias[];
  readonly address: AddressPart | null;
}

interface SearchAlias {
  readonly joined: string;
  readonly words: readonly string[];
}

/** Names of one coin. Contracts use some of them, people others. */
const COIN_NAMES: readonly (readonly string[])[] = [
  ['btc', 'bitcoin'],
  ['eth', 'ether', 'ethereum'],
  ['sol', 'solana'],
  ['bnb', 'binance'],
  ['pol', 'matic', 'polygon'],
  ['avax', 'avalanche'],
  ['doge', 'dogecoin'],
  ['xrp', 'ripple'],
  ['ada', 'cardano'],
  ['dot', 'polkadot'],
  ['ltc', 'litecoin'],
  ['usdt', 'tether'],
];

const NAMES_OF_COIN = new Map(
  COIN_NAMES.flatMap((names) =>
    names.map((name) => [name, names.filter((other) => other !== name)] as const),
  ),
);

const ALIASES_MAX = 4;

function listAliases(spaced: readonly string[]): readonly SearchAlias[] {
  const texts = spaced.flatMap((word, index) =>
    (NAMES_OF_COIN.get(word) ?? []).map((other) => spaced.with(index, other).join(' ')),
  );
  return texts
    .slice(0, ALIASES_MAX)
    .map((text) => ({ joined: joinWords(text), words: splitWords(text) }));
}

/** From four digits on, and with the end after dots: `0xa0b8…eb48`. */
const EVM_PART = /^(0x[0-9a-f]{4,39})(?:(?:…|\.{2,})([0-9a-f]{2,39}))?$/i;
/** Texts like these are words more often, so they must be long and mixed, or shortened. */
const BASE58_START = /^(?=.*[1-9])(?=.*[a-z])(?=.*[A-Z])[1-9A-HJ-NP-Za-km-z]{8,43}$/;
const BASE58_SHORTENED = /^([1-9A-HJ-NP-Za-km-z]{4,40})(?:…|\.{2,})([1-9A-HJ-NP-Za-km-z]{4,40})$/;

function parseAddressPart(typed: string): AddressPart | null {
  const hex = EVM_PART.exec(typed.toLowerCase());
  if (hex !== null) return { start: hex[1] ?? '', end: hex[2] ?? '' };
  const shortened = BASE58_SHORTENED.exec(typed);
  if (shortened !== null) return { start: shortened[1] ?? '', end: shortened[2] ?? '' };
  return BASE58_START.test(typed) ? { start: typed, end: '' } : null;
}

export function toPoints(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

/** Null if nothing visible is in it. */
export function parseSearchQuery(typed: string): SearchQuery | null {
  const text = foldText(typed);
  if (text === '') return null;
  const points = toPoints(text);
  const spaced = splitAtSpaces(text);
  return {
    text,
    points,
    letterMask: computeLetterMask(points),
    edits: pickEditsAllowed(points.length),
    isWord: spaced.length === 1,
    joined: joinWords(text),
    words: splitWords(text),
    spaced,
    runs: spaced.length === 1 ? new Set() : new Set(listRuns(spaced)),
    aliases: listAliases(spaced),
    address: parseAddressPart(typed.trim()),
  };
}
