// EVM names have one stored form and one shown form.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EVM_FAMILY } from './evm-family.ts';

const SHOWN = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const STORED = SHOWN.toLowerCase();
const WORD = `0x${'aB'.repeat(32)}`;

describe('addresses', () => {
  const { addresses } = EVM_FAMILY;

  it('are taken in any case, stored in lower case and shown with a checksum', () => {
    for (const text of [SHOWN, STORED, `0x${SHOWN.slice(2).toUpperCase()}`]) {
      assert.equal(addresses.parse(text), STORED);
      assert.equal(addresses.parsePool(text), STORED);
    }
    assert.equal(addresses.toShown(STORED), SHOWN);
  });

  it('are 20 bytes; a pool may have 32', () => {
    for (const text of ['', '0x', STORED.slice(2), `${STORED}0`, `${STORED} `, WORD]) {
      assert.equal(addresses.parse(text), null);
    }
    assert.equal(addresses.parsePool(WORD), WORD.toLowerCase());
    assert.equal(addresses.toShown(WORD.toLowerCase()), WORD.toLowerCase());
    assert.equal(addresses.parsePool(`${WORD}0`), null);
  });

  it('have one that stands for the native coin', () => {
    assert.equal(addresses.parse(addresses.native), addresses.native);
  });
});

describe('transaction ids', () => {
  it('are 32 bytes, stored in lower case', () => {
    const { transactionIds } = EVM_FAMILY;
    assert.equal(transactionIds.parse(WORD), WORD.toLowerCase());
    for (const text of ['', STORED, WORD.slice(2), `${WORD}0`]) {
      assert.equal(transactionIds.parse(text), null);
    }
  });
});
