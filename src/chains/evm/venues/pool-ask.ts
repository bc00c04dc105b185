// How a pool is asked what it pays.

import type { CalledQuery, CalledQuote } from '../../chain-nodes.ts';
import type { ContractCall } from '../rpc/multicall.ts';

export type AskedSwap = CalledQuery['swaps'][number];

export interface PoolAsk extends Pick<CalledQuote, 'isStable'> {
  encode(amountIn: bigint): ContractCall;
  /** Null if the contract refused. */
  decode(answer: string, amountIn: bigint): bigint | null;
}
