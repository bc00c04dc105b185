// Compares the sign-in message with viem's EIP-4361 parser.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSiweMessage } from 'viem/siwe';
import { BUILT_IN_CHAINS } from '../model/chain.ts';
import { writeSignInText } from './verify-wallet.ts';

const MESSAGE = {
  address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  domain: 'console.example:8443',
  uri: 'https://console.example:8443',
  nonce: '4P1SfmCKFzYD94y3tNeWV4',
  issuedAtMs: 1_767_225_600_000,
  expiresAtMs: 1_767_225_900_000,
};

test('EIP-4361, field by field', () => {
  const { statement, ...fields } = parseSiweMessage(
    writeSignInText({ ...MESSAGE, chain: BUILT_IN_CHAINS.base, accountName: 'Ethereum' }),
  );
  assert.deepEqual(fields, {
    address: MESSAGE.address,
    domain: MESSAGE.domain,
    uri: MESSAGE.uri,
    version: '1',
    chainId: 8453,
    nonce: MESSAGE.nonce,
    issuedAt: new Date(MESSAGE.issuedAtMs),
    expirationTime: new Date(MESSAGE.expiresAtMs),
  });
  assert.match(statement ?? '', /moves nothing/);
});

test('Solana wallets get their own first line and chain', () => {
  const address = '4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA';
  const lines = writeSignInText({
    ...MESSAGE,
    address,
    chain: BUILT_IN_CHAINS.solana,
    accountName: 'Solana',
  }).split('\n');
  assert.equal(lines[0], 'console.example:8443 wants you to sign in with your Solana account:');
  assert.equal(lines[1], address);
  assert.ok(lines.includes('Chain ID: mainnet'));
});
