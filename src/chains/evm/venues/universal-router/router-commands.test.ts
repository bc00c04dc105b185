// The encoding of swaps for each version of the router: the wrong one reverts with a misleading
// reason.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decodeAbiParameters,
  decodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
} from 'viem';
import { address } from '../../../../../test/test-ids.ts';
import {
  UNIVERSAL_ROUTER_VERSIONS,
  type UniversalRouterVersion,
} from '../../../../model/chain-contracts.ts';
import type { Address } from '../../../../model/ids.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { ROUTER, RouterCommands } from './router-commands.ts';

const EXECUTE = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline)']);
const PATH_KEY =
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }';
const LAYOUTS = {
  '2.0': parseAbiParameters([
    'Swap swap',
    PATH_KEY,
    'struct Swap { address currencyIn; PathKey[] path; uint128 amountIn; uint128 amountOutMinimum; }',
  ]),
  '2.1': parseAbiParameters([
    'Swap swap',
    PATH_KEY,
    'struct Swap { address currencyIn; PathKey[] path; uint256[] maxHopSlippage; uint128 amountIn; uint128 amountOutMinimum; }',
  ]),
  '2.1.1': parseAbiParameters([
    'Swap swap',
    PATH_KEY,
    'struct Swap { address currencyIn; PathKey[] path; uint256[] minHopPriceX36; uint128 amountIn; uint128 amountOutMinimum; }',
  ]),
} as const;

/** As the contract of 2.1.1 reads them: universal-router (Dispatcher.sol), v4-periphery. */
const V2_HOPS = parseAbiParameters('address, uint256, uint256, address[], bool, uint256[]');
const V3_HOPS = parseAbiParameters('address, uint256, uint256, bytes, bool, uint256[]');
const V4_SINGLE_HOP = parseAbiParameters([
  'Swap swap',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Swap { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; uint256 minHopPriceX36; bytes hookData; }',
]);

const A = address(`0x${'aa'.repeat(20)}`);
const B = address(`0x${'bb'.repeat(20)}`);

function buildHop(tokenIn: Address, tokenOut: Address) {
  const [currency0, currency1] = tokenIn < tokenOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
  const key = { currency0, currency1, fee: 500, tickSpacing: 10, hooks: ZERO_ADDRESS };
  return { pool: { kind: 'v4' as const, key }, tokenIn, tokenOut };
}

/** The swap's own parameters, extracted from the call. */
function encodePath(version: UniversalRouterVersion): Hex {
  const commands = new RouterCommands(version);
  commands.v4Swap({
    hops: [buildHop(ZERO_ADDRESS, A), buildHop(A, B)],
    amountIn: 5n,
    amountOutMin: 3n,
    recipient: ROUTER,
    payerIsUser: false,
  });
  const { args } = decodeFunctionData({ abi: EXECUTE, data: commands.encode(9) });
  assert.deepEqual([args[0], args[2]], ['0x10', 9n]);
  const [actions, params] = decodeAbiParameters(
    parseAbiParameters('bytes, bytes[]'),
    args[1][0] ?? '0x',
  );
  assert.equal(actions, '0x070b0e');
  return params[0] ?? '0x';
}

describe('RouterCommands', () => {
  for (const version of UNIVERSAL_ROUTER_VERSIONS) {
    it(`lays several V4 hops out as ${version} reads them`, () => {
      const [swap] = decodeAbiParameters(LAYOUTS[version], encodePath(version));
      assert.deepEqual([swap.amountIn, swap.amountOutMinimum], [5n, 3n]);
      const steps = swap.path.map((step) => step.intermediateCurrency.toLowerCase());
      assert.deepEqual(steps, [A, B]);
    });
  }

  it('gives the two versions different words', () => {
    assert.notEqual(encodePath('2.0'), encodePath('2.1'));
  });

  it('gives 2.1.1 a list of least prices in swaps of V2 and V3, and a word in one of V4', () => {
    const commands = new RouterCommands('2.1.1');
    const ends = { recipient: A, payerIsUser: true };
    const v2 = {
      ...ends,
      hops: [{ pool: { kind: 'v2' as const, pair: B }, tokenIn: A, tokenOut: B }],
    };
    const v3 = {
      ...ends,
      hops: [
        { pool: { kind: 'v3' as const, feePips: 500, tickSpacing: 10 }, tokenIn: A, tokenOut: B },
      ],
    };
    const v4 = { ...ends, hops: [buildHop(A, B)] };
    const [given, wanted] = [
      { amountIn: 5n, amountOutMin: 3n },
      { amountOut: 3n, amountInMax: 5n },
    ];
    commands.v2Swap({ ...v2, ...given });
    commands.v3Swap({ ...v3, ...given });
    commands.v4Swap({ ...v4, ...given });
    commands.v2ExactOut({ ...v2, ...wanted });
    commands.v3ExactOut({ ...v3, ...wanted });
    commands.v4ExactOut({ ...v4, ...wanted });
    const { args } = decodeFunctionData({ abi: EXECUTE, data: commands.encode(9) });
    assert.equal(args[0], '0x080010090110');
    const at = (index: number) => args[1][index] ?? '0x';
    for (const [index, amounts] of [
      [0, [5n, 3n]],
      [3, [3n, 5n]],
    ] as const) {
      const v2Read = decodeAbiParameters(V2_HOPS, at(index));
      const v3Read = decodeAbiParameters(V3_HOPS, at(index + 1));
      const actions = decodeAbiParameters(parseAbiParameters('bytes, bytes[]'), at(index + 2));
      const [v4Read] = decodeAbiParameters(V4_SINGLE_HOP, actions[1][0] ?? '0x');
      for (const read of [v2Read, v3Read]) {
        assert.deepEqual([read[1], read[2], read[4], read[5]], [...amounts, true, []]);
      }
      assert.deepEqual([v4Read.amountIn, v4Read.amountOutMinimum], amounts);
      assert.deepEqual([v4Read.minHopPriceX36, v4Read.hookData], [0n, '0x']);
    }
  });
});
