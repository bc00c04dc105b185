// Encodes a path through pairs of Liquidity Book for LFJ's `LBRouter`: bin steps, versions and
// tokens (ABI: npm, @traderjoe-xyz/sdk-v2, MIT). It wraps and unwraps the native coin itself.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { listTokens, type PathPlan, type RouterKind } from '../router-kind.ts';

const ABI = parseAbi([
  'struct Path { uint256[] pairBinSteps; uint8[] versions; address[] tokenPath; }',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, Path path, address to, uint256 deadline) returns (uint256)',
  'function swapExactNATIVEForTokens(uint256 amountOutMin, Path path, address to, uint256 deadline) payable returns (uint256)',
  'function swapExactTokensForNATIVE(uint256 amountIn, uint256 amountOutMinNATIVE, Path path, address to, uint256 deadline) returns (uint256)',
]);

function encodeSwap(plan: PathPlan): Hex {
  const { hops, amountIn, amountOutMin, recipient, deadline } = plan;
  const pairs = hops.map(({ pool }) => {
    if (pool.kind !== 'liquidityBook') throw new Error(`${pool.kind} pool in a path of bins`);
    return pool;
  });
  const path = {
    pairBinSteps: pairs.map(({ binStep }) => BigInt(binStep)),
    versions: pairs.map(({ version }) => version),
    tokenPath: listTokens(hops),
  };
  const end = [path, recipient, deadline] as const;
  if (plan.isNativeIn) {
    const functionName = 'swapExactNATIVEForTokens';
    return encodeFunctionData({ abi: ABI, functionName, args: [amountOutMin, ...end] });
  }
  const functionName = plan.isNativeOut ? 'swapExactTokensForNATIVE' : 'swapExactTokensForTokens';
  return encodeFunctionData({ abi: ABI, functionName, args: [amountIn, amountOutMin, ...end] });
}

export const BOOK_ROUTER: RouterKind = {
  proof: { executedBy: 'standIn', source: 'test/contracts/liquidity-book.sol' },
  encodeSwap,
};
