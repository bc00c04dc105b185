// API keys and session tokens: generation, and a quick check of their format.

import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { parseBase62, toBase62 } from '../lib/base62.ts';

const PREFIXES = { key: 'mw_live_', session: 'mw_sess_' } as const;

type TokenKind = keyof typeof PREFIXES;

/** 256 bits in base62. */
const BODY_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const PREFIX_LENGTH = PREFIXES.key.length;
const TOKEN_LENGTH = PREFIX_LENGTH + BODY_LENGTH + CHECKSUM_LENGTH;
const SHOWN_LENGTH = 4;

export function createToken(kind: TokenKind): string {
  const body = toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), BODY_LENGTH);
  const text = `${PREFIXES[kind]}${body}`;
  return `${text}${toBase62(BigInt(crc32(text)), CHECKSUM_LENGTH)}`;
}

/** Which kind of token a text claims to be; null if neither. */
export function readTokenKind(text: string): TokenKind | null {
  if (text.startsWith(PREFIXES.key)) return 'key';
  return text.startsWith(PREFIXES.session) ? 'session' : null;
}

const TOKEN_CHARACTERS = /^[0-9A-Za-z_]+$/;

/** Whether length, characters and checksum are valid; the token may still be unknown. */
export function isWellFormedToken(text: string): boolean {
  if (text.length !== TOKEN_LENGTH || !TOKEN_CHARACTERS.test(text)) return false;
  const split = TOKEN_LENGTH - CHECKSUM_LENGTH;
  return crc32(text.slice(0, split)) === parseBase62(text, split);
}

/** The parts of a key that may be shown, so that its owner can identify it. */
export function toShownParts(key: string): { readonly prefix: string; readonly last4: string } {
  return { prefix: key.slice(0, PREFIX_LENGTH + SHOWN_LENGTH), last4: key.slice(-SHOWN_LENGTH) };
}
