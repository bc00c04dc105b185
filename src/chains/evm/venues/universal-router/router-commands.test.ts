// The encoding of several V4 hops for each version of the router: the wrong one reverts with a
// misleading reason.

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
} as const;

const A = address(`0x${'aa'.repeat(20)}`);
const B = address(`0x${'bb'.repeat(20)}`);

function buildHop(tokenIn: Address, tokenOut: Address) {
  const [currency0, currency1] = tokenIn < tokenOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
  const key = { currency0, currency1, fee: 500, tickSpacing: 10, hooks: ZERO_ADDRESS };
  return { pool: { kind: 'v4' as const, key }, tokenIn, tokenOut };
}

/** The swap's own parameters, extracted from the call. */
function encodePath(version: '2.0' | '2.1'): Hex {
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
  for (const version of ['2.0', '2.1'] as const) {
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
});
