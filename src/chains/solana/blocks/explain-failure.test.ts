// The words for a failed transaction.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainFailure } from './explain-failure.ts';

const CUSTOM = { InstructionError: [3, { Custom: 6004 }] };
const POOL = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C';
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

test('a program that says why it failed is quoted', () => {
  const anchor =
    'Program log: AnchorError occurred. Error Code: ExceededSlippage. Error Number: 6005. Error Message: exceeds desired slippage limit.';
  const failed = `Program ${POOL} failed: custom program error: 0x1775`;
  assert.equal(explainFailure(CUSTOM, [anchor, failed]), 'exceeds desired slippage limit');
  assert.equal(explainFailure(CUSTOM, ['Program log: Error: no funds', failed]), 'no funds');
});

test('a number is named if the program is known, by the innermost program', () => {
  const inner = `Program ${TOKEN} failed: custom program error: 0x1`;
  const outer = `Program ${POOL} failed: custom program error: 0x1`;
  assert.equal(explainFailure(CUSTOM, [inner, outer]), 'insufficient funds');
  const unknown = `Program ${POOL} failed: custom program error: 0x2a`;
  assert.equal(explainFailure(CUSTOM, [unknown]), 'custom program error 42');
  const spent = `Program ${POOL} failed: exceeded CUs meter at BPF instruction`;
  assert.equal(explainFailure(CUSTOM, [spent]), 'exceeded CUs meter at BPF instruction');
});

test('without logs the error itself is named', () => {
  assert.equal(explainFailure(CUSTOM, null), 'custom program error 6004');
  assert.equal(explainFailure({ InstructionError: [0, 'InvalidArgument'] }, []), 'InvalidArgument');
  const rent = { InsufficientFundsForRent: { account_index: 1 } };
  assert.equal(explainFailure(rent, []), 'InsufficientFundsForRent');
  assert.equal(explainFailure('AccountNotFound', undefined), 'AccountNotFound');
  assert.equal(explainFailure({}, []), 'the transaction failed');
});

test('what a program writes is cleaned', () => {
  const line = 'Program log: Error: \u202etxt\u0007 ok';
  assert.equal(explainFailure(CUSTOM, [line]), 'txt ok');
});
