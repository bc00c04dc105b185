// A search text, parsed once: its words, other names of the same coins, and the part of an address
// that it may be.

import { foldText } from '../../lib/clean-text.ts';
import { computeLetterMask, pickEditsAllowed } from './edit-distance.ts';
import KNOWN_NAMES from './known-names.json' with { type: 'json' };
import { joinWords, listRuns, splitAtSpaces, splitWords } from './words.ts';

/** How a token is marked that wraps another. */
export const WRAPPED = { symbol: 'w', name: 'wrapped' } as const;

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
  /** The same text with other names of the coins and tokens in it. */
  readonly aliases: readonly SearchAlias[];
  /** Whether the text is a name of a chain's own coin. */
  readonly isCoin: boolean;
  readonly address: AddressPart | null;
}

interface SearchAlias {
  readonly joined: string;
  readonly words: readonly string[];
}

/** A coin or token that many know, whatever its contracts are called. */
interface KnownNames {
  readonly names: readonly string[];
  /** What people call it, also in other scripts; contracts are not searched for these. */
  readonly called: readonly string[];
  /** Symbols of its versions, which are found by the names, not the reverse. */
  readonly versions: readonly string[];
}

interface OtherNames {
  readonly names: readonly string[];
  /** Whether it is a chain's own coin: elsewhere it is traded as a token that wraps it. */
  readonly isCoin: boolean;
}

function listOtherNames({ names, called, versions }: KnownNames, isCoin: boolean) {
  return [...names, ...called].map((name): readonly [string, OtherNames] => [
    joinWords(foldText(name)),
    { names: [...names.filter((other) => other !== name), ...versions], isCoin },
  ]);
}

const OTHER_NAMES: ReadonlyMap<string, OtherNames> = new Map([
  ...KNOWN_NAMES.coins.flatMap((known) => listOtherNames(known, true)),
  ...KNOWN_NAMES.tokens.flatMap((known) => listOtherNames(known, false)),
]);

const ALIASES_MAX = 4;

/** `wsteth` for `wrapped steth`; null for other texts. */
function abbreviateWrapped([first, ...others]: readonly string[]): string | null {
  if (first !== WRAPPED.name || others.length === 0) return null;
  return WRAPPED.symbol + joinWords(others.join(' '));
}

/** The text with other names of what the whole of it, or one of its words, names. */
function listAliases(joined: string, spaced: readonly string[]): readonly SearchAlias[] {
  const whole = OTHER_NAMES.get(joined)?.names;
  const texts =
    whole ??
    spaced.flatMap((word, index) =>
      (OTHER_NAMES.get(word)?.names ?? []).map((other) => spaced.with(index, other).join(' ')),
    );
  const abbreviated = abbreviateWrapped(spaced);
  return [...(abbreviated === null ? [] : [abbreviated]), ...texts]
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
  const joined = joinWords(text);
  return {
    text,
    points,
    letterMask: computeLetterMask(points),
    edits: pickEditsAllowed(points.length),
    isWord: spaced.length === 1,
    joined,
    words: splitWords(text),
    spaced,
    runs: spaced.length === 1 ? new Set() : new Set(listRuns(spaced)),
    aliases: listAliases(joined, spaced),
    isCoin: OTHER_NAMES.get(joined)?.isCoin ?? false,
    address: parseAddressPart(typed.trim()),
  };
}
