// Which wallets can trade where.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { walletId } from '../../../test/test-ids.ts';
import { findFamily } from '../../engines/chain-families.ts';
import { BUILT_IN_CHAINS, type BuiltInSlug } from '../../model/chain.ts';
import { findTraderAddress as findOn } from './build-terms.ts';

const { addresses } = findFamily('devnet');
const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const findTraderAddress = (wallet: Parameters<typeof findOn>[0], chain: BuiltInSlug) =>
  findOn(wallet, BUILT_IN_CHAINS[chain], addresses);
const MISMATCH = { code: 'WALLET_CHAIN_MISMATCH', status: 409 };

describe('findTraderAddress', () => {
  it('an ordinary wallet trades on every EVM chain', () => {
    const wallet = { id: walletId(`eip155:${ADDRESS}`), address: ADDRESS };
    for (const chain of ['devnet', 'ethereum', 'base'] as const) {
      assert.equal(findTraderAddress(wallet, chain), ADDRESS.toLowerCase());
    }
    assert.throws(() => findTraderAddress(wallet, 'solana'), MISMATCH);
  });

  it('a contract wallet trades on its own chain only', () => {
    const wallet = { id: walletId(`eip155:8453:${ADDRESS}`), address: ADDRESS };
    assert.equal(findTraderAddress(wallet, 'base'), ADDRESS.toLowerCase());
    for (const chain of ['devnet', 'ethereum', 'solana'] as const) {
      assert.throws(() => findTraderAddress(wallet, chain), MISMATCH);
    }
  });

  it('a Solana wallet trades on no EVM chain', () => {
    const address = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
    assert.throws(
      () => findTraderAddress({ id: walletId(`solana:${address}`), address }, 'base'),
      MISMATCH,
    );
  });
});
