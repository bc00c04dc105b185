// One node, as the readers of blocks and accounts ask it. An `RpcEndpoint` is one.

import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import { RpcError } from '../../rpc/rpc-error.ts';

export interface SolanaNode {
  readonly name: string;
  /** Rejects with an `RpcError` if the node refuses. */
  request(call: RpcCall, signal?: AbortSignal): Promise<unknown>;
}

/** What is followed: two thirds of the stake have voted for it. */
export const CONFIRMED = { commitment: 'confirmed' } as const;

/** What can no longer be replaced. */
export const FINALIZED = { commitment: 'finalized' } as const;

export type Commitment = typeof CONFIRMED | typeof FINALIZED;

/** The node contradicts itself or an earlier reply. */
export function refuseReply(node: Pick<SolanaNode, 'name'>, problem: string): never {
  throw new RpcError('invalidReply', `${node.name}: ${problem}`, { endpoint: node.name });
}
