// Routers of exchanges with concentrated pools: Uniswap V3's `SwapRouter`, Slipstream's, Algebra's,
// and the smart routers (`SwapRouter02`, PancakeSwap's), which take pairs and pools in one path.
//
// For a given output they hold it first and forward it if all of it is there: they compare what a
// pool sent, and a token may begin to deduct from transfers after the build. Of the native coin the
// maximum is sent, and the rest comes back.

import type { Hex } from 'viem';
import { encodeFunctionData, encodePacked, parseAbi } from 'viem/utils';
import type { IntegratorFee } from '../../../chain-transactions.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import {
  listTokens,
  type OutputPlan,
  type PathEnds,
  type PathPlan,
  ROUTER_STAND_INS,
  type RouterKind,
} from '../router-kind.ts';
import { computeBeforeFee, deductFee, last, type SwapHop } from '../swap-plan.ts';

const SWAP_ROUTER_ABI = parseAbi([
  'struct Swap { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; }',
  'function exactInput(Swap swap) payable returns (uint256)',
  'function multicall(bytes[] calls) payable returns (bytes[])',
]);
const SWAP_ROUTER_OUTPUT_ABI = parseAbi([
  'struct Swap { bytes path; address recipient; uint256 deadline; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactOutput(Swap swap) payable returns (uint256)',
  'function multicall(bytes[] calls) payable returns (bytes[])',
]);
const SMART_ABI = parseAbi([
  'struct Swap { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'function exactInput(Swap swap) payable returns (uint256)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256)',
  'function multicall(uint256 deadline, bytes[] calls) payable returns (bytes[])',
]);
const SMART_OUTPUT_ABI = parseAbi([
  'struct Swap { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactOutput(Swap swap) payable returns (uint256)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to) payable returns (uint256)',
  'function multicall(uint256 deadline, bytes[] calls) payable returns (bytes[])',
]);
/** What stands between two tokens of a path. */
type EncodeMark = (hop: SwapHop) => string;

type RangeRouterKind = 'swapRouter' | 'slipstream' | 'algebra' | 'algebraIntegral';

function requireV3({ pool }: SwapHop) {
  if (pool.kind !== 'v3') throw new Error(`${pool.kind} pool in a path of V3 pools`);
  return pool;
}

const encodeFee: EncodeMark = (hop) => encodePacked(['uint24'], [requireV3(hop).feePips]).slice(2);

const PATH_MARKS: Readonly<Record<RangeRouterKind, EncodeMark>> = {
  swapRouter: encodeFee,
  slipstream: (hop) => encodePacked(['int24'], [requireV3(hop).tickSpacing]).slice(2),
  algebra: () => '',
  algebraIntegral: (hop) => (requireV3(hop).deployer ?? ZERO_ADDRESS).slice(2),
};

function encodePath(hops: readonly SwapHop[], encodeMark: EncodeMark): Hex {
  const [first, ...others] = listTokens(hops);
  const steps = hops.map((hop, index) => encodeMark(hop) + (others[index] ?? '').slice(2));
  return `${first ?? '0x'}${steps.join('')}`;
}

/** From the last token to the first, as calls for a given output take it. */
function encodePathBack(hops: readonly SwapHop[], encodeMark: EncodeMark): Hex {
  const back = hops.toReversed().map(({ tokenIn, tokenOut, ...hop }) => {
    return { ...hop, tokenIn: tokenOut, tokenOut: tokenIn };
  });
  return encodePath(back, encodeMark);
}

/** The coin's functions have other names at Algebra. */
const PAYMENT_ABI = parseAbi([
  'function sweepToken(address token, uint256 amountMinimum, address recipient) payable',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function refundETH() payable',
  'function unwrapWNativeToken(uint256 amountMinimum, address recipient) payable',
  'function refundNativeToken() payable',
]);

/** Of SwapRouter and the smart routers; the minimum is of what is held before the fee. */
const FEE_ABI = parseAbi([
  'function sweepTokenWithFee(address token, uint256 amountMinimum, address recipient, uint256 feeBips, address feeRecipient) payable',
  'function unwrapWETH9WithFee(uint256 amountMinimum, address recipient, uint256 feeBips, address feeRecipient) payable',
]);

type PayingRouterKind = RangeRouterKind | 'smart';

function isAlgebra(kind: PayingRouterKind): boolean {
  return kind === 'algebra' || kind === 'algebraIntegral';
}

function encodeSweep(token: string, least: bigint, recipient: Hex): Hex {
  const args = [token as Hex, least, recipient] as const;
  return encodeFunctionData({ abi: PAYMENT_ABI, functionName: 'sweepToken', args });
}

function encodeForwardWithFee(plan: PathEnds, least: bigint, fee: IntegratorFee): Hex {
  const { recipient, tokenOut, isNativeOut } = plan;
  const whole = computeBeforeFee(least, fee);
  const paid = [BigInt(fee.bps), fee.recipient as Hex] as const;
  return isNativeOut
    ? encodeFunctionData({
        ...{ abi: FEE_ABI, functionName: 'unwrapWETH9WithFee' },
        args: [whole, recipient, ...paid],
      })
    : encodeFunctionData({
        ...{ abi: FEE_ABI, functionName: 'sweepTokenWithFee' },
        args: [tokenOut as Hex, whole, recipient, ...paid],
      });
}

/** Before the swap: the router may take the input by the wallet's signature. */
function encodePermit({ permitCall }: PathEnds): Hex[] {
  return permitCall === undefined ? [] : [permitCall];
}

/** Forwards all of the output that the router holds, if it is enough. */
function encodeForward(plan: PathEnds, least: bigint, kind: PayingRouterKind): Hex {
  const { recipient, tokenOut, isNativeOut, fee } = plan;
  if (fee !== undefined) return encodeForwardWithFee(plan, least, fee);
  if (!isNativeOut) return encodeSweep(tokenOut, least, recipient);
  const functionName = isAlgebra(kind) ? 'unwrapWNativeToken' : 'unwrapWETH9';
  return encodeFunctionData({ abi: PAYMENT_ABI, functionName, args: [least, recipient] });
}

/**
 * Sends the wallet what pools after the first did not take: a range that runs dry stops early, and
 * the router was paid before. Pairs take all of it.
 */
function encodeLeftovers({ hops, recipient }: PathEnds): Hex[] {
  const dry = hops.slice(1).filter(({ pool }) => pool.kind === 'v3');
  return dry.map(({ tokenIn }) => encodeSweep(tokenIn, 0n, recipient));
}

/** Sends the coin back that was sent and not taken. */
function encodeRefund({ isNativeIn }: PathEnds, kind: PayingRouterKind): Hex[] {
  const functionName = isAlgebra(kind) ? 'refundNativeToken' : 'refundETH';
  return isNativeIn ? [encodeFunctionData({ abi: PAYMENT_ABI, functionName })] : [];
}

/** As a smart router calls itself, and as its amount: all that it holds. */
const SMART_SELF: Hex = '0x0000000000000000000000000000000000000002';
const SMART_BALANCE = 0n;

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
    ...encodePermit(plan),
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
  const { amountOutMin, recipient } = plan;
  const abi = SMART_ABI;
  const segments = splitByKind(plan.hops);
  // Pairs are paid by a call that compares what has arrived.
  const isCompared = last(plan.hops).pool.kind === 'v2';
  const isNeeded = plan.isNativeOut || plan.fee !== undefined;
  const holdsOutput = isNeeded || (plan.holdsOutput && !isCompared);
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
  calls.unshift(...encodePermit(plan));
  if (holdsOutput) calls.push(encodeForward(plan, amountOutMin, 'smart'));
  calls.push(...encodeLeftovers(plan), ...encodeRefund(plan, 'smart'));
  return encodeFunctionData({ abi, functionName: 'multicall', args: [plan.deadline, calls] });
}

/** Forwards the output if all of it is there, and sends the rest of the coin back. */
function encodePayments(plan: OutputPlan, kind: RangeRouterKind | 'smart'): Hex[] {
  const least = deductFee(plan.amountOut, plan.fee);
  return [encodeForward(plan, least, kind), ...encodeRefund(plan, kind)];
}

function encodeRangeOutput(plan: OutputPlan, kind: RangeRouterKind): Hex {
  const { amountOut, amountInMax, deadline } = plan;
  const abi = SWAP_ROUTER_OUTPUT_ABI;
  const path = encodePathBack(plan.hops, PATH_MARKS[kind]);
  const ends = { path, recipient: ZERO_ADDRESS as Hex, deadline };
  const swap = { ...ends, amountOut, amountInMaximum: amountInMax };
  const call = encodeFunctionData({ abi, functionName: 'exactOutput', args: [swap] });
  const calls = [...encodePermit(plan), call, ...encodePayments(plan, kind)];
  return encodeFunctionData({ abi, functionName: 'multicall', args: [calls] });
}

function encodeSmartOutputSwap({ hops, amountOut, amountInMax }: OutputPlan): Hex {
  const abi = SMART_OUTPUT_ABI;
  if (hops[0]?.pool.kind === 'v2') {
    const args = [amountOut, amountInMax, listTokens(hops), SMART_SELF] as const;
    return encodeFunctionData({ abi, functionName: 'swapTokensForExactTokens', args });
  }
  const ends = { path: encodePathBack(hops, encodeFee), recipient: SMART_SELF };
  const swap = { ...ends, amountOut, amountInMaximum: amountInMax };
  return encodeFunctionData({ abi, functionName: 'exactOutput', args: [swap] });
}

function encodeSmartOutput(plan: OutputPlan): Hex {
  const calls = [
    ...encodePermit(plan),
    encodeSmartOutputSwap(plan),
    ...encodePayments(plan, 'smart'),
  ];
  const args = [plan.deadline, calls] as const;
  return encodeFunctionData({ abi: SMART_ABI, functionName: 'multicall', args });
}

function buildRangeRouter(kind: RangeRouterKind, proof: RouterKind['proof']): RouterKind {
  return {
    proof,
    takesPermits: true,
    encodeSwap: (path) => encodeSwapRouter(path, kind),
    output: { call: 'exactPath', encode: (path) => encodeRangeOutput(path, kind) },
  };
}

export const SWAP_ROUTER: RouterKind = {
  ...buildRangeRouter('swapRouter', {
    executedBy: 'contract',
    source: 'npm, @uniswap/v3-periphery',
  }),
  paysFee: true,
};
/** Paths of tick spacings in place of fees. */
export const SLIPSTREAM_ROUTER = buildRangeRouter('slipstream', ROUTER_STAND_INS);
/** Paths of tokens only. */
export const ALGEBRA_ROUTER = buildRangeRouter('algebra', ROUTER_STAND_INS);
export const INTEGRAL_ROUTER = buildRangeRouter('algebraIntegral', {
  executedBy: 'contract',
  source: 'npm, @cryptoalgebra/integral-periphery',
});
export const SMART_ROUTER: RouterKind = {
  proof: ROUTER_STAND_INS,
  paysFee: true,
  takesPermits: true,
  encodeSwap: encodeSmart,
  output: { call: 'path', encode: encodeSmartOutput },
};
