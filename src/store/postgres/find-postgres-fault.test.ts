// Pins the classification of PostgreSQL and connection errors.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoreFault } from '../store-error.ts';
import { findPostgresFault } from './find-postgres-fault.ts';

const CASES: readonly [StoreFault, readonly string[]][] = [
  ['full', ['53100']],
  ['readOnly', ['25006']],
  ['damaged', ['XX001', 'XX002', '58P01']],
  ['io', ['58030', '58000', '53200']],
  ['busy', ['57014', '40001', '40P01', '55P03']],
  [
    'unreachable',
    ['08000', '08006', '28P01', '3D000', '53300', '57P01', '57P03', 'ECONNREFUSED', 'ENOTFOUND'],
  ],
  ['rejected', ['42601', '42703', '42P01', '23505', '22P02', 'XX000', 'ERR_INVALID_ARG_TYPE']],
];

test('codes map to the faults that an operator acts on', () => {
  for (const [fault, codes] of CASES) {
    for (const code of codes) assert.equal(findPostgresFault({ code }), fault, code);
  }
});

test('errors without a code are recognised by their text', () => {
  for (const message of [
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'Query read timeout',
  ]) {
    assert.equal(findPostgresFault(new Error(message)), 'unreachable', message);
  }
  for (const other of [new Error('The transaction is over'), null, undefined, 'text']) {
    assert.equal(findPostgresFault(other), 'rejected');
  }
});
