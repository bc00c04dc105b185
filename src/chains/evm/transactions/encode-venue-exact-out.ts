// Encodes a trade with a given output as one call of an exchange's own router. Such a trade is one
// path through pools of one kind; the call names what it pays and the most that it may take.
//
// The Router02 and Balancer's vault pay the wallet directly. The others hold the output first and
// forward it if all of it is there: they compare what a pool sent, and a token may begin to deduct
// from transfers after the build. Of the native coin the maximum is sent, and the rest comes back.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { ZERO_ADDRESS } from '../zero-address.ts';
import { type EncodedCall, last } from './encode-swap.ts';
import { encodeVaultOutput } from './encode-vault-swap.ts';
import type { ExactOutPlan } from './swap-plan.ts';
import type { VenueRouter } from './swap-routers.ts';
import {
  encodeFee,
  encodePathBack,
  listTokens,
  type OutputPlan,
  PATH_MARKS,
  type RangeRouterKind,
  toPathEnds,
} from './venue-paths.ts';
import { encodeForward, encodeRefund } from './venue-payments.ts';

const ROUTER02_ABI = parseAbi([
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline) payable returns (uint256[])',
  'function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[])',
]);
const SWAP_ROUTER_ABI = parseAbi([
  'struct Swap { bytes path; address recipient; uint256 deadline; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactOutput(Swap swap) payable returns (uint256)',
  'function multicall(bytes[] calls) payable returns (bytes[])',
]);
const SMART_ABI = parseAbi([
  'struct Swap { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactOutput(Swap swap) payable returns (uint256)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to) payable returns (uint256)',
  'function multicall(uint256 deadline, bytes[] calls) payable returns (bytes[])',
]);

/** As the recipient: the router itself. */
const SWAP_ROUTER_SELF = ZERO_ADDRESS as Hex;
const SMART_SELF: Hex = '0x0000000000000000000000000000000000000002';

function toOutputPlan(plan: ExactOutPlan): OutputPlan {
  const [strand, ...others] = plan.strands;
  if (strand === undefined || others.length > 0) throw new Error('this router takes one path');
  const { hops } = strand;
  const { askedOutRaw, pool } = last(hops);
  if (askedOutRaw === undefined) throw new Error('a path that is asked for nothing');
  if (hops.some((hop) => hop.pool.kind !== pool.kind)) {
    throw new Error('this router pays a given output through pools of one kind');
  }
  return { ...toPathEnds(hops, plan), amountOut: askedOutRaw, amountInMax: plan.amountInMax };
}

/** The coin that is sent and not taken comes back without a further call. */
function encodeRouter02(plan: OutputPlan): Hex {
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

/** Forwards the output if all of it is there, and sends the rest of the coin back. */
function encodePayments(plan: OutputPlan, kind: RangeRouterKind | 'smart'): Hex[] {
  return [encodeForward(plan, plan.amountOut, kind), ...encodeRefund(plan, kind)];
}

function encodeSwapRouter(plan: OutputPlan, kind: RangeRouterKind): Hex {
  const { amountOut, amountInMax, deadline } = plan;
  const abi = SWAP_ROUTER_ABI;
  const path = encodePathBack(plan.hops, PATH_MARKS[kind]);
  const ends = { path, recipient: SWAP_ROUTER_SELF, deadline };
  const swap = { ...ends, amountOut, amountInMaximum: amountInMax };
  const call = encodeFunctionData({ abi, functionName: 'exactOutput', args: [swap] });
  const calls = [call, ...encodePayments(plan, kind)];
  return encodeFunctionData({ abi, functionName: 'multicall', args: [calls] });
}

function encodeSmartSwap({ hops, amountOut, amountInMax }: OutputPlan): Hex {
  const abi = SMART_ABI;
  if (hops[0]?.pool.kind === 'v2') {
    const args = [amountOut, amountInMax, listTokens(hops), SMART_SELF] as const;
    return encodeFunctionData({ abi, functionName: 'swapTokensForExactTokens', args });
  }
  const ends = { path: encodePathBack(hops, encodeFee), recipient: SMART_SELF };
  const swap = { ...ends, amountOut, amountInMaximum: amountInMax };
  return encodeFunctionData({ abi, functionName: 'exactOutput', args: [swap] });
}

function encodeData(plan: OutputPlan, { kind, name }: VenueRouter): Hex {
  switch (kind) {
    case 'router02':
      return encodeRouter02(plan);
    case 'smart': {
      const calls = [encodeSmartSwap(plan), ...encodePayments(plan, kind)];
      const args = [plan.deadline, calls] as const;
      return encodeFunctionData({ abi: SMART_ABI, functionName: 'multicall', args });
    }
    case 'vault':
      return encodeVaultOutput(plan);
    case 'camelot':
    case 'solidly':
    case 'curve':
      throw new Error(`${name} has no call for a given output`);
    default:
      return encodeSwapRouter(plan, kind);
  }
}

/** The swap call; the maximum must be approved before, unless it is the native coin. */
export function encodeVenueExactOut(plan: ExactOutPlan, router: VenueRouter): EncodedCall {
  const path = toOutputPlan(plan);
  return {
    to: router.address,
    data: encodeData(path, router),
    value: path.isNativeIn ? path.amountInMax : 0n,
  };
}
