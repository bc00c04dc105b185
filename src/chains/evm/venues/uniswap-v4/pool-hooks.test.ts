// What hooks can do, by the bits of their addresses and the ids of their pools.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem/utils';
import { buildFakeAddress } from '../../../../../test/fakes/fake-market.ts';
import { address, poolId } from '../../../../../test/test-ids.ts';
import type { Address } from '../../../../model/ids.ts';
import type { PoolDescriptionOf } from '../../../../model/pool.ts';
import type { HookClass } from '../../../../model/pool-hook.ts';
import { findHook } from './pool-hooks.ts';

const WETH = buildFakeAddress('aa', 1);
const USDC = buildFakeAddress('aa', 2);
const DYNAMIC = 0x800000;

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

/** The table of VENUES2.md, section 7: bits & 0xcc, with a fixed fee and with one of the hook. */
const TABLE: readonly (readonly [bits: number, fixed: HookClass, dynamic: HookClass])[] = [
  [0x0000, 'liquidity', 'fee'],
  [0x2a00, 'liquidity', 'fee'],
  [0x0040, 'after', 'after'],
  [0x0080, 'before', 'before'],
  [0x00c0, 'before', 'before'],
  [0x0088, 'delta', 'delta'],
  [0x0044, 'delta', 'delta'],
  [0x00cc, 'delta', 'delta'],
];

describe('a hook', () => {
  for (const [bits, fixed, dynamic] of TABLE) {
    it(`with bits ${bits.toString(16)} is of class ${fixed}, or ${dynamic} if it sets the fee`, () => {
      const ofFixed = findHook(createHooked(withBits(bits), 3000));
      const ofDynamic = findHook(createHooked(withBits(bits), DYNAMIC));
      assert.deepEqual([ofFixed?.class, ofFixed?.setsFee], [fixed, false]);
      assert.deepEqual([ofDynamic?.class, ofDynamic?.setsFee], [dynamic, true]);
    });
  }

  // Addresses of known families: Zora's coins, Clanker's launches.
  for (const [bits, name, flags] of [
    ['1040', 'after', ['afterInitialize', 'afterSwap']],
    ['10c0', 'before', ['afterInitialize', 'beforeSwap', 'afterSwap']],
    [
      '28cc',
      'delta',
      [
        ...['beforeInitialize', 'beforeAddLiquidity', 'beforeSwap', 'afterSwap'],
        ...['beforeSwapReturnsDelta', 'afterSwapReturnsDelta'],
      ],
    ],
  ] as const) {
    it(`at …${bits} gets ${flags.join(', ')}`, () => {
      const hook = findHook(createHooked(address(`0x${'ab'.repeat(18)}${bits}`), 3000));
      assert.deepEqual([hook?.class, hook?.flags], [name, flags]);
    });
  }

  it('is none without an address, and outside of V4', () => {
    const hooked = createHooked(withBits(1 << 7), 3000);
    for (const custody of [{ kind: 'singleton', hooks: null }, { kind: 'own' }] as const) {
      assert.equal(findHook({ ...hooked, terms: { tickSpacing: 60, custody } }), null);
    }
  });
});
