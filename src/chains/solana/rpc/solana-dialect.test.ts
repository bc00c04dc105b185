// What may be asked of Solana's nodes, and what their errors mean.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSolanaDialect } from './solana-dialect.ts';

const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

function classify(code: number | null, message: string, method: string | null = null) {
  const about = { data: null, method, endpoint: 'node', retryAfterMs: null };
  return createSolanaDialect(MAINNET).classifyError({ code, message, ...about }).kind;
}

test('a method that could send is refused before anything is sent', () => {
  const { assertReadMethod } = createSolanaDialect(MAINNET);
  assertReadMethod('getBlock');
  for (const method of ['sendTransaction', 'requestAirdrop', 'eth_call', '']) {
    assert.throws(() => assertReadMethod(method), TypeError);
  }
});

test('a chain is named by its genesis hash or by the part of it in CAIP-2', () => {
  const { chain, parseChain } = createSolanaDialect('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp');
  assert.equal(parseChain(MAINNET), chain);
  assert.equal(createSolanaDialect(MAINNET).chain, chain);
  assert.notEqual(parseChain('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'), chain);
  assert.equal(parseChain(null), null);
});

test('a head is a slot', () => {
  const { parseHead } = createSolanaDialect(MAINNET);
  assert.equal(parseHead(0), 0);
  for (const value of [-1, 1.5, '5', null, 2 ** 60]) assert.equal(parseHead(value), null);
});

test('limits of providers are known by their words, whatever their code', () => {
  assert.equal(classify(-32005, 'Rate limit exceeded'), 'rateLimited');
  assert.equal(classify(-32000, 'max usage reached: credits exhausted'), 'rateLimited');
  assert.equal(classify(null, 'Too many requests for a specific RPC call'), 'rateLimited');
  assert.equal(classify(-32052, 'API key is not allowed to access blockchain'), 'denied');
  assert.equal(classify(-32005, 'Node is behind by 42 slots'), 'lagging');
  assert.equal(classify(-32016, 'Minimum context slot has not been reached'), 'lagging');
});

test('words that refuse a scan of accounts say nothing about other methods', () => {
  const scan = 'getProgramAccounts';
  const ofPlan = 'You have exceeded the limit of your plan';
  const unavailable = 'this RPC method is temporarily unavailable';
  assert.equal(classify(-32000, 'Too many accounts requested', scan), 'replyTooLarge');
  assert.equal(classify(-32000, 'exceeded the limit of 10000 accounts', scan), 'replyTooLarge');
  assert.equal(classify(-32600, 'method is not available on this plan', scan), 'unsupported');
  for (const method of ['getBlock', 'getSlot', null]) {
    assert.equal(classify(-32000, ofPlan, method), 'network', ofPlan);
    assert.equal(classify(-32000, unavailable, method), 'network', unavailable);
    assert.equal(classify(-32000, 'the response is too large', method), 'network');
  }
  assert.equal(
    classify(-32600, 'excluded from account secondary indexes', 'getTokenAccountsByOwner'),
    'unsupported',
  );
});
