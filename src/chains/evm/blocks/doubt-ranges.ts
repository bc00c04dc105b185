// What an endpoint refuses without a reason that we know, or does not answer in time, is asked of
// another endpoint if there is one, then for a smaller range, at once: repeated after a wait, a
// range that is too large would fail in the same way. Only when a single block does is it left for
// later.

import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';

const DOUBTS_MAX = 2;

/** Work on a range, for `RpcClient.at`; it throws `rangeTooLarge` when it failed often enough. */
export function doubtRanges<T>(
  range: { readonly fromBlock: number; readonly toBlock: number },
  work: (endpoint: RpcEndpoint) => Promise<T>,
): (endpoint: RpcEndpoint) => Promise<T> {
  let doubts = 0;
  return async (endpoint) => {
    try {
      return await work(endpoint);
    } catch (error) {
      // Our requests are well formed: one that is called wrong has met a limit that we do not know.
      const isRejected = isRpcError(error, 'rejected');
      if (!isRpcError(error) || !(error.ambiguous || isRejected)) throw error;
      doubts += 1;
      const { name } = endpoint;
      if ((doubts >= DOUBTS_MAX || endpoint.isOnly) && range.fromBlock < range.toBlock) {
        const reason = `${name}: range was refused without a clear reason`;
        throw new RpcError('rangeTooLarge', reason, { ambiguous: true, cause: error });
      }
      if (!isRejected) throw error;
      throw new RpcError('network', error.message, { endpoint: name, cause: error });
    }
  };
}
