// Finds out whether an unknown V3-like pool swaps as our maths says: the node runs the pool's own
// code with fake tokens in place of its tokens, and our probe as the trader. Nothing is sent.
//
// Five sizes in each direction must move the very amounts that the ticks, as they were read, give.
// Sizes for which those give nothing are left out: a pool may have all its liquidity on one side.
// Each direction is asked from another address: a pool may treat callers differently.

import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import type { SwapPool } from '../../../../amm/swap-pool.ts';
import type { Address } from '../../../../model/ids.ts';
import { callProbe, type ProbeNode } from '../call-probe.ts';
import { type ForkVerdict, judgeProbe, NOT_NOW, REFUSED } from '../fork-protocol.ts';
import { CODE as RANGE_PROBE_CODE } from './range-probe.gen.ts';

interface ProbedRange {
  readonly pool: Address;
  readonly token0: Address;
  readonly token1: Address;
  /** What the pool holds. */
  readonly balance0: bigint;
  readonly balance1: bigint;
  /** The pool as it was read at the same block. */
  readonly curve: SwapPool;
}

const ABI = parseAbi([
  'function swapEach(address pool, address[2] tokens, bool zeroForOne, uint256[] amounts) returns (int256[2][] moved)',
]);
/** Parts of what the pool holds: the largest swaps cross most of its ticks. */
const DIVISORS = [3n, 50n, 1000n, 40_000n, 3_000_000n];
/** With fewer sizes, another curve could pay the same. */
const SIZES_MIN = 2;
const GAS = '0x3938700';

async function measure(
  range: ProbedRange,
  { zeroForOne, amounts }: { readonly zeroForOne: boolean; readonly amounts: readonly bigint[] },
  node: ProbeNode,
): Promise<readonly (readonly [bigint, bigint])[]> {
  const { pool, token0, token1, balance0, balance1 } = range;
  const tokens = [token0 as Hex, token1 as Hex] as const;
  const args = [pool as Hex, tokens, zeroForOne, amounts] as const;
  const data = encodeFunctionData({ abi: ABI, functionName: 'swapEach', args });
  const held = [[token0, balance0] as const, [token1, balance1] as const];
  const result = await callProbe({ code: RANGE_PROBE_CODE, data, gas: GAS, held }, node);
  return decodeFunctionResult({ abi: ABI, functionName: 'swapEach', data: result });
}

async function compareSwaps(range: ProbedRange, node: ProbeNode): Promise<ForkVerdict> {
  const { balance0, balance1, curve } = range;
  for (const zeroForOne of [true, false]) {
    const held = zeroForOne ? balance0 : balance1;
    const amounts = DIVISORS.map((divisor) => held / divisor).filter(
      (amount) => curve.swapIn(zeroForOne, amount).amountOut > 0n,
    );
    if (amounts.length < SIZES_MIN) return NOT_NOW;
    const moved = await measure(range, { zeroForOne, amounts }, node);
    const isSame = amounts.every((amount, index) => {
      const { amountIn, amountOut } = curve.swapIn(zeroForOne, amount);
      const [amount0, amount1] = moved[index] ?? [0n, 0n];
      const [took, paid] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0];
      return took === amountIn && paid === amountOut;
    });
    if (!isSame) return REFUSED;
  }
  return { kind: 'same', feePips: null };
}

export function probeRange(range: ProbedRange, node: ProbeNode): Promise<ForkVerdict> {
  return judgeProbe(() => compareSwaps(range, node));
}
