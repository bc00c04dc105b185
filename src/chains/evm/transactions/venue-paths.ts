// Paths as the routers of exchanges take them: tokens, and what stands between two of them.

import type { Hex } from 'viem';
import { encodePacked } from 'viem/utils';
import type { Address } from '../../../model/ids.ts';
import { ZERO_ADDRESS } from '../zero-address.ts';
import type { SwapHop, SwapPlan } from './swap-plan.ts';

/** One path, with what the calls of all kinds of routers take. */
export interface PathEnds {
  readonly hops: readonly SwapHop[];
  /** What the wallet spends and receives; the zero address is the native coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly recipient: Hex;
  readonly deadline: bigint;
  readonly isNativeIn: boolean;
  readonly isNativeOut: boolean;
}

/** For a given input. */
export interface PathPlan extends PathEnds {
  readonly amountIn: bigint;
  readonly amountOutMin: bigint;
  /** Whether a router that can holds the output first, and forwards it if the minimum is there. */
  readonly holdsOutput: boolean;
}

/** For a given output. */
export interface OutputPlan extends PathEnds {
  readonly amountOut: bigint;
  readonly amountInMax: bigint;
}

export function toPathEnds(
  hops: readonly SwapHop[],
  plan: Pick<SwapPlan, 'recipient' | 'deadlineSeconds' | 'tokenIn' | 'tokenOut'>,
): PathEnds {
  const { tokenIn, tokenOut } = plan;
  return {
    ...{ hops, tokenIn, tokenOut },
    recipient: plan.recipient as Hex,
    deadline: BigInt(plan.deadlineSeconds),
    isNativeIn: tokenIn === ZERO_ADDRESS,
    isNativeOut: tokenOut === ZERO_ADDRESS,
  };
}

/** What stands between two tokens of a path. */
type EncodeMark = (hop: SwapHop) => string;

export type RangeRouterKind = 'swapRouter' | 'slipstream' | 'algebra';

export function listTokens(hops: readonly SwapHop[]): Hex[] {
  const [first] = hops;
  if (first === undefined) throw new Error('a path without hops');
  return [first.tokenIn, ...hops.map(({ tokenOut }) => tokenOut)] as Hex[];
}

function requireV3({ pool }: SwapHop) {
  if (pool.kind !== 'v3') throw new Error(`${pool.kind} pool in a path of V3 pools`);
  return pool;
}

export const encodeFee: EncodeMark = (hop) =>
  encodePacked(['uint24'], [requireV3(hop).feePips]).slice(2);

export const PATH_MARKS: Readonly<Record<RangeRouterKind, EncodeMark>> = {
  swapRouter: encodeFee,
  slipstream: (hop) => encodePacked(['int24'], [requireV3(hop).tickSpacing]).slice(2),
  algebra: () => '',
};

export function encodePath(hops: readonly SwapHop[], encodeMark: EncodeMark): Hex {
  const [first, ...others] = listTokens(hops);
  const steps = hops.map((hop, index) => encodeMark(hop) + (others[index] ?? '').slice(2));
  return `${first ?? '0x'}${steps.join('')}`;
}

/** From the last token to the first, as calls for a given output take it. */
export function encodePathBack(hops: readonly SwapHop[], encodeMark: EncodeMark): Hex {
  const back = hops.toReversed().map(({ tokenIn, tokenOut, ...hop }) => {
    return { ...hop, tokenIn: tokenOut, tokenOut: tokenIn };
  });
  return encodePath(back, encodeMark);
}
