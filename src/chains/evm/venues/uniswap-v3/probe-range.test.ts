// What a probe of a V3-like pool compares, where the pool's state leaves some sizes unpaid.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeFunctionData, encodeFunctionResult, type Hex, parseAbi } from 'viem';
import { buildFakeAddress } from '../../../../../test/fakes/fake-market.ts';
import type { SwapPool } from '../../../../amm/swap-pool.ts';
import type { RpcClient } from '../../../rpc/rpc-client.ts';
import { probeRange } from './probe-range.ts';

const ABI = parseAbi([
  'function swapEach(address pool, address[2] tokens, bool zeroForOne, uint256[] amounts) returns (int256[2][] moved)',
]);
const HELD = 10n ** 12n;
const TOKENS = {
  ...{ pool: buildFakeAddress('aa', 1), token0: buildFakeAddress('aa', 2) },
  ...{ token1: buildFakeAddress('aa', 3), balance0: HELD, balance1: HELD },
};

/** Pays nothing below a size, else the input less a part. */
function createCurve(sizeMin: bigint): SwapPool {
  const swapIn = (_: boolean, amountIn: bigint) => {
    const amountOut = amountIn < sizeMin ? 0n : amountIn - amountIn / 100n;
    return { amountIn, amountOut, feeAmount: 0n, isFilled: true, ticksCrossed: 0 };
  };
  return { swapIn } as unknown as SwapPool;
}

/** A node whose pool swaps like a curve, and the sizes that it was asked for. */
function createNode(curve: SwapPool) {
  const sizes: bigint[] = [];
  const request = async ({ params }: { readonly params: readonly unknown[] }) => {
    const { data } = params[0] as { readonly data: Hex };
    const [, , zeroForOne, amounts] = decodeFunctionData({ abi: ABI, data }).args;
    sizes.push(...amounts);
    const moved = amounts.map((amount): readonly [bigint, bigint] => {
      const { amountIn, amountOut } = curve.swapIn(zeroForOne, amount);
      return zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn];
    });
    return encodeFunctionResult({ abi: ABI, functionName: 'swapEach', result: moved });
  };
  const at = (use: (endpoint: unknown) => unknown) => use({ name: 'node', request });
  return { client: { at } as unknown as RpcClient, sizes };
}

async function probe(curve: SwapPool, real = curve) {
  const { client, sizes } = createNode(real);
  const signal = AbortSignal.timeout(10_000);
  const { kind } = await probeRange({ ...TOKENS, curve }, { client, block: 1, signal });
  return { kind, sizes };
}

describe('probeRange', () => {
  it('compares only sizes that the ticks pay something for', async () => {
    const { kind, sizes } = await probe(createCurve(HELD / 1000n));
    assert.equal(kind, 'same');
    assert.deepEqual(sizes.slice(0, 3), [HELD / 3n, HELD / 50n, HELD / 1000n]);
    assert.equal(sizes.length, 6);
  });

  it('says nothing of a pool that pays for hardly any size', async () => {
    assert.deepEqual(await probe(createCurve(HELD)), { kind: 'notNow', sizes: [] });
    assert.equal((await probe(createCurve(HELD / 3n))).kind, 'notNow');
  });

  it('refuses a pool that pays otherwise', async () => {
    const { kind } = await probe(createCurve(0n), createCurve(HELD / 1000n));
    assert.equal(kind, 'refused');
  });
});
