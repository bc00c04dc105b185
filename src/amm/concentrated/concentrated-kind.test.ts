// The fee of a swap, split into its parts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeLpFee } from './concentrated-kind.ts';

describe('computeLpFee', () => {
  it('takes the protocol off the fee that a V4 swap paid, whichever both were', () => {
    for (const protocol of [0, 1, 250, 999, 1000]) {
      for (let lp = 0; lp <= 1_000_000; lp += 997) {
        const paid = protocol + lp - Math.floor((protocol * lp) / 1_000_000);
        const found = computeLpFee(paid, protocol);
        assert.equal(protocol + found - Math.floor((protocol * found) / 1_000_000), paid);
      }
    }
  });
});
