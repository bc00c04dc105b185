// Gains and losses of a transaction as transfers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../../test/fast-check.ts';
import type { Address } from '../../../model/ids.ts';
import { toSolanaAddress } from '../data/solana-ids.ts';
import { pairChanges } from './pair-changes.ts';

const [A, B, C, T, U] = ['a', 'b', 'c', 't', 'u'].map(toSolanaAddress) as [
  ...[Address, Address, Address, Address, Address],
];

function pair(changes: readonly (readonly [Address, Address, bigint])[]) {
  const listed = changes.map(([token, owner, deltaRaw]) => ({ token, owner, deltaRaw }));
  return pairChanges(listed).map(({ token, from, to, amountRaw }) => [token, from, to, amountRaw]);
}

test('what one owner lost, the others gained', () => {
  assert.deepEqual(
    pair([
      [T, A, -10n],
      [T, B, 4n],
      [T, C, 6n],
    ]),
    [
      [T, A, B, 4n],
      [T, A, C, 6n],
    ],
  );
});

test('what nobody lost was minted, and what nobody gained was burned or withheld', () => {
  assert.deepEqual(pair([[T, A, 5n]]), [[T, null, A, 5n]]);
  assert.deepEqual(
    pair([
      [T, A, -10n],
      [T, B, 9n],
    ]),
    [
      [T, A, B, 9n],
      [T, A, null, 1n],
    ],
  );
});

test('tokens are kept apart', () => {
  assert.deepEqual(
    pair([
      [T, A, -1n],
      [U, B, 1n],
    ]),
    [
      [T, A, null, 1n],
      [U, null, B, 1n],
    ],
  );
});

test('the transfers add up to the changes', () => {
  const change = fc.tuple(
    fc.constantFrom(T, U),
    fc.constantFrom(A, B, C),
    fc.bigInt({ min: -50n, max: 50n }),
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(change, { selector: ([token, owner]) => `${token} ${owner}` }),
      (changes) => {
        const sums = new Map<string, bigint>();
        const add = (key: string, amount: bigint) => sums.set(key, (sums.get(key) ?? 0n) + amount);
        const listed = changes.map(([token, owner, deltaRaw]) => ({ token, owner, deltaRaw }));
        for (const { token, from, to, amountRaw } of pairChanges(listed)) {
          assert.ok(amountRaw > 0n);
          if (from !== null) add(`${token} ${from}`, -amountRaw);
          if (to !== null) add(`${token} ${to}`, amountRaw);
        }
        for (const [token, owner, delta] of changes) {
          assert.equal(sums.get(`${token} ${owner}`) ?? 0n, delta);
        }
      },
    ),
    { seed: 1 },
  );
});
