// Births, deposits and ends of curves, as recorded transactions have them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  readSolanaTransaction,
  skipWithoutSolana as skip,
} from '../../../../test/solana-fixtures.ts';
import { decodeTrades } from '../blocks/decode-trades.ts';

function readCalls(name: string) {
  return decodeTrades(readSolanaTransaction(`transactions/${name}.json`)).poolCalls;
}

describe('a recorded transaction', { skip }, () => {
  it('that creates a coin has the birth of its curve, with its first reserves', () => {
    const [birth, ...others] = readCalls('pivox-pumpfun-create-v2-initial-buy');
    assert.deepEqual(others, []);
    assert.deepEqual(birth, {
      ...{ kind: 'birth', outer: 2, inner: -1, heldAfter: null },
      pool: 'GiNeuFq3G3pWy93UU2zCF8QoTki7Sm6vstwjPhhKxiCv',
      mint: '4i39ueoavjHaMwv6Lizq5LYjAi4xDqGDEnj7CmS3pump',
      change: {
        poolKind: 'pump',
        set: {
          ...{ reserve0: 1_073_000_000_000_000n, reserve1: 30_000_000_000n },
          ...{ held0: 793_100_000_000_000n, held1: 0n, isComplete: false, isMigrated: false },
        },
      },
    });
  });

  it('that moves a coin to PumpSwap ends its curve, and has the birth and boost of its pool', () => {
    const [end, birth, boost, ...others] = readCalls('pivox-pumpswap-migrate-v2-create-pool');
    assert.deepEqual(others, []);
    assert.ok(boost?.kind === 'touch' && boost.pool.startsWith('HqDQGE') && !boost.isGuess);
    assert.equal(end?.kind, 'end');
    assert.ok(end.pool.startsWith('91a4C4') && end.mint?.startsWith('HkRvV6'));
    assert.ok(birth?.kind === 'birth' && birth.pool.startsWith('HqDQGE'));
    assert.deepEqual(birth.heldAfter, [206_900_000_000_000n, 67_405_853_847n]);
  });

  it('without such calls has none', () => {
    for (const name of ['pivox-pumpswap-sell', 'mm-swap-failed-transaction', 'agavesim-JSON1']) {
      assert.deepEqual(readCalls(name), [], name);
    }
  });
});
