// Headers by number: from one endpoint, or as agreed by a majority.

import type { BlockHeader } from '../../model/block-header.ts';
import { parseBlock } from './blocks/parse-block.ts';
import { toQuantity } from './hex-data.ts';
import type { RpcClient } from './rpc/rpc-client.ts';
import type { RpcEndpoint } from './rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from './rpc/rpc-error.ts';

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
  endpoint.assertChain(endpoint.unwrap(chainId));
  // Some nodes respond with an error for a block that they do not have.
  if (outcome?.ok === false && isRpcError(outcome.error, 'lagging')) return null;
  const found = parseBlock(endpoint.unwrap(outcome), endpoint.name);
  if (found !== null && found.header.position !== block) {
    const { name } = endpoint;
    throw new RpcError('invalidReply', `${name}: sent a different block`, { endpoint: name });
  }
  return found?.header ?? null;
}

/** Null if no endpoint has the block. */
export async function readHeader(
  client: RpcClient,
  block: number,
  signal?: AbortSignal,
): Promise<BlockHeader | null> {
  const header = await client.at((endpoint) => readHeaderAt(endpoint, block, signal), { signal });
  if (header !== null || client.endpoints.length === 1) return header;
  const all = await client.atEach((endpoint) => readHeaderAt(endpoint, block, signal), signal);
  return all.find(({ value }) => value !== null)?.value ?? null;
}

/**
 * The header that more than half of the endpoints agree on, without those that lack the block or
 * have been down for long; one that is only cooling down counts, so that a faulty endpoint cannot
 * decide alone meanwhile. Endpoints with a different header are suspended, so that the next reads
 * come from the majority.
 */
export async function readAgreedHeader(
  client: RpcClient,
  block: number,
  signal?: AbortSignal,
): Promise<BlockHeader | null> {
  const replies = await client.atEach((endpoint) => readHeaderAt(endpoint, block, signal), signal);
  const known = replies.filter(({ value }) => value !== null);
  const votes = [...Map.groupBy(known, ({ value }) => value?.hash).values()];
  const voters = client.endpoints.filter(({ health }) => health.isVoter).length;
  const voices = Math.max(known.length, voters - (replies.length - known.length));
  const majority = votes.find((same) => same.length * 2 > voices);
  const header = majority?.[0]?.value ?? null;
  if (header === null) return null;
  for (const { endpoint, value } of known) {
    if (value?.hash !== header.hash)
      client.reproach(endpoint, `disagrees with the majority on block ${block}`);
  }
  return header;
}
