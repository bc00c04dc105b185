// What owners hold changes by the rows of each transaction, as recorded.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  readSolanaFixture,
  readSolanaTransaction,
  skipWithoutSolana as skip,
} from '../../../../test/solana-fixtures.ts';
import { readHolderChanges } from './holder-changes.ts';
import type { RawTransaction } from './raw-transaction.ts';

interface ExpectedChanges {
  readonly file: string;
  readonly holderDeltas?: readonly { mint: string; owner: string; delta: string }[];
}

function sortRows(rows: readonly { mint: string; owner: string; delta: string }[]) {
  return rows.map(({ mint, owner, delta }) => `${mint} ${owner} ${delta}`).sort();
}

describe('changes of holders', { skip }, () => {
  it('are those of every recorded transaction', () => {
    const { transactions } = readSolanaFixture('expected.json') as {
      transactions: ExpectedChanges[];
    };
    let count = 0;
    for (const { file, holderDeltas } of transactions) {
      if (holderDeltas === undefined) continue;
      const changes = readHolderChanges(readSolanaTransaction(file));
      const rows = changes.map((each) => ({
        ...{ mint: each.token, owner: each.owner, delta: String(each.deltaRaw) },
      }));
      assert.deepEqual(sortRows(rows), sortRows(holderDeltas), file);
      count += rows.length;
    }
    assert.ok(count > 100, `${count} changes`);
  });
});

describe('an account that changes hands', () => {
  function buildRow(owner: string, amount: string) {
    return { accountIndex: 1, mint: 'Mint', owner, uiTokenAmount: { amount } };
  }

  it('is a loss of one owner and a gain of the other', () => {
    const raw: RawTransaction = {
      transaction: { signatures: [], message: { accountKeys: [], instructions: [] } },
      meta: {
        err: null,
        preTokenBalances: [buildRow('Alice', '5')],
        postTokenBalances: [buildRow('Bob', '5')],
      },
    };
    assert.deepEqual(
      readHolderChanges(raw).map(({ owner, deltaRaw }) => [owner, deltaRaw]),
      [
        ['Alice', -5n],
        ['Bob', 5n],
      ],
    );
  });
});
