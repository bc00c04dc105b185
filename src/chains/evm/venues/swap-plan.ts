// A priced trade for a router: which pools, in which order, with which amounts.

import type { Hex } from 'viem';
import type { Address } from '../../../model/ids.ts';
import type { TradeSwaps } from '../../chain-transactions.ts';
import type { PoolKey } from './pool-reference.ts';

type RouterPool =
  | { readonly kind: 'v2'; readonly pair: Address }
  | { readonly kind: 'v3'; readonly feePips: number; readonly tickSpacing: number }
  | { readonly kind: 'v4'; readonly key: PoolKey }
  | { readonly kind: 'solidly'; readonly pair: Address; readonly isStable: boolean }
  | { readonly kind: 'vault'; readonly poolWord: string }
  | {
      readonly kind: 'curve';
      readonly contract: Address;
      readonly indexIn: number;
      readonly indexOut: number;
      /** Whether the indices are those of a metapool's underlying coins. */
      readonly isUnderlying: boolean;
      /** Whether it counts its coins as stable pools do. */
      readonly isStable: boolean;
    };

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
  /** In execution order: a swap path takes from the router what earlier ones have paid. */
  readonly swapPaths: readonly SwapPath[];
  /** What the bought token deducts from each transfer from a pool. */
  readonly outputTaxBps: number;
  /** Whether the router holds the output where its commands compare what pools send. */
  readonly holdsOutput?: boolean;
  readonly recipient: Address;
  /** Unix seconds. */
  readonly deadlineSeconds: number;
  /** The signed permit that lets the router take the input; absent if it may already. */
  readonly permitInput?: Hex | undefined;
}

/** A trade whose output is given. */
export interface ExactOutPlan
  extends Pick<SwapPlan, 'recipient' | 'deadlineSeconds' | 'permitInput'> {
  /** What the wallet spends and receives; the zero address is the native coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** The maximum to spend in total, otherwise the trade reverts. */
  readonly amountInMax: bigint;
  /** Each takes a part of the input and pays a part of the output. */
  readonly swapPaths: readonly SwapPath[];
}
