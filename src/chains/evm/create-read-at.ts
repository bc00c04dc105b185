// What contracts said at one block. Nodes that support block hashes (EIP-1898) are asked by hash,
// so that the reply cannot be of another branch; others by number, and then the hash of that block
// is checked.

import type { BlockHeader } from '../../model/block-header.ts';
import type { Address } from '../../model/ids.ts';
import { callContracts } from './multicall.ts';
import { readHeader } from './read-header.ts';
import type { RpcClient } from './rpc/rpc-client.ts';
import { isRpcError } from './rpc/rpc-error.ts';
import type { CallContracts } from './venues/venue-protocol.ts';

interface ReadAtOptions {
  /** Called with the number of calls sent. */
  readonly onCalls?: (count: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export type ReadStateAt = <T>(
  block: Pick<BlockHeader, 'position' | 'hash'>,
  read: (callContracts: CallContracts) => Promise<T>,
  options: ReadAtOptions,
) => Promise<{ readonly value: T } | null>;

/** The errors of nodes that do not support block hashes. */
const HASH_REFUSALS = ['rejected', 'unsupported'] as const;

/** Null if no node has the block's state, or the block was reorganised away. */
export function createReadAt(client: RpcClient, multicall3: Address | null): ReadStateAt {
  let takesHashes = true;
  return async (block, read, { onCalls, signal }) => {
    const { position, hash } = block;
    const options = { client, multicall3, block: position, onCalls, signal };
    try {
      if (takesHashes) {
        try {
          const byHash = { ...options, blockHash: hash };
          return { value: await read((calls) => callContracts(calls, byHash)) };
        } catch (error) {
          if (!isRpcError(error, ...HASH_REFUSALS)) throw error;
          takesHashes = false;
        }
      }
      const value = await read((calls) => callContracts(calls, options));
      onCalls?.(1);
      const header = await readHeader(client, position, signal);
      return header?.hash === hash ? { value } : null;
    } catch (error) {
      if (isRpcError(error, 'stateUnavailable')) return null;
      throw error;
    }
  };
}
