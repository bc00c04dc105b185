// Pins which EVM signatures are a wallet's own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hex } from 'viem';
import { createEvmWallet } from '../../../../test/wallets.ts';
import { EVM_WALLETS } from './evm-signature.ts';

const TEXT = 'console.example wants you to sign in with your Ethereum account';
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

async function createSigned() {
  const wallet = createEvmWallet();
  const signature = (await wallet.sign(TEXT)) as Hex;
  return { address: wallet.address, text: TEXT, signature };
}

test("the wallet's own signature, whichever way its last byte is written", async () => {
  const signed = await createSigned();
  assert.equal(await EVM_WALLETS.check(signed), 'signed');
  const parity = Number.parseInt(signed.signature.slice(-2), 16) - 27;
  const bare: Hex = `0x${signed.signature.slice(2, -2)}0${parity}`;
  assert.equal(await EVM_WALLETS.check({ ...signed, signature: bare }), 'signed');
});

test('the twin with the larger s is refused', async () => {
  const signed = await createSigned();
  const s = ORDER - BigInt(`0x${signed.signature.slice(66, 130)}`);
  const v = signed.signature.endsWith('1b') ? '1c' : '1b';
  const twin: Hex = `${signed.signature.slice(0, 66) as Hex}${s.toString(16).padStart(64, '0')}${v}`;
  assert.equal(await EVM_WALLETS.check({ ...signed, signature: twin }), 'refused');
});

test('another text, another wallet and other bytes are rejected', async () => {
  const signed = await createSigned();
  assert.equal(await EVM_WALLETS.check({ ...signed, text: `${TEXT} ` }), 'askChain');
  const { address } = createEvmWallet();
  assert.equal(await EVM_WALLETS.check({ ...signed, address }), 'askChain');
  const others: Hex[] = [
    '0x00',
    `0x${'00'.repeat(65)}`,
    `0x${'ff'.repeat(65)}`,
    `${signed.signature}00`,
    signed.signature.slice(0, -2) as Hex,
    `${signed.signature.slice(0, -2) as Hex}1d`,
  ];
  for (const signature of others) {
    assert.equal(await EVM_WALLETS.check({ ...signed, signature }), 'askChain', signature);
  }
});

test('text that is not hex is rejected without asking a chain', async () => {
  const signed = await createSigned();
  for (const signature of ['', '0x', 'x', '0x0', `${signed.signature}g`]) {
    assert.equal(await EVM_WALLETS.check({ ...signed, signature }), 'refused', signature);
  }
});
