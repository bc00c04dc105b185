// How a pool is asked what it pays.

import type { OnChainQuery, OnChainQuote } from '../../chain-nodes.ts';
import type { ContractCall } from '../rpc/multicall.ts';

export type AskedSwap = OnChainQuery['swaps'][number];

export interface PoolAsk extends Pick<OnChainQuote, 'isStable'> {
  encode(amountIn: bigint): ContractCall;
  /** Null if the contract refused. */
  decode(answer: string, amountIn: bigint): bigint | null;
}
