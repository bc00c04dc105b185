// Which owners are read again, and what contradicts a list.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '../../../test/test-ids.ts';
import type { Address } from '../../model/ids.ts';
import { findContradiction, pickWitnesses } from './check-holders.ts';
import type { PlacedTransfer } from './transfer-journal.ts';

const TOKEN = address('a1');
const OWNERS = Array.from({ length: 40 }, (_, index) => address(`a${100 + index}`));
const [POOL, ALICE, BOB] = OWNERS as [Address, Address, Address];

function move(block: number, from: Address | null, to: Address | null, amountRaw: bigint) {
  const event = { kind: 'transfer', token: TOKEN, from, to, amountRaw } as const;
  return { block, event } satisfies PlacedTransfer;
}

describe('the owners that are read again', () => {
  test('are the largest, and those that moved last', () => {
    const balances = new Map(OWNERS.map((owner, index) => [owner, BigInt((index * 17) % 40)]));
    const largest = [...balances].sort(([, a], [, b]) => Number(b - a)).map(([owner]) => owner);
    assert.deepEqual(pickWitnesses(balances, []), largest.slice(0, 4));
    const moved = Array.from({ length: 20 }, (_, index) =>
      move(index, null, address(`a${index}`), 1n),
    );
    const picked = pickWitnesses(balances, moved);
    assert.deepEqual(
      new Set(picked.slice(0, 6)),
      new Set(moved.slice(-6).map(({ event }) => event.to)),
    );
    assert.equal(picked.length, 10);
  });

  test('are few, and each once', () => {
    const balances = new Map([[POOL, 5n]]);
    assert.deepEqual(pickWitnesses(balances, [move(1, POOL, ALICE, 2n)]), [POOL, ALICE]);
    assert.deepEqual(pickWitnesses(new Map(), [move(1, ALICE, null, 2n)]), [ALICE]);
    assert.deepEqual(pickWitnesses(new Map(), []), []);
  });
});

describe('a reading', () => {
  const balances = new Map([
    [POOL, 1_000n],
    [ALICE, 40n],
  ]);
  const since = [move(11, POOL, BOB, 100n), move(13, BOB, ALICE, 30n), move(14, ALICE, null, 5n)];
  const find = (owner: Address, block: number, amountRaw: bigint) =>
    findContradiction(balances, since, [{ owner, block, amountRaw }]);

  test('agrees with the list and the transfers up to its block', () => {
    assert.equal(find(POOL, 10, 1_000n), null);
    assert.equal(find(POOL, 11, 900n), null);
    assert.equal(find(BOB, 12, 100n), null);
    assert.equal(find(BOB, 13, 70n), null);
    assert.equal(find(ALICE, 14, 65n), null);
    assert.equal(findContradiction(balances, since, []), null);
  });

  test('contradicts a list that lacks or has a holder, or another amount', () => {
    assert.deepEqual(find(POOL, 10, 900n), { owner: POOL, block: 10, amountRaw: 900n });
    assert.notEqual(find(POOL, 11, 1_000n), null);
    assert.notEqual(find(BOB, 10, 1n), null);
    assert.notEqual(find(ALICE, 12, 0n), null);
    const right = { owner: POOL, block: 10, amountRaw: 1_000n };
    const wrong = { owner: ALICE, block: 10, amountRaw: 41n };
    // Each of several endpoints must agree.
    assert.equal(findContradiction(balances, since, [right, wrong]), wrong);
  });
});
