// Ids of sessions and keys: unguessable, with a prefix for their type.

import { randomBytes } from 'node:crypto';
import { toBase62 } from '../lib/base62.ts';

/** 128 bits in base62. */
const LENGTH = 22;

export function createAccessId(kind: 'se' | 'key'): string {
  return `${kind}_${createNonce()}`;
}

export function createNonce(): string {
  return toBase62(BigInt(`0x${randomBytes(16).toString('hex')}`), LENGTH);
}
