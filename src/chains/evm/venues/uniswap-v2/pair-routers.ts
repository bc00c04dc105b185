// Routers of exchanges with pairs: Uniswap V2's `Router02` and its forks, Camelot's with a
// referrer, and those of Solidly (Aerodrome, Velodrome), where each hop says whether its pair is
// stable. They pay the wallet directly.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import {
  listTokens,
  type OutputPlan,
  type PathPlan,
  ROUTER_STAND_INS,
  type RouterKind,
  type RouterPlace,
} from '../router-kind.ts';

const ROUTER02_ABI = parseAbi([
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline) payable returns (uint256[])',
  'function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[])',
]);
const CAMELOT_ABI = parseAbi([
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, address referrer, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, address referrer, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, address referrer, uint256 deadline)',
]);
const SOLIDLY_ABI = parseAbi([
  'struct Route { address from; address to; bool stable; address factory; }',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, Route[] routes, address to, uint256 deadline) returns (uint256[])',
  'function swapExactETHForTokens(uint256 amountOutMin, Route[] routes, address to, uint256 deadline) payable returns (uint256[])',
  'function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, Route[] routes, address to, uint256 deadline) returns (uint256[])',
]);
/** What arrives is measured by balances, so that taxed tokens can be traded, too. */
function encodeRouter02(plan: PathPlan): Hex {
  const { amountIn, amountOutMin, recipient, deadline } = plan;
  const end = [listTokens(plan.hops), recipient, deadline] as const;
  const abi = ROUTER02_ABI;
  if (plan.isNativeIn) {
    const functionName = 'swapExactETHForTokensSupportingFeeOnTransferTokens';
    return encodeFunctionData({ abi, functionName, args: [amountOutMin, ...end] });
  }
  const functionName = plan.isNativeOut
    ? 'swapExactTokensForETHSupportingFeeOnTransferTokens'
    : 'swapExactTokensForTokensSupportingFeeOnTransferTokens';
  return encodeFunctionData({ abi, functionName, args: [amountIn, amountOutMin, ...end] });
}

function encodeCamelot(plan: PathPlan): Hex {
  const { amountIn, amountOutMin, recipient, deadline } = plan;
  const end = [listTokens(plan.hops), recipient, ZERO_ADDRESS as Hex, deadline] as const;
  const abi = CAMELOT_ABI;
  if (plan.isNativeIn) {
    const functionName = 'swapExactETHForTokensSupportingFeeOnTransferTokens';
    return encodeFunctionData({ abi, functionName, args: [amountOutMin, ...end] });
  }
  const functionName = plan.isNativeOut
    ? 'swapExactTokensForETHSupportingFeeOnTransferTokens'
    : 'swapExactTokensForTokensSupportingFeeOnTransferTokens';
  return encodeFunctionData({ abi, functionName, args: [amountIn, amountOutMin, ...end] });
}

function encodeSolidly(plan: PathPlan, { factory }: RouterPlace): Hex {
  const { amountIn, amountOutMin, recipient, deadline } = plan;
  const routes = plan.hops.map(({ pool, tokenIn, tokenOut }) => {
    if (pool.kind !== 'solidly') throw new Error(`${pool.kind} pool in a path of pairs`);
    const ends = { from: tokenIn as Hex, to: tokenOut as Hex };
    return { ...ends, stable: pool.isStable, factory: (factory ?? ZERO_ADDRESS) as Hex };
  });
  const abi = SOLIDLY_ABI;
  const end = [routes, recipient, deadline] as const;
  if (plan.isNativeIn) {
    const functionName = 'swapExactETHForTokens';
    return encodeFunctionData({ abi, functionName, args: [amountOutMin, ...end] });
  }
  const functionName = plan.isNativeOut ? 'swapExactTokensForETH' : 'swapExactTokensForTokens';
  return encodeFunctionData({ abi, functionName, args: [amountIn, amountOutMin, ...end] });
}

/** The coin that is sent and not taken comes back without a further call. */
function encodeRouter02Output(plan: OutputPlan): Hex {
  const { amountOut, amountInMax } = plan;
  const end = [listTokens(plan.hops), plan.recipient, plan.deadline] as const;
  const abi = ROUTER02_ABI;
  if (plan.isNativeIn) {
    const functionName = 'swapETHForExactTokens';
    return encodeFunctionData({ abi, functionName, args: [amountOut, ...end] });
  }
  const functionName = plan.isNativeOut ? 'swapTokensForExactETH' : 'swapTokensForExactTokens';
  return encodeFunctionData({ abi, functionName, args: [amountOut, amountInMax, ...end] });
}

export const ROUTER02: RouterKind = {
  proof: { executedBy: 'contract', source: 'npm, @uniswap/v2-periphery' },
  canTax: true,
  encodeSwap: encodeRouter02,
  output: { call: 'exactPath', encode: encodeRouter02Output },
};

export const CAMELOT_ROUTER: RouterKind = {
  proof: ROUTER_STAND_INS,
  canTax: true,
  encodeSwap: encodeCamelot,
};

export const SOLIDLY_ROUTER: RouterKind = { proof: ROUTER_STAND_INS, encodeSwap: encodeSolidly };
