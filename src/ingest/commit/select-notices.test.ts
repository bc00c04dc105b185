// Notices of indexed tokens are kept, however many contracts emit events.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '../../../test/test-ids.ts';
import type { Address } from '../../model/ids.ts';
import type { TokenNotice } from '../../model/token-notice.ts';
import { selectNotices } from './commit-batch.ts';

function buildNotice(token: Address): TokenNotice {
  return { kind: 'event', token, topics: ['0x01'], isAdmin: true };
}

const SPAM = Array.from({ length: 25_000 }, (_, index) => buildNotice(address(`0xspam${index}`)));

const [REAL, A, B, C] = [address('0xreal'), address('0xa'), address('0xb'), address('0xc')];

function createFinder(...known: Address[]) {
  const asked: number[] = [];
  const findIndexed = async (tokens: readonly Address[]) => {
    asked.push(tokens.length);
    return new Set(tokens.filter((token) => known.includes(token)));
  };
  return { asked, findIndexed };
}

test('an ordinary number of notices is passed on and looked up nowhere', async () => {
  const { asked, findIndexed } = createFinder();
  const notices = SPAM.slice(0, 20_000);
  assert.equal(await selectNotices(notices, { findIndexed }), notices);
  assert.equal(await selectNotices(null, { findIndexed }), null);
  assert.deepEqual(asked, []);
});

test('notices of many unknown tokens do not displace those of indexed ones', async () => {
  const { asked, findIndexed } = createFinder(REAL);
  const notices = [...SPAM.slice(0, 12_000), buildNotice(REAL), ...SPAM.slice(12_000)];
  assert.deepEqual(await selectNotices(notices, { findIndexed }), [buildNotice(REAL)]);
  assert.ok(asked.every((count) => count <= 1_000));
});

test('too many notices of indexed tokens count as not searched', async () => {
  const { findIndexed } = createFinder(A, B, C);
  const notices = [A, B, C].map(buildNotice);
  assert.equal(await selectNotices(notices, { findIndexed, countMax: 2 }), null);
});
