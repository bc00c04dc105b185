// Searches the logs before the index for pools of a token, newest first, within a bounded number of
// requests. The rest is left for the next lookup of the token.

import type { PoolDescription } from '../../../model/pool.ts';
import type { TokenQuery } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import type { DecodedEvent, LogDecoder } from '../data/evm-log.ts';
import { toQuantity } from '../data/hex-data.ts';
import { parseLogs } from '../data/parse-logs.ts';
import { VENUE_PROTOCOLS } from '../venues/registry.ts';
import type { CreationFilter } from '../venues/venue-protocol.ts';

interface CreationSearch {
  readonly deployment: EvmDeployment;
  readonly query: TokenQuery;
  readonly onCalls: (count: number) => void;
  readonly signal: AbortSignal | undefined;
}

interface CreationsFound {
  readonly announced: readonly PoolDescription[];
  readonly searchedFrom: number;
}

interface BlockSpan {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** Requests for logs in one lookup. */
const CALLS_MAX = 16;
/** The factor by which a range shrinks if the node does not say what it allows. */
const SHRINKING = 10;

async function readCreations(
  client: RpcClient,
  filter: CreationFilter & BlockSpan,
  signal: AbortSignal | undefined,
): Promise<ReturnType<typeof parseLogs>> {
  const { address, topics, fromBlock, toBlock } = filter;
  const range = { fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) };
  const params = [{ address, topics, ...range }];
  return await client.at(
    async (endpoint) => {
      const raw = await endpoint.request({ method: 'eth_getLogs', params }, signal);
      return parseLogs(raw, { fromBlock, toBlock, endpoint: endpoint.name });
    },
    { signal, minBlock: toBlock },
  );
}

function createDecoders(deployment: EvmDeployment): ReadonlyMap<string, LogDecoder> {
  const decoders = VENUE_PROTOCOLS.flatMap((one) => [...one.createDecoders(deployment)]);
  return new Map(decoders);
}

function computeSmallerSpan(error: RpcError, span: number): number {
  const suggested = error.suggestedBlocks ?? Math.floor(span / SHRINKING);
  return Math.max(1, Math.min(suggested, span - 1));
}

/** Whether a smaller range may work. */
function isTooLarge(error: unknown, span: number): error is RpcError {
  return span > 1 && isRpcError(error, 'rangeTooLarge', 'replyTooLarge');
}

/** Pools by logs are only some of all, so a node that serves no logs does not fail the lookup. */
export async function searchCreations(
  client: RpcClient,
  search: CreationSearch,
): Promise<CreationsFound> {
  const { deployment, query, onCalls, signal } = search;
  const filters = VENUE_PROTOCOLS.flatMap((one) =>
    one.listCreationFilters(query.token, deployment),
  );
  const decoders = createDecoders(deployment);
  const announced: PoolDescription[] = [];
  let end = Math.min(query.searchedFrom, query.indexedFrom);
  if (filters.length === 0) return { announced, searchedFrom: 0 };
  let span = end;
  let calls = 0;
  while (end > 0 && calls + filters.length <= CALLS_MAX) {
    const range = { fromBlock: Math.max(0, end - span), toBlock: end - 1 };
    try {
      const events: DecodedEvent[] = [];
      for (const filter of filters) {
        calls += 1;
        onCalls(1);
        for (const log of await readCreations(client, { ...filter, ...range }, signal)) {
          decoders.get(log.topics[0] ?? '')?.(log, events);
        }
      }
      for (const event of events) {
        if (event.kind === 'poolCreated') announced.push(event.description);
      }
      end = range.fromBlock;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof RpcError)) throw error;
      if (!isTooLarge(error, span)) break;
      span = computeSmallerSpan(error, span);
    }
  }
  return { announced, searchedFrom: end };
}
