// What owners hold changes by the rows of each transaction, as recorded.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  readSolanaFixture,
  readSolanaTransaction,
  skipWithoutSolana as skip,
} from '../../../../test/solana-fixtures.ts';
import { encodeBase58 } from '../../../lib/base58.ts';
import type { RawTransaction } from '../data/raw-transaction.ts';
import { TOKEN_2022_PROGRAM } from '../data/solana-ids.ts';
import { readHolderChanges } from './holder-changes.ts';

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
      // Those of mints are not in the rows.
      const owned = changes.filter(({ token, owner }) => owner !== token);
      const rows = owned.map((each) => ({
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

describe('fees that Token-2022 withholds', () => {
  const [MINT, ALICE, BOB] = ['Mint', 'Alice', 'Bob'] as const;
  const KEYS = [TOKEN_2022_PROGRAM, MINT, 'AliceAccount', 'BobAccount'];

  /** Changes by owner; `calls` are of the token program, with the mint as account 1. */
  function read(
    deltas: Readonly<Record<string, number>>,
    calls: readonly { readonly accounts: readonly number[]; readonly data: Buffer }[] = [],
    programId: string = TOKEN_2022_PROGRAM,
  ) {
    const buildRows = (list: readonly (readonly [string, number])[]) =>
      list.map(([owner, amount], accountIndex) => ({
        ...{ accountIndex, mint: MINT, owner, programId },
        uiTokenAmount: { amount: String(amount) },
      }));
    const owners = Object.entries(deltas);
    const [outer, ...inner] = calls.map(({ accounts, data }) => ({
      ...{ programIdIndex: 0, accounts, data: encodeBase58(data) },
    }));
    const raw: RawTransaction = {
      transaction: {
        signatures: [],
        message: { accountKeys: KEYS, instructions: outer === undefined ? [] : [outer] },
      },
      meta: {
        err: null,
        innerInstructions: [{ index: 0, instructions: inner }],
        preTokenBalances: buildRows(owners.map(([owner]) => [owner, 1000])),
        postTokenBalances: buildRows(owners.map(([owner, delta]) => [owner, 1000 + delta])),
      },
    };
    const changes = readHolderChanges(raw).map(({ owner, deltaRaw }) => [owner, Number(deltaRaw)]);
    return Object.fromEntries(changes) as Record<string, number>;
  }

  function encodeCall(kind: number, amount: number): Buffer {
    const data = Buffer.alloc(9);
    data.writeUInt8(kind);
    data.writeBigUInt64LE(BigInt(amount), 1);
    return data;
  }

  const mintTo = (amount: number) => ({ accounts: [1, 2], data: encodeCall(7, amount) });
  const burn = (amount: number) => ({ accounts: [2, 1], data: encodeCall(8, amount) });
  const TRANSFER = { accounts: [2, 1, 3], data: encodeCall(12, 100) };

  it('are held by the mint, and leave it when they are withdrawn', () => {
    assert.deepEqual(read({ [ALICE]: -100, [BOB]: 98 }, [TRANSFER]), {
      ...{ [ALICE]: -100, [BOB]: 98, [MINT]: 2 },
    });
    assert.deepEqual(read({ [BOB]: 7 }), { [BOB]: 7, [MINT]: -7 });
  });

  it('are told from what is minted and burned, in whichever call', () => {
    assert.deepEqual(read({ [ALICE]: 500 }, [mintTo(500)]), { [ALICE]: 500 });
    assert.deepEqual(read({ [ALICE]: -30 }, [burn(30)]), { [ALICE]: -30 });
    const checked = { accounts: [2, 1], data: Buffer.concat([encodeCall(15, 30), Buffer.of(6)]) };
    assert.deepEqual(read({ [ALICE]: -130, [BOB]: 98 }, [TRANSFER, checked]), {
      ...{ [ALICE]: -130, [BOB]: 98, [MINT]: 2 },
    });
  });

  it('are not what the first token program burns, nor what is encrypted', () => {
    assert.deepEqual(read({ [ALICE]: -30 }, [], 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'), {
      [ALICE]: -30,
    });
    const deposit = { accounts: [2, 1], data: Buffer.of(27, 5) };
    assert.deepEqual(read({ [ALICE]: -30 }, [deposit]), { [ALICE]: -30 });
  });
});
