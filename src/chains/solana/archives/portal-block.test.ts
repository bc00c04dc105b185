// Blocks in the Portal's form give the rows that `getBlock` gives, and what contradicts itself is
// refused.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type PortalLine,
  type RpcBlock,
  toPortalBlock,
} from '../../../../test/fakes/to-portal-block.ts';
import {
  readSolanaFixture,
  readSolanaTransaction,
  skipWithoutSolana as skip,
  toRawTransaction,
} from '../../../../test/solana-fixtures.ts';
import { checkTradeBalances } from '../blocks/check-balances.ts';
import { decodeTrades } from '../blocks/decode-trades.ts';
import { readHolderChanges } from '../blocks/holder-changes.ts';
import { isVote, type RawTransaction } from '../data/raw-transaction.ts';
import { findImbalance } from './find-imbalance.ts';
import { PortalBlockError, parsePortalBlock } from './portal-block.ts';

const VENUES =
  'lifinity-v2 meteora-damm-v1 meteora-dlmm obric-v2 orca-whirlpool phoenix pump pumpswap raydium-clmm raydium-cpmm raydium-v4 zerofi';

const BLOCK_FILES = [
  'blocks/block_241043141_v2.json',
  'blocks/block_account_deletion.json',
  'blocks/block_new_token_account.json',
  'blocks/block_with_versioned_tx.json',
];

function listFiles(): string[] {
  const { transactions } = readSolanaFixture('expected.json') as {
    transactions: { file: string }[];
  };
  return transactions.map(({ file }) => file);
}

function readBlock(file: string): RpcBlock {
  const block = readSolanaFixture(file) as RpcBlock;
  return { ...block, transactions: block.transactions.map(toRawTransaction) };
}

function blockOf(...transactions: RawTransaction[]): RpcBlock {
  const hashes = { blockhash: 'B', previousBlockhash: 'A' };
  return { ...hashes, parentSlot: 9, blockTime: 1_700_000_000, transactions };
}

function sortKey({ token, owner }: { readonly token: string; readonly owner: string }): string {
  return `${token} ${owner}`;
}

/** What an index stores of a transaction. */
function listRows(raw: RawTransaction) {
  const { trades, ...others } = decodeTrades(raw);
  return {
    ...others,
    // What a trade makes of its pool is a function.
    trades: trades.map(({ fold: _, ...trade }) => trade),
    // In the order of their accounts, which extracts do not have.
    changes: readHolderChanges(raw).sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
    check: checkTradeBalances(raw),
  };
}

function throughPortal(raw: RawTransaction): RawTransaction {
  const line = JSON.parse(JSON.stringify(toPortalBlock(10, blockOf(raw))));
  return parsePortalBlock(line).transactions[0]?.raw ?? assert.fail();
}

describe("a block in the Portal's form", { skip }, () => {
  const files = skip === false ? listFiles() : [];

  for (const file of files) {
    it(`gives the rows of ${file}`, () => {
      const raw = readSolanaTransaction(file);
      assert.deepEqual(listRows(throughPortal(raw)), listRows(raw));
    });
  }

  it('has trades of twelve venues', () => {
    const venues = files.flatMap((file) =>
      decodeTrades(throughPortal(readSolanaTransaction(file))).trades.map(({ venue }) => venue),
    );
    assert.equal([...new Set(venues)].sort().join(' '), VENUES);
  });

  for (const file of skip === false ? BLOCK_FILES : []) {
    it(`gives the rows of all of ${file}, at their places`, () => {
      const block = readBlock(file);
      const line = JSON.parse(JSON.stringify(toPortalBlock(block.parentSlot + 1, block)));
      const { header, transactions } = parsePortalBlock(line);
      assert.deepEqual(
        [header.hash, header.parentHash, header.parentPosition, header.timestampMs],
        [block.blockhash, block.previousBlockhash, block.parentSlot, (block.blockTime ?? 0) * 1000],
      );
      const own = [...block.transactions.entries()].filter(([, raw]) => !isVote(raw));
      assert.deepEqual(
        transactions.map(({ index, raw }) => [index, listRows(raw)]),
        own.map(([index, raw]) => [index, listRows(raw)]),
      );
    });
  }
});

describe('a line that contradicts itself', { skip }, () => {
  const FILE = 'transactions/agavesim-JSON1.json';

  function damage(change: (line: Required<PortalLine>) => void): () => void {
    const line = toPortalBlock(10, blockOf(readSolanaTransaction(FILE))) as Required<PortalLine>;
    change(line);
    return () => parsePortalBlock(JSON.parse(JSON.stringify(line)));
  }

  it('is refused', () => {
    assert.doesNotThrow(damage(() => undefined));
    const damages: ((line: Required<PortalLine>) => void)[] = [
      (line) => line.instructions.splice(1, 1),
      (line) => line.transactions.splice(0),
      (line) => line.transactions.push(...line.transactions),
      (line) => Object.assign(line.instructions[0] ?? {}, { programId: 'elsewhere' }),
      (line) => Object.assign(line.tokenBalances[0] ?? {}, { account: 'elsewhere' }),
      (line) => Object.assign(line.tokenBalances[0] ?? {}, { preAmount: '-1' }),
      (line) => Object.assign(line.header, { parentNumber: 10 }),
      (line) => Object.assign(line.header, { hash: null }),
    ];
    for (const change of damages) assert.throws(damage(change), PortalBlockError);
    for (const line of [null, [], 'x', {}, { header: {} }]) {
      assert.throws(() => parsePortalBlock(line), PortalBlockError);
    }
  });
});

describe('findImbalance', { skip }, () => {
  // The others were recorded without lamports, or with calls that were parsed already.
  const isWhole = (file: string) => /\/(mm-|agavesim-)/.test(file);
  const raws = (skip === false ? listFiles() : []).filter(isWhole).map(readSolanaTransaction);

  it('finds nothing in recorded transactions', () => {
    assert.equal(raws.length, 18);
    assert.deepEqual(
      raws.map(findImbalance).filter((one) => one !== null),
      [],
    );
  });

  it('finds one unit more or less of any token, and lamports from nowhere', () => {
    let tried = 0;
    for (const raw of raws) {
      const { meta } = raw;
      if (meta === null) continue;
      const rows = meta.postTokenBalances ?? [];
      for (const [at, row] of rows.entries()) {
        if (row.mint === 'So11111111111111111111111111111111111111112') continue;
        const amount = String(BigInt(row.uiTokenAmount.amount) + 1n);
        const changed = { ...row, uiTokenAmount: { ...row.uiTokenAmount, amount } };
        const postTokenBalances = rows.with(at, changed);
        assert.notEqual(findImbalance({ ...raw, meta: { ...meta, postTokenBalances } }), null);
        tried += 1;
      }
      const after = meta.postBalances;
      if (after == null || meta.fee == null) continue;
      const postBalances = after.with(0, (after[0] ?? 0) + 10_000_000);
      assert.notEqual(findImbalance({ ...raw, meta: { ...meta, postBalances } }), null);
    }
    assert.ok(tried > 20, String(tried));
  });
});
