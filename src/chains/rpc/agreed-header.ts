// Headers by position: from one endpoint, or as agreed by a majority.

import type { BlockHeader } from '../../model/block-header.ts';
import type { RpcClient } from './rpc-client.ts';
import type { RpcEndpoint } from './rpc-endpoint.ts';

interface HeaderQuery {
  readonly position: number;
  /** Null if the endpoint does not have the block. */
  readAt(
    endpoint: RpcEndpoint,
    position: number,
    signal?: AbortSignal,
  ): Promise<BlockHeader | null>;
}

/** Null if no endpoint has the block. */
export async function readAnyHeader(
  client: RpcClient,
  { position, readAt }: HeaderQuery,
  signal?: AbortSignal,
): Promise<BlockHeader | null> {
  const header = await client.at((endpoint) => readAt(endpoint, position, signal), { signal });
  if (header !== null || client.endpoints.length === 1) return header;
  const all = await client.atEach((endpoint) => readAt(endpoint, position, signal), signal);
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
  { position, readAt }: HeaderQuery,
  signal?: AbortSignal,
): Promise<BlockHeader | null> {
  const replies = await client.atEach((endpoint) => readAt(endpoint, position, signal), signal);
  const known = replies.filter(({ value }) => value !== null);
  const votes = [...Map.groupBy(known, ({ value }) => value?.hash).values()];
  const voters = client.endpoints.filter(({ health }) => health.isVoter).length;
  const voices = Math.max(known.length, voters - (replies.length - known.length));
  const majority = votes.find((same) => same.length * 2 > voices);
  const header = majority?.[0]?.value ?? null;
  if (header === null) return null;
  for (const { endpoint, value } of known) {
    if (value?.hash !== header.hash)
      client.reproach(endpoint, `disagrees with the majority on block ${position}`);
  }
  return header;
}
