// Which embedded chains are followed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listEmbedded } from './devnet-settings.ts';

const UNSET = { mode: 'auto', deployment: null, solana: 'on', solanaDeployment: null } as const;
const BOTH = ['devnet', 'devnet-solana'];

test('with nothing configured both embedded chains are followed', () => {
  assert.deepEqual(listEmbedded(UNSET, 0), BOTH);
  assert.deepEqual(listEmbedded(UNSET, 1), []);
  assert.deepEqual(listEmbedded({ ...UNSET, mode: 'on' }, 1), BOTH);
  assert.deepEqual(listEmbedded({ ...UNSET, mode: 'off' }, 0), []);
});

test('the Solana chain is left out, runs alone, or is followed where it runs', () => {
  assert.deepEqual(listEmbedded({ ...UNSET, solana: 'off' }, 0), ['devnet']);
  assert.deepEqual(listEmbedded({ ...UNSET, solana: 'only' }, 0), ['devnet-solana']);
  assert.deepEqual(listEmbedded({ ...UNSET, solana: 'only' }, 1), []);
  assert.deepEqual(listEmbedded({ ...UNSET, deployment: 'a', solana: 'only' }, 0), ['devnet']);
  assert.deepEqual(listEmbedded({ ...UNSET, deployment: 'a' }, 0), ['devnet']);
  assert.deepEqual(listEmbedded({ ...UNSET, deployment: 'a', solanaDeployment: 'b' }, 0), BOTH);
  const elsewhere = { ...UNSET, mode: 'off', solanaDeployment: 'b' } as const;
  assert.deepEqual(listEmbedded(elsewhere, 0), ['devnet-solana']);
});
