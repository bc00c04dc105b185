// The portfolio of the URL goes before that of the signed-in wallet.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePortfolioTab, pickPortfolioSubject } from './portfolio-choices.ts';

const chains = ['devnet', 'base'];
const signedIn = { address: '0xOwn', chain: 'base' };
const pick = (query: string, wallets: Parameters<typeof pickPortfolioSubject>[1]) =>
  pickPortfolioSubject(new URLSearchParams(query), wallets);

test('without a wallet in the URL it is the signed-in one, on the chain it signed in on', () => {
  assert.deepEqual(pick('', { signedIn, chains }), { chain: 'base', wallet: '0xOwn' });
  const elsewhere = { address: '0xOwn', chain: 'ethereum' };
  assert.equal(pick('', { signedIn: elsewhere, chains })?.chain, 'devnet');
});

test('any wallet can be looked at, signed in or not', () => {
  const other = { chain: 'devnet', wallet: '0xOther' };
  assert.deepEqual(pick('wallet=0xOther', { signedIn: null, chains }), other);
  assert.deepEqual(pick('wallet=0xOther&chain=devnet', { signedIn, chains }), other);
});

test('nothing is shown while no wallet or no chain is known', () => {
  assert.equal(pick('', { signedIn: null, chains }), null);
  assert.equal(pick('wallet=0xOther', { signedIn: null, chains: [] }), null);
});

test('an unknown tab is the first', () => {
  assert.equal(parsePortfolioTab(new URLSearchParams('tab=nope')), 'balances');
  assert.equal(parsePortfolioTab(new URLSearchParams('tab=trades')), 'trades');
});
