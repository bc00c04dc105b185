// A priced trade for a router: which pools, in which order, with which amounts.

import type { Hex } from 'viem';
import type { Address } from '../../../model/ids.ts';
import type { IntegratorFee, TradeSwaps } from '../../chain-transactions.ts';

/** Pools as routers take them, by kind. A venue adds its entry from its own folder. */
// biome-ignore lint/suspicious/noEmptyInterface: venues add themselves by declaration merging.
export interface RouterPools {}

type RouterPoolOf<Kind extends keyof RouterPools> = { readonly kind: Kind } & RouterPools[Kind];
export type RouterPool = { [Kind in keyof RouterPools]: RouterPoolOf<Kind> }[keyof RouterPools];

export interface SwapHop {
  readonly pool: RouterPool;
  /** The pool's own tokens: the zero address if it holds the native coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** If the trade's output is given: what the pool is asked for. */
  readonly askedOutRaw?: bigint;
}

export type SwapPath = TradeSwaps<SwapHop>;

export interface SwapPlan {
  /** What the wallet spends and receives; the zero address is the native coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** The minimum that must arrive in total, otherwise the trade reverts. */
  readonly amountOutMin: bigint;
  /** Paid of the output by the router, which holds all of it; the minimum is of what is left. */
  readonly fee?: IntegratorFee | undefined;
  /** In execution order: a swap path takes from the router what earlier ones have paid. */
  readonly swapPaths: readonly SwapPath[];
  /** What the bought token deducts from each transfer from a pool. */
  readonly outputTaxBps: number;
  /** Whether the router holds the output where its commands compare what pools send. */
  readonly holdsOutput?: boolean;
  readonly recipient: Address;
  /** Unix seconds. */
  readonly deadlineSeconds: number;
  /**
   * The signed permit that lets the router take the input; absent if it may already. An input of
   * the Universal Router's command, or a call of another router.
   */
  readonly permitInput?: Hex | undefined;
}

/** A trade whose output is given. */
export interface ExactOutPlan
  extends Pick<SwapPlan, 'recipient' | 'deadlineSeconds' | 'permitInput' | 'fee'> {
  /** What the wallet spends and receives; the zero address is the native coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** The maximum to spend in total, otherwise the trade reverts. */
  readonly amountInMax: bigint;
  /** Each takes a part of the input and pays a part of the output. */
  readonly swapPaths: readonly SwapPath[];
}

export function first(hops: readonly SwapHop[]): SwapHop {
  const hop = hops[0];
  if (hop === undefined) throw new Error('a swap path without hops');
  return hop;
}

export function last(hops: readonly SwapHop[]): SwapHop {
  const hop = hops.at(-1);
  if (hop === undefined) throw new Error('a swap path without hops');
  return hop;
}

const BPS = 10_000n;

/** As routers round it. */
export function deductFee(gross: bigint, fee: IntegratorFee | undefined): bigint {
  return fee === undefined ? gross : gross - (gross * BigInt(fee.bps)) / BPS;
}

/** The least of which so much is left after the fee. */
export function computeBeforeFee(net: bigint, fee: IntegratorFee | undefined): bigint {
  if (fee === undefined) return net;
  let gross = (net * BPS) / (BPS - BigInt(fee.bps));
  while (deductFee(gross, fee) < net) gross += 1n;
  return gross;
}

/** Of a router, by the wallet. */
export interface EncodedCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}
