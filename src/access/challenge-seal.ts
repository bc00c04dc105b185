// Challenge ids: what the server wrote into the text to sign, with a keyed hash. Every node can
// check one, and nothing is stored before it is used: nobody can fill up the challenges of others.

import type { ChainSlug } from '../model/chain.ts';
import type { Peppers } from './peppers.ts';

export interface Challenge {
  readonly chain: ChainSlug;
  /** As in the text. */
  readonly address: string;
  /** The origin of the page that signs in. */
  readonly uri: string;
  readonly nonce: string;
  readonly issuedAtMs: number;
}

const FORM = /^ch_([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

type Parts = [ChainSlug, string, string, string, number];

export function sealChallenge(peppers: Peppers, challenge: Challenge): string {
  const { chain, address, uri, nonce, issuedAtMs } = challenge;
  const parts: Parts = [chain, address, uri, nonce, issuedAtMs];
  const text = Buffer.from(JSON.stringify(parts)).toString('base64url');
  return `ch_${text}.${peppers.mark('challenge', text)}`;
}

/** Null if this service did not issue it. Does not check expiry. */
export function openChallenge(peppers: Peppers, challengeId: string): Challenge | null {
  const [, text = '', mark = ''] = FORM.exec(challengeId) ?? [];
  if (text === '' || !peppers.isMark('challenge', text, mark)) return null;
  // The mark proves that we wrote it.
  const parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Parts;
  const [chain, address, uri, nonce, issuedAtMs] = parts;
  return { chain, address, uri, nonce, issuedAtMs };
}
