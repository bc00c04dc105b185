// A wallet is shown on every followed chain that has its kind of address.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePortfolioTab, pickPortfolioSubject } from './portfolio-choices.ts';

const chains = [
  { slug: 'devnet', caip2: 'eip155:1337' },
  { slug: 'base', caip2: 'eip155:8453' },
  { slug: 'solana', caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' },
];
const SOLANA_WALLET = 'So11111111111111111111111111111111111111112';
const signedIn = { address: '0xOwn' };
const pick = (query: string, wallets: Parameters<typeof pickPortfolioSubject>[1]) =>
  pickPortfolioSubject(new URLSearchParams(query), wallets);

test('without a wallet in the URL it is the signed-in one, on all chains of its kind', () => {
  assert.deepEqual(pick('', { signedIn, chains }), { wallet: '0xOwn', chains: ['devnet', 'base'] });
  const solana = { address: SOLANA_WALLET };
  assert.deepEqual(pick('', { signedIn: solana, chains })?.chains, ['solana']);
});

test('any wallet can be looked at, signed in or not, and on one chain alone', () => {
  const other = { wallet: '0xOther', chains: ['devnet', 'base'] };
  assert.deepEqual(pick('wallet=0xOther', { signedIn: null, chains }), other);
  assert.deepEqual(pick('wallet=0xOther&chain=base', { signedIn, chains })?.chains, ['base']);
});

test('a chain that has no such address, or is not followed, chooses nothing', () => {
  const all = ['devnet', 'base'];
  assert.deepEqual(pick('wallet=0xOther&chain=solana', { signedIn, chains })?.chains, all);
  assert.deepEqual(pick('wallet=0xOther&chain=ethereum', { signedIn, chains })?.chains, all);
});

test('where no chain has such addresses, all say what is wrong', () => {
  const [devnet] = chains;
  const found = pick('wallet=nonsense', { signedIn: null, chains: devnet ? [devnet] : [] });
  assert.deepEqual(found?.chains, ['devnet']);
});

test('nothing is shown while no wallet or no chain is known', () => {
  assert.equal(pick('', { signedIn: null, chains }), null);
  assert.equal(pick('wallet=0xOther', { signedIn: null, chains: [] }), null);
});

test('an unknown tab is the first', () => {
  assert.equal(parsePortfolioTab(new URLSearchParams('tab=nope')), 'balances');
  assert.equal(parsePortfolioTab(new URLSearchParams('tab=trades')), 'trades');
});
