// Calls that pay out what a router of V3's family holds at the end of a trade.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { PathEnds, RangeRouterKind } from './venue-paths.ts';

/** The coin's functions have other names at Algebra. */
const abi = parseAbi([
  'function sweepToken(address token, uint256 amountMinimum, address recipient) payable',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function refundETH() payable',
  'function unwrapWNativeToken(uint256 amountMinimum, address recipient) payable',
  'function refundNativeToken() payable',
]);

type PayingRouterKind = RangeRouterKind | 'smart';

function encodeSweep(token: string, least: bigint, recipient: Hex): Hex {
  const args = [token as Hex, least, recipient] as const;
  return encodeFunctionData({ abi, functionName: 'sweepToken', args });
}

/** Forwards all of the output that the router holds, if it is enough. */
export function encodeForward(plan: PathEnds, least: bigint, kind: PayingRouterKind): Hex {
  const { recipient, tokenOut, isNativeOut } = plan;
  if (!isNativeOut) return encodeSweep(tokenOut, least, recipient);
  const functionName = kind === 'algebra' ? 'unwrapWNativeToken' : 'unwrapWETH9';
  return encodeFunctionData({ abi, functionName, args: [least, recipient] });
}

/**
 * Sends the wallet what pools after the first did not take: a range that runs dry stops early, and
 * the router was paid before. Pairs take all of it.
 */
export function encodeLeftovers({ hops, recipient }: PathEnds): Hex[] {
  const dry = hops.slice(1).filter(({ pool }) => pool.kind === 'v3');
  return dry.map(({ tokenIn }) => encodeSweep(tokenIn, 0n, recipient));
}

/** Sends the coin back that was sent and not taken. */
export function encodeRefund({ isNativeIn }: PathEnds, kind: PayingRouterKind): Hex[] {
  const functionName = kind === 'algebra' ? 'refundNativeToken' : 'refundETH';
  return isNativeIn ? [encodeFunctionData({ abi, functionName })] : [];
}
