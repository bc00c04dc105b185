// What a transaction changed of its sender, from its balances.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL } from '../data/solana-ids.ts';
import { readSenderChanges } from './sender-changes.ts';

const [WALLET, COINS, CURVE, RECORD, SOL_ACCOUNT, COIN] = [
  ...['11111111111111111111111111111112', '11111111111111111111111111111113'],
  ...['11111111111111111111111111111114', '11111111111111111111111111111115'],
  ...['11111111111111111111111111111116', '11111111111111111111111111111117'],
] as [string, string, string, string, string, string];
const RENT = 2_039_280;
const RECORD_RENT = (128 + 137) * 6960;

interface Balances {
  readonly lamports: readonly (readonly [number, number])[];
  readonly tokens?: readonly (readonly [index: number, mint: string, number | null, number])[];
  readonly err?: unknown;
}

/** The accounts are the wallet, its coins, a curve, a record about the wallet, its wrapped SOL. */
function readChanges({ lamports, tokens = [], err = null }: Balances) {
  const toRow = (accountIndex: number, mint: string, amount: number) => ({
    ...{ accountIndex, mint, owner: WALLET, programId: TOKEN_PROGRAM },
    uiTokenAmount: { amount: String(amount) },
  });
  const changes = readSenderChanges({
    transaction: {
      signatures: [],
      message: { accountKeys: [WALLET, COINS, CURVE, RECORD, SOL_ACCOUNT], instructions: [] },
    },
    meta: {
      ...{ err, fee: 5000 },
      preBalances: lamports.map(([before]) => before),
      postBalances: lamports.map(([, after]) => after),
      preTokenBalances: tokens.flatMap(([index, mint, before]) =>
        before === null ? [] : [toRow(index, mint, before)],
      ),
      postTokenBalances: tokens.map(([index, mint, , after]) => toRow(index, mint, after)),
    },
  });
  return changes.map(({ token, deltaRaw }) => [token, deltaRaw]);
}

const UNUSED = [0, 0] as const;

test('neither the fee nor the rent of accounts that were opened was paid for coins', () => {
  const spent = 1_000_001;
  const lamports = [
    [10_000_000, 10_000_000 - 5000 - RENT - RECORD_RENT - spent],
    [0, RENT],
    [7_000_000, 7_000_000 + spent],
    [0, RECORD_RENT],
    UNUSED,
  ] as const;
  assert.deepEqual(readChanges({ lamports, tokens: [[1, COIN, null, 42]] }), [
    [COIN, 42n],
    [SYSTEM_PROGRAM, -1_000_001n],
  ]);
});

test('a curve that was opened with what was paid counts', () => {
  const lamports = [[10_000_000, 7_995_000], UNUSED, [0, 2_000_000], UNUSED, UNUSED] as const;
  assert.deepEqual(readChanges({ lamports }), [[SYSTEM_PROGRAM, -2_000_000n]]);
});

test('wrapped SOL is a token, and not counted again as lamports', () => {
  const wrapped = [
    [9_000_000, 8_995_000],
    UNUSED,
    UNUSED,
    UNUSED,
    [RENT + 500, RENT + 200],
  ] as const;
  assert.deepEqual(readChanges({ lamports: wrapped, tokens: [[4, WRAPPED_SOL, 500, 200]] }), [
    [WRAPPED_SOL, -300n],
  ]);
});

test('a transaction that failed changed nothing but the fee', () => {
  const lamports = [[9_000_000, 8_995_000], UNUSED, UNUSED, UNUSED, UNUSED] as const;
  assert.deepEqual(readChanges({ lamports, err: { InstructionError: [0, 'x'] } }), []);
});
