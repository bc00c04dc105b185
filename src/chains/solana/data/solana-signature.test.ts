// Pins which Solana signatures are accepted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSolanaWallet } from '../../../../test/wallets.ts';
import { decodeBase58, encodeBase58 } from '../../../lib/base58.ts';
import type { SignedText } from '../../wallet-signatures.ts';
import { SOLANA_WALLETS } from './solana-signature.ts';

async function isSigned(signed: SignedText): Promise<boolean> {
  return (await SOLANA_WALLETS.check(signed)) === 'signed';
}

const TEXT = 'console.example wants you to sign in with your Solana account';

test('base58 and base64, with or without padding', async () => {
  for (const encoding of ['base58', 'base64'] as const) {
    const wallet = createSolanaWallet(encoding);
    const signature = await wallet.sign(TEXT);
    const { address } = wallet;
    assert.ok(await isSigned({ address, text: TEXT, signature }));
    const bare = signature.replace(/=+$/, '');
    assert.ok(await isSigned({ address, text: TEXT, signature: bare }));
    assert.ok(!(await isSigned({ address, text: `${TEXT}.`, signature })));
    const { address: another } = createSolanaWallet();
    assert.ok(!(await isSigned({ address: another, text: TEXT, signature })));
  }
});

test('garbage, other lengths and empty text are no signatures', async () => {
  const { address } = createSolanaWallet();
  for (const signature of ['', 'x', '0x00', '1'.repeat(64), '='.repeat(88), 'A'.repeat(88), 'é']) {
    assert.ok(!(await isSigned({ address, text: TEXT, signature })), signature);
  }
});

test('the twin of a signature (s plus the group order) is refused', async () => {
  const wallet = createSolanaWallet();
  const bytes = Buffer.from(decodeBase58(await wallet.sign(TEXT))!);
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
  const twin = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
  const signature = encodeBase58(Buffer.concat([bytes.subarray(0, 32), twin]));
  assert.ok(!(await isSigned({ address: wallet.address, text: TEXT, signature })));
});

test('points of small order are rejected, whatever is "signed" for them', async () => {
  // For such a key a signature of zeros is valid for every eighth text, or for all.
  const keys = [Buffer.alloc(32), Buffer.from([1, ...new Array(31).fill(0)])];
  for (const key of keys) {
    const address = encodeBase58(key);
    for (let i = 0; i < 64; i += 1) {
      for (const r of keys) {
        const signature = encodeBase58(Buffer.concat([r, Buffer.alloc(32)]));
        assert.ok(!(await isSigned({ address, text: `${TEXT} ${i}`, signature })));
      }
    }
  }
});

test('bytes that are not a point of the curve are rejected', async () => {
  const address = encodeBase58(Buffer.from([2, ...new Array(31).fill(0)]));
  const signature = encodeBase58(Buffer.alloc(64, 7));
  assert.ok(!(await isSigned({ address, text: TEXT, signature })));
});
