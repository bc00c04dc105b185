// Only a whole id is looked for; a symbol never is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSearchTargets } from './find-search-targets.ts';

const nameTargets = (text: string) => {
  const found = findSearchTargets(text);
  if (found === null) return null;
  const { isWallet, isPool, isTransaction, namespace } = found;
  return [
    namespace,
    ...(isWallet ? ['wallet'] : []),
    ...(isPool ? ['pool'] : []),
    ...(isTransaction ? ['transaction'] : []),
  ].join(' ');
};

test('a whole id says what it may be, and on which chains', () => {
  assert.equal(nameTargets(`0x${'Ab'.repeat(20)}`), 'eip155 wallet pool');
  assert.equal(nameTargets(`0x${'ab'.repeat(32)}`), 'eip155 pool transaction');
  assert.equal(nameTargets('So11111111111111111111111111111111111111112'), 'solana wallet pool');
  assert.equal(nameTargets('5'.repeat(88)), 'solana transaction');
});

test('symbols, names and parts of addresses name nothing else', () => {
  for (const text of ['', 'wire', '0x12', `0x${'ab'.repeat(19)}`, `0x${'zz'.repeat(20)}`]) {
    assert.equal(nameTargets(text), null, text);
  }
});
