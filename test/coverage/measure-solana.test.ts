// What `npm run coverage` says of recorded transactions of Solana.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TRANSFER_VENUES } from '../../src/chains/solana/venues/by-transfers/transfer-venue.ts';
import { SOLANA_FIXTURES, skipWithoutSolana as skip } from '../solana-fixtures.ts';
import { type JudgedTrade, measureSolana } from './measure-solana.ts';
import { readRecordings } from './read-recordings.ts';

describe('coverage of recorded transactions of Solana', { skip }, () => {
  let trades: readonly JudgedTrade[] = [];
  before(() => {
    trades = measureSolana(readRecordings(fileURLToPath(SOLANA_FIXTURES)));
  });

  it('counts every exchange of tokens, and none is missed', () => {
    assert.ok(trades.length >= 49);
    assert.deepEqual(
      trades.filter(({ isStored }) => !isStored),
      [],
    );
  });

  it('names a program that is in no list, and what moved under it', () => {
    const known = new Map(TRANSFER_VENUES);
    const [[program, venue] = assert.fail()] = [...known].filter(
      ([, { name }]) => name === 'phoenix',
    );
    (TRANSFER_VENUES as Map<typeof program, typeof venue>).delete(program);
    try {
      const recordings = readRecordings(fileURLToPath(SOLANA_FIXTURES));
      const missed = measureSolana(recordings).filter(({ isStored }) => !isStored);
      assert.ok(missed.length > 0);
      assert.ok(missed.every((one) => one.venue === program && (one.value ?? 0) > 0));
    } finally {
      (TRANSFER_VENUES as Map<typeof program, typeof venue>).set(program, venue);
    }
  });
});
