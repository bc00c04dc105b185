// Finds out what an unknown V2-like pair charges, by swapping in it: the node runs the pair's own
// code with fake tokens in place of its tokens, and our probe as the trader. Nothing is sent.
//
// For three sizes in both directions the probe searches the largest output that the pair lets out.
// Only a pair whose outputs all fit one fee is a constant product; any other is refused.

import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import type { Address } from '../../../model/ids.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { callProbe, INABILITY, type ProbeNode } from './call-probe.ts';
import { CODE as FORK_PROBE_CODE } from './fork-probe.gen.ts';

export interface ProbedPair {
  readonly pair: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

/** `unable`: the node cannot run the probe, so nothing is known. */
export type PairVerdict =
  | { readonly kind: 'fee'; readonly feePips: number }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unable' };

const ABI = parseAbi([
  'struct Try { address pair; address tokenIn; bool zeroForOne; uint256 amountIn; }',
  'function maxOut(Try one, uint256 reserveOut) returns (uint256 best, uint256 reserve0, uint256 reserve1)',
]);
/** A search takes some 110 tries of a swap. */
const GAS = '0x1c9c380';
const DIVISORS = [1n, 7n, 1000n];
const PIPS = 1_000_000n;
const FEE_MAX = 100_000;
const FEE_STEP = 10;
const SIDES = [true, false];

interface Sample {
  readonly zeroForOne: boolean;
  readonly amountIn: bigint;
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
}

function listSamples({ reserve0, reserve1 }: ProbedPair): Sample[] {
  return SIDES.flatMap((zeroForOne) => {
    const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0];
    return DIVISORS.map((divisor) => ({
      ...{ zeroForOne, reserveIn, reserveOut, amountIn: reserveIn / divisor },
    }));
  });
}

/** Null if the pair let nothing out; throws if the node cannot tell. */
async function measure(
  { pair, token0, token1, reserve0, reserve1 }: ProbedPair,
  { zeroForOne, amountIn, reserveIn, reserveOut }: Sample,
  node: ProbeNode,
): Promise<bigint | null> {
  const tokenIn = (zeroForOne ? token0 : token1) as Hex;
  const args = [{ pair: pair as Hex, tokenIn, zeroForOne, amountIn }, reserveOut] as const;
  const data = encodeFunctionData({ abi: ABI, functionName: 'maxOut', args });
  const held = [[token0, reserve0] as const, [token1, reserve1] as const];
  const result = await callProbe({ code: FORK_PROBE_CODE, data, gas: GAS, held }, node);
  const [best, after0, after1] = decodeFunctionResult({
    ...{ abi: ABI, functionName: 'maxOut', data: result },
  });
  const isKept = (zeroForOne ? after0 : after1) === reserveIn + amountIn;
  return best > 0n && isKept ? best : null;
}

/** What a constant product with this fee lets out. */
function computeOut({ amountIn, reserveIn, reserveOut }: Sample, feePips: number): bigint {
  const charged = amountIn * (PIPS - BigInt(feePips));
  return (charged * reserveOut) / (reserveIn * PIPS + charged);
}

/** The only fee that gives all outputs; null if there is none or more than one. */
export function fitFee(
  samples: readonly (Sample & { readonly amountOut: bigint })[],
): number | null {
  const fits: number[] = [];
  for (let fee = 0; fee <= FEE_MAX && fits.length < 2; fee += FEE_STEP) {
    if (samples.every((sample) => computeOut(sample, fee) === sample.amountOut)) fits.push(fee);
  }
  return fits.length === 1 ? (fits[0] ?? null) : null;
}

export async function probePair(pair: ProbedPair, node: ProbeNode): Promise<PairVerdict> {
  const samples = [];
  try {
    for (const sample of listSamples(pair)) {
      const amountOut = await measure(pair, sample, node);
      if (amountOut === null) return { kind: 'refused' };
      samples.push({ ...sample, amountOut });
    }
  } catch (error) {
    if (isRpcError(error, 'reverted')) return { kind: 'refused' };
    if (isRpcError(error, ...INABILITY)) return { kind: 'unable' };
    throw error;
  }
  const feePips = fitFee(samples);
  return feePips === null ? { kind: 'refused' } : { kind: 'fee', feePips };
}
