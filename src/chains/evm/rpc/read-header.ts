// A header by number, from one endpoint.

import type { BlockHeader } from '../../../model/block-header.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { toQuantity } from '../data/hex-data.ts';
import { parseBlock } from '../data/parse-block.ts';

/** Null if the endpoint does not have the block. */
export async function readHeaderAt(
  endpoint: RpcEndpoint,
  block: number,
  signal?: AbortSignal,
): Promise<BlockHeader | null> {
  const [chainId, outcome] = await endpoint.batch(
    [
      { method: 'eth_chainId', params: [] },
      { method: 'eth_getBlockByNumber', params: [toQuantity(block), false] },
    ],
    { signal },
  );
  await endpoint.assertChain(endpoint.unwrap(chainId), signal);
  // Some nodes respond with an error for a block that they do not have.
  if (outcome?.ok === false && isRpcError(outcome.error, 'lagging')) return null;
  const found = parseBlock(endpoint.unwrap(outcome), endpoint.name);
  if (found !== null && found.header.position !== block) {
    const { name } = endpoint;
    throw new RpcError('invalidReply', `${name}: sent a different block`, { endpoint: name });
  }
  return found?.header ?? null;
}
