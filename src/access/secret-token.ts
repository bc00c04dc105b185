// API keys and session tokens: generation, and a quick check of their format.

import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { parseBase62, toBase62 } from '../lib/base58.ts';

// Detects texts that look like a wallet's private key, so that they are rejected first.

/** Hex of 32 bytes, base58 of 64 bytes, or a JSON array of 64 numbers: how wallets export keys. */
const HEX_32_BYTES = /^(0x)?[0-9a-f]{64}$/i;
const BASE58_64_BYTES = /^[1-9A-HJ-NP-Za-km-z]{86,88}$/;
const NUMBERS_64 = /^\[(\s*\d{1,3}\s*,){63}\s*\d{1,3}\s*\]$/;

/** For credentials: no valid one has such a shape. */
export function isPrivateKeyShaped(text: string): boolean {
  return HEX_32_BYTES.test(text) || BASE58_64_BYTES.test(text) || NUMBERS_64.test(text);
}

/** For signatures: a Solana signature is also 64 bytes in base58. */
export function isPrivateKeyShapedSignature(text: string): boolean {
  return HEX_32_BYTES.test(text) || NUMBERS_64.test(text);
}

// Ids of sessions and keys: unguessable, with a prefix for their type.

/** 128 bits in base62. */
const LENGTH = 22;

export function createAccessId(kind: 'se' | 'key' | 'al'): string {
  return `${kind}_${createNonce()}`;
}

export function createNonce(): string {
  return toBase62(BigInt(`0x${randomBytes(16).toString('hex')}`), LENGTH);
}

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
