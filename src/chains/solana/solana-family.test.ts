// Solana names have one spelling.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as ids from '../../../test/test-ids.ts';
import { createSolanaWallet } from '../../../test/wallets.ts';
import { encodeBase58 } from '../../lib/base58.ts';
import { SOLANA_FAMILY } from './solana-family.ts';

const ID = encodeBase58(Buffer.alloc(64, 9));

describe('Solana addresses', () => {
  const { addresses } = SOLANA_FAMILY;

  it('are base58 of 32 bytes and are shown as they are stored', () => {
    const { address } = createSolanaWallet();
    assert.equal(addresses.parse(address), address);
    assert.equal(addresses.parsePool(address), address);
    assert.equal(addresses.toShown(ids.address(address)), address);
    const others = ['', 'x', `${address} `, `1${address}`, 'l'.repeat(44), ID];
    for (const text of [...others, `0x${'0'.repeat(40)}`]) {
      assert.equal(addresses.parse(text), null, text);
    }
  });

  it('have an id for the native coin', () => {
    assert.equal(addresses.parse(addresses.native), addresses.native);
    assert.equal(addresses.native, encodeBase58(new Uint8Array(32)));
  });
});

describe('Solana transaction ids', () => {
  it('are base58 of 64 bytes', () => {
    const { transactionIds } = SOLANA_FAMILY;
    assert.equal(transactionIds.parse(ID), ID);
    for (const text of ['', ID.slice(1), `${ID}1`, createSolanaWallet().address]) {
      assert.equal(transactionIds.parse(text), null, text);
    }
  });
});
