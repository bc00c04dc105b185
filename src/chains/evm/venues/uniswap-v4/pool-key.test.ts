// The key of a V4 pool, whatever its row says of the fee.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress } from '../../../../../test/fakes/fake-market.ts';
import { addProtocolFee } from '../../../../amm/concentrated/concentrated-kind.ts';
import type { Address } from '../../../../model/ids.ts';
import type { PoolDescriptionOf } from '../../../../model/pool.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { computeV4PoolId, DYNAMIC_FEE, toPoolKey } from './pool-key.ts';

const token0 = buildFakeAddress('aa', 1);
const token1 = buildFakeAddress('aa', 2);
const HOOKS = buildFakeAddress('bb', 1);
const tickSpacing = 60;

function readKeyFee(pool: {
  readonly keyFee: number;
  /** What the row has, such as the fee that the last swap paid. */
  readonly feePips: number;
  readonly hooks: Address | null;
}): number {
  const { keyFee, feePips, hooks } = pool;
  const key = { token0, token1, tickSpacing, feePips: keyFee, hooks: hooks ?? ZERO_ADDRESS };
  const description: PoolDescriptionOf<'concentrated'> = {
    ...{ pool: computeV4PoolId(key), kind: 'concentrated', venue: 'uniswap-v4', token0, token1 },
    ...{ feePips, vault: token0, terms: { tickSpacing, custody: { kind: 'singleton', hooks } } },
  };
  return toPoolKey(description)?.fee ?? assert.fail();
}

describe('the key of a V4 pool has its own fee', () => {
  for (const hooks of [null, HOOKS]) {
    const what = hooks === null ? 'without a hook' : 'with a hook';

    it(`${what}, as its row says`, () => {
      assert.equal(readKeyFee({ keyFee: 3000, feePips: 3000, hooks }), 3000);
    });

    for (const protocolPips of [1, 250, 1000]) {
      it(`${what}, where swaps paid ${protocolPips} to the protocol before its adoption`, () => {
        const feePips = addProtocolFee(3000, protocolPips);
        assert.equal(readKeyFee({ keyFee: 3000, feePips, hooks }), 3000);
      });
    }
  }

  it('or says that a hook decides', () => {
    const hooks = HOOKS;
    assert.equal(readKeyFee({ keyFee: DYNAMIC_FEE, feePips: 1234, hooks }), DYNAMIC_FEE);
  });
});
