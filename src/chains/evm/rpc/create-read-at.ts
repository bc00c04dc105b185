// What contracts said at one block, which every endpoint is asked for by itself (read-pinned.ts).

import type { BlockHeader } from '../../../model/block-header.ts';
import type { Address } from '../../../model/ids.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { type CallContracts, callContracts } from './multicall.ts';

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

/** Null if no node has the block's state, or the block was reorganised away. */
export function createReadAt(client: RpcClient, multicall3: Address | null): ReadStateAt {
  return async (block, read, { onCalls, signal }) => {
    const options = { client, multicall3, block, onCalls, signal };
    try {
      return { value: await read((calls) => callContracts(calls, options)) };
    } catch (error) {
      if (isRpcError(error, 'stateUnavailable')) return null;
      throw error;
    }
  };
}
