// How pools of factories that nobody listed are judged, by what they do: what a protocol tells of
// pools like its own. `pools/fork-finder.ts` asks.

import type { Hex } from 'viem';
import type { Address, PoolId } from '../../../model/ids.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import type { EvmLog } from '../data/evm-log.ts';
import type { CallContracts } from '../rpc/multicall.ts';
import type { ProbeNode } from './call-probe.ts';
import type { PoolDetails } from './factory-pools.ts';

/** All reads of one judgement are of one block: a busy pool changes with every block. */
export interface ForkJudging extends ProbeNode {
  readonly deployment: EvmDeployment;
  readonly callContracts: CallContracts;
}

/**
 * `notNow`: the pool's state shows too little. `unable`: the node cannot run the probe, so nothing
 * is known.
 */
export type ForkVerdict =
  /** `feePips` is the fee that all pools with the code have; null if each tells its own. */
  | { readonly kind: 'same'; readonly feePips: number | null }
  | { readonly kind: 'refused' | 'notNow' | 'unable' };

export const REFUSED = { kind: 'refused' } as const;
export const NOT_NOW = { kind: 'notNow' } as const;

/** A contract that answers like a pool. */
export interface ForkClaim {
  readonly factory: Address;
  readonly token0: Address;
  readonly token1: Address;
  /**
   * Whether the pool holds its tokens and its factory names it. The probe replaces the tokens, so
   * it would not show that.
   */
  confirm(): Promise<ConfirmedFork | typeof REFUSED | typeof NOT_NOW>;
}

export interface ConfirmedFork {
  readonly kind: 'confirmed';
  /** The code without what differs between the pools of a factory. */
  maskCode(code: Hex): Hex;
  /** Swaps in the pool, in a simulation. */
  probe(): Promise<ForkVerdict>;
  toDetails(feePips: number | null): PoolDetails;
}

export interface ForkProtocol {
  /** Begins the venues of such pools; the factory follows. */
  readonly prefix: string;
  /** The pools that logged a swap of the protocol. */
  listSwapped(logs: readonly EvmLog[]): readonly PoolId[];
  /** Null if the contract does not answer like a pool of the protocol. */
  readClaim(pool: PoolId, judging: ForkJudging): Promise<ForkClaim | null>;
}

/** Errors of a node that does not support such requests. */
const INABILITY = ['unsupported', 'rejected', 'replyTooLarge'] as const;

/** What the errors of a probe's calls say of the pool. */
export async function judgeProbe(probe: () => Promise<ForkVerdict>): Promise<ForkVerdict> {
  try {
    return await probe();
  } catch (error) {
    if (isRpcError(error, 'reverted')) return REFUSED;
    if (isRpcError(error, ...INABILITY)) return { kind: 'unable' };
    throw error;
  }
}
