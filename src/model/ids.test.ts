// Pins that an id of one kind does not compile in place of another. The compiler is the test: it
// reports a `@ts-expect-error` above a line that compiles.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, poolId, transactionId, walletId } from '../../test/test-ids.ts';
import type { Address, PoolId, TransactionId, WalletId } from './ids.ts';

interface Ids {
  readonly token: Address;
  readonly pool: PoolId;
  readonly transaction: TransactionId;
  readonly wallet: WalletId;
}

function readPool(pool: PoolId): string {
  return pool;
}

const token = address('0xa');
const pool = poolId('0xb');
const transaction = transactionId('0xc');
const wallet = walletId('eip155:0xd');

export const mistaken: readonly Ids[] = [
  // @ts-expect-error A pool is no token.
  { token: pool, pool, transaction, wallet },
  // @ts-expect-error A token is no pool.
  { token, pool: token, transaction, wallet },
  // @ts-expect-error A pool is no transaction.
  { token, pool, transaction: pool, wallet },
  // @ts-expect-error The wallet that signed in is named by its proof, not by its address.
  { token, pool, transaction, wallet: token },
  // @ts-expect-error Text is no id before it was parsed.
  { token: '0xa', pool, transaction, wallet },
];

test('an id is plain text at run time', () => {
  // @ts-expect-error A token is passed where a pool is meant.
  assert.equal(readPool(token), '0xa');
  assert.equal(JSON.stringify({ token, pool, transaction, wallet }).includes('brand'), false);
});
