// Which hooks are trusted not to touch swaps.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem/utils';
import { buildFakeAddress } from '../../../../../test/fakes/fake-market.ts';
import { poolId } from '../../../../../test/test-ids.ts';
import type { Address } from '../../../../model/ids.ts';
import type { PoolDescriptionOf } from '../../../../model/pool.ts';
import { leavesSwapsAlone } from './pool-hooks.ts';

const WETH = buildFakeAddress('aa', 1);
const USDC = buildFakeAddress('aa', 2);

describe('leavesSwapsAlone', () => {
  function createHooked(hooks: Address, keyFee: number): PoolDescriptionOf<'concentrated'> {
    const key = [WETH, USDC, keyFee, 60, hooks] as [
      `0x${string}`,
      `0x${string}`,
      number,
      number,
      `0x${string}`,
    ];
    const types = parseAbiParameters('address, address, uint24, int24, address');
    return {
      pool: poolId(keccak256(encodeAbiParameters(types, key))),
      venue: 'uniswap-v4',
      token0: WETH,
      token1: USDC,
      feePips: 3000,
      kind: 'concentrated',
      terms: { tickSpacing: 60, custody: { kind: 'singleton', hooks } },
      vault: buildFakeAddress('bb', 1),
    };
  }

  const withBits = (bits: number) => buildFakeAddress('cc', bits);

  it('trusts no hook that is called in swaps', () => {
    assert.equal(leavesSwapsAlone(createHooked(withBits(1 << 7), 3000)), false);
    assert.equal(leavesSwapsAlone(createHooked(withBits(1 << 6), 3000)), false);
    assert.equal(leavesSwapsAlone(createHooked(withBits((1 << 7) | (1 << 3)), 3000)), false);
  });

  it('trusts one that is called for liquidity only, if the pool sets its own fee', () => {
    const hooks = withBits((1 << 11) | (1 << 9));
    assert.equal(leavesSwapsAlone(createHooked(hooks, 3000)), true);
    assert.equal(leavesSwapsAlone(createHooked(hooks, 0x800000)), false);
  });

  it('trusts a pool without a hook', () => {
    const hooked = createHooked(withBits(1 << 7), 3000);
    for (const custody of [{ kind: 'singleton', hooks: null }, { kind: 'own' }] as const) {
      assert.equal(leavesSwapsAlone({ ...hooked, terms: { tickSpacing: 60, custody } }), true);
    }
  });
});
