// Reads at one endpoint, of one block and no other. An endpoint that supports block hashes
// (EIP-1898) is asked by hash; another one by number, and then for the hash of that block.

import type { BlockHeader } from '../../../model/block-header.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { toQuantity } from '../data/hex-data.ts';
import { readHeaderAt } from './read-header.ts';

export type BlockPin = Pick<BlockHeader, 'position' | 'hash'>;

/** The errors of nodes that do not support block hashes. */
const HASH_REFUSALS = ['rejected', 'unsupported'] as const;

/** By endpoint, because several providers may serve one chain. */
const numbersOnly = new WeakSet<RpcEndpoint>();

interface PinnedRead<T> {
  readonly block: BlockPin;
  /** Gets the block as the last parameter of a request. */
  readonly read: (tag: unknown) => Promise<T>;
  /** Called with the number of further requests. */
  readonly onCalls?: ((count: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A node that does not know a hash will not soon: the block was reorganised away, or it lags. */
function toHashFault(error: unknown): unknown {
  if (!isRpcError(error, 'lagging')) return error;
  const { endpoint } = error;
  return new RpcError('stateUnavailable', error.message, { endpoint, cause: error });
}

/** Throws `stateUnavailable` if the endpoint is on another branch. */
export async function readPinned<T>(endpoint: RpcEndpoint, pinned: PinnedRead<T>): Promise<T> {
  const { block, read } = pinned;
  if (!numbersOnly.has(endpoint)) {
    try {
      return await read({ blockHash: block.hash, requireCanonical: true });
    } catch (error) {
      if (!isRpcError(error, ...HASH_REFUSALS)) throw toHashFault(error);
    }
  }
  const result = await read(toQuantity(block.position));
  // Only now: the node may have refused the request itself.
  numbersOnly.add(endpoint);
  pinned.onCalls?.(1);
  const header = await readHeaderAt(endpoint, block.position, pinned.signal);
  if (header?.hash === block.hash) return result;
  const { name } = endpoint;
  const message = `${name}: block ${block.position} is another one there`;
  throw new RpcError('stateUnavailable', message, { endpoint: name });
}
