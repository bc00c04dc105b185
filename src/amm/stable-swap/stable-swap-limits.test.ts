// Swaps that the contract of a pool reverts because its own numbers overflow.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StableSwapPool } from './stable-swap-kind.ts';

const E18 = 10n ** 18n;

function createPool(balance: bigint, offpegMultiplier: bigint): StableSwapPool {
  return new StableSwapPool({
    ...{ index0: 0, index1: 1, balances: [balance, balance], rates: [E18, E18] },
    ...{ ampPrecise: 20_000n, fee: 4_000_000n, offpegMultiplier },
  });
}

test('a swap is refused where the contract cannot compute a fee that grows away from balance', () => {
  const grows = 2n * 10n ** 10n;
  const isFilled = (bits: bigint, offpegMultiplier: bigint) =>
    createPool(1n << bits, offpegMultiplier).swapIn(true, 1n << (bits - 4n)).isFilled;
  // The product has 36 bits more than the two balances.
  assert.equal(isFilled(109n, grows), true);
  assert.equal(isFilled(112n, grows), false);
  assert.equal(isFilled(112n, 0n), true);
});
