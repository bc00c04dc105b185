// Encodes a swap plan as one call of an exchange's own router. Such a plan is one path: its first
// pool is paid by the wallet, who has approved the router, or with the coin that is sent along.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { Address } from '../../../model/ids.ts';
import { ZERO_ADDRESS } from '../zero-address.ts';
import { encodeCurveSwap } from './encode-curve-swap.ts';
import { type EncodedCall, last } from './encode-swap.ts';
import { encodeVaultSwap } from './encode-vault-swap.ts';
import type { SwapHop, SwapPlan } from './swap-plan.ts';
import type { VenueRouter } from './swap-routers.ts';
import {
  encodeFee,
  encodePath,
  listTokens,
  PATH_MARKS,
  type PathPlan,
  type RangeRouterKind,
  toPathEnds,
} from './venue-paths.ts';
import { encodeForward, encodeLeftovers, encodeRefund } from './venue-payments.ts';

const ROUTER02_ABI = parseAbi([
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
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
const SWAP_ROUTER_ABI = parseAbi([
  'struct Swap { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; }',
  'function exactInput(Swap swap) payable returns (uint256)',
  'function multicall(bytes[] calls) payable returns (bytes[])',
]);
const SMART_ABI = parseAbi([
  'struct Swap { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'function exactInput(Swap swap) payable returns (uint256)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256)',
  'function multicall(uint256 deadline, bytes[] calls) payable returns (bytes[])',
]);

/** As a smart router calls itself, and as its amount: all that it holds. */
const SMART_SELF: Hex = '0x0000000000000000000000000000000000000002';
const SMART_BALANCE = 0n;

function toPathPlan(plan: SwapPlan): PathPlan {
  const [strand, ...others] = plan.strands;
  if (strand === undefined || others.length > 0) throw new Error('this router takes one path');
  const { hops, amountInRaw: amountIn } = strand;
  const { tokenOut, amountOutMin } = plan;
  // Pairs are paid by a call that compares what has arrived.
  const isSent = plan.holdsOutput === true && last(hops).pool.kind !== 'v2';
  const holdsOutput = tokenOut === ZERO_ADDRESS || (isSent && plan.outputTaxBps === 0);
  return { ...toPathEnds(hops, plan), amountIn, amountOutMin, holdsOutput };
}

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

function encodeSolidly(plan: PathPlan, factory: Address | null): Hex {
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

/** The coin is unwrapped by the router, and what pools did not take is sent back. */
function encodeSwapRouter(plan: PathPlan, kind: RangeRouterKind): Hex {
  const { amountIn, amountOutMin, recipient, deadline, holdsOutput } = plan;
  const abi = SWAP_ROUTER_ABI;
  const swap = {
    path: encodePath(plan.hops, PATH_MARKS[kind]),
    // The zero address is the router itself.
    recipient: holdsOutput ? (ZERO_ADDRESS as Hex) : recipient,
    ...{ deadline, amountIn, amountOutMinimum: amountOutMin },
  };
  const calls = [
    encodeFunctionData({ abi, functionName: 'exactInput', args: [swap] }),
    ...(holdsOutput ? [encodeForward(plan, amountOutMin, kind)] : []),
    ...encodeLeftovers(plan),
    ...encodeRefund(plan, kind),
  ];
  const [only, ...more] = calls;
  if (only !== undefined && more.length === 0) return only;
  return encodeFunctionData({ abi, functionName: 'multicall', args: [calls] });
}

/** Hops in a row of one kind. */
function splitByKind(hops: readonly SwapHop[]): SwapHop[][] {
  const segments: SwapHop[][] = [];
  for (const hop of hops) {
    const segment = segments.at(-1);
    if (segment?.[0]?.pool.kind === hop.pool.kind) segment.push(hop);
    else segments.push([hop]);
  }
  return segments;
}

function encodeSmart(plan: PathPlan): Hex {
  const { amountOutMin, recipient, holdsOutput } = plan;
  const abi = SMART_ABI;
  const segments = splitByKind(plan.hops);
  const calls = segments.map((hops, index) => {
    const isLast = index === segments.length - 1;
    const amountIn = index === 0 ? plan.amountIn : SMART_BALANCE;
    const to = isLast && !holdsOutput ? recipient : SMART_SELF;
    const least = isLast ? amountOutMin : 0n;
    if (hops[0]?.pool.kind === 'v2') {
      const args = [amountIn, least, listTokens(hops), to] as const;
      return encodeFunctionData({ abi, functionName: 'swapExactTokensForTokens', args });
    }
    const path = encodePath(hops, encodeFee);
    const swap = { path, recipient: to, amountIn, amountOutMinimum: least };
    return encodeFunctionData({ abi, functionName: 'exactInput', args: [swap] });
  });
  if (holdsOutput) calls.push(encodeForward(plan, amountOutMin, 'smart'));
  calls.push(...encodeLeftovers(plan), ...encodeRefund(plan, 'smart'));
  return encodeFunctionData({ abi, functionName: 'multicall', args: [plan.deadline, calls] });
}

function encodeData(plan: PathPlan, { kind, factory, wrapped }: VenueRouter): Hex {
  switch (kind) {
    case 'router02':
      return encodeRouter02(plan);
    case 'camelot':
      return encodeCamelot(plan);
    case 'solidly':
      return encodeSolidly(plan, factory);
    case 'smart':
      return encodeSmart(plan);
    case 'vault':
      return encodeVaultSwap(plan);
    case 'curve':
      return encodeCurveSwap(plan, wrapped);
    default:
      return encodeSwapRouter(plan, kind);
  }
}

/** The swap call; its input must be approved before, unless it is the native coin. */
export function encodeVenueSwap(plan: SwapPlan, router: VenueRouter): EncodedCall {
  const path = toPathPlan(plan);
  return {
    to: router.address,
    data: encodeData(path, router),
    value: path.isNativeIn ? path.amountIn : 0n,
  };
}
