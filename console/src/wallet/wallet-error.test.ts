// What a wallet throws is explained, whatever it is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { texts } from '../texts.ts';
import { askWallet, toWalletError, WalletError } from './wallet-error.ts';

test("a wallet's own words are passed on, and its refusal is put into ours", () => {
  assert.equal(toWalletError(new Error('out of gas')).message, 'out of gas');
  assert.equal(toWalletError('out of gas').message, 'out of gas');
  assert.equal(toWalletError({ message: 'x'.repeat(400) }).message.length, 300);
  assert.equal(toWalletError({ code: 4001 }).message, texts.account.refused);
  const own = new WalletError('ours');
  assert.equal(toWalletError(own), own);
});

test('a wallet that gives no reason is explained, too', async () => {
  const { noReason } = texts.account;
  for (const thrown of [undefined, null, '', 7, {}, { message: '' }, Object.create(null)]) {
    assert.equal(toWalletError(thrown).message, noReason);
  }
  await assert.rejects(
    askWallet(() => Promise.reject()),
    { message: noReason },
  );
});
