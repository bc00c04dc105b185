// Encodes a swap plan as one call of an exchange's own router. Such a plan is one path: its first
// pool is paid by the wallet, who has approved the router, or with the coin that is sent along.

import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { ROUTER_KINDS } from './registry.ts';
import {
  type OutputPlan,
  type PathPlan,
  type PoolEnds,
  type TokenEnds,
  toPathEnds,
} from './router-kind.ts';
import { type EncodedCall, type ExactOutPlan, last, type SwapPlan } from './swap-plan.ts';
import type { SwapRouter, VenueRouter } from './swap-routers.ts';
import { encodeExactOut } from './universal-router/encode-exact-out.ts';
import { encodeSwap } from './universal-router/encode-swap.ts';

function toPathPlan(plan: SwapPlan): PathPlan {
  const [swapPath, ...others] = plan.swapPaths;
  if (swapPath === undefined || others.length > 0) throw new Error('this router takes one path');
  const { hops, amountInRaw: amountIn } = swapPath;
  const { tokenOut, amountOutMin } = plan;
  const isSent = plan.holdsOutput === true && plan.outputTaxBps === 0;
  const holdsOutput = tokenOut === ZERO_ADDRESS || isSent || plan.fee !== undefined;
  return { ...toPathEnds(hops, plan), amountIn, amountOutMin, holdsOutput };
}

function toOutputPlan(plan: ExactOutPlan): OutputPlan {
  const [swapPath, ...others] = plan.swapPaths;
  if (swapPath === undefined || others.length > 0) throw new Error('this router takes one path');
  const { hops } = swapPath;
  const { askedOutRaw, pool } = last(hops);
  if (askedOutRaw === undefined) throw new Error('a path that is asked for nothing');
  if (hops.some((hop) => hop.pool.kind !== pool.kind)) {
    throw new Error('this router pays a given output through pools of one kind');
  }
  return { ...toPathEnds(hops, plan), amountOut: askedOutRaw, amountInMax: plan.amountInMax };
}

/** The swap call; its input must be approved before, unless it is the native coin. */
export function encodeVenueSwap(plan: SwapPlan, router: VenueRouter): EncodedCall {
  const path = toPathPlan(plan);
  return {
    to: router.address,
    data: ROUTER_KINDS[router.kind].encodeSwap(path, router),
    value: path.isNativeIn ? path.amountIn : 0n,
  };
}

/** For a given output: the call names what it pays and the most that it may take. */
export function encodeVenueExactOut(plan: ExactOutPlan, router: VenueRouter): EncodedCall {
  const { output } = ROUTER_KINDS[router.kind];
  if (output === undefined) throw new Error(`${router.name} has no call for a given output`);
  const path = toOutputPlan(plan);
  return {
    to: router.address,
    data: output.encode(path),
    value: path.isNativeIn ? path.amountInMax : 0n,
  };
}

/** As one call of the router. */
export function encodeRouterSwap(plan: SwapPlan, router: SwapRouter): EncodedCall {
  return router.kind === 'universal' ? encodeSwap(plan, router) : encodeVenueSwap(plan, router);
}

/** For a given output. */
export function encodeRouterExactOut(plan: ExactOutPlan, router: SwapRouter): EncodedCall {
  return router.kind === 'universal'
    ? encodeExactOut(plan, router)
    : encodeVenueExactOut(plan, router);
}

/** A pool in place of the router, where it is called itself and takes the wallet's tokens. */
export function pickContract(
  router: SwapRouter,
  trade: TokenEnds & { readonly swapPaths: readonly { readonly hops: readonly PoolEnds[] }[] },
): SwapRouter {
  if (router.kind === 'universal') return router;
  const hops = trade.swapPaths.flatMap((swapPath) => swapPath.hops);
  const address = ROUTER_KINDS[router.kind].findContract?.(hops, trade) ?? null;
  return address === null ? router : { ...router, address };
}
