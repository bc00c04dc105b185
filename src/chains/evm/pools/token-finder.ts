// Looks a token up: its code, its metadata and its pools, all at one block. An address without code
// takes one request, a token some ten.

import type { Address } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { TokenFinding, TokenQuery } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { type EvmDeployment, toChainAssets } from '../data/deployments/evm-deployment.ts';
import type { DecodedEvent, LogDecoder } from '../data/evm-log.ts';
import { toQuantity } from '../data/hex-data.ts';
import { parseLogs } from '../data/parse-logs.ts';
import { type CallContracts, callContracts } from '../rpc/multicall.ts';
import { type BlockPin, readPinned } from '../rpc/read-pinned.ts';
import { readTokenMetadata } from '../tokens/read-token-metadata.ts';
import { VENUE_PROTOCOLS } from '../venues/registry.ts';
import type { CreationFilter } from '../venues/venue-protocol.ts';

// Searches the logs before the index for pools of a token, newest first, within a bounded number of
// requests. The rest is left for the next lookup of the token.

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
async function searchCreations(client: RpcClient, search: CreationSearch): Promise<CreationsFound> {
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

interface LookupWork {
  readonly query: TokenQuery;
  readonly block: BlockPin;
  readonly onCalls: (count: number) => void;
  readonly signal: AbortSignal | undefined;
}

/** A wallet that delegates to a contract (EIP-7702) is no token. */
const DELEGATION = /^0xef0100/i;

export class TokenFinder {
  readonly #client: RpcClient;
  readonly #deployment: EvmDeployment;
  readonly #quotes: readonly Address[];

  constructor(client: RpcClient, deployment: EvmDeployment) {
    this.#client = client;
    this.#deployment = deployment;
    const { native, stable } = toChainAssets(deployment);
    this.#quotes = [...native, ...stable];
  }

  async find(query: TokenQuery, block: BlockPin, signal?: AbortSignal): Promise<TokenFinding> {
    let callCount = 0;
    const onCalls = (count: number) => {
      callCount += count;
    };
    try {
      const found = await this.#find({ query, block, onCalls, signal });
      return { ...found, callCount };
    } catch (error) {
      if (isRpcError(error, 'stateUnavailable')) return { kind: 'blockGone', callCount };
      throw error;
    }
  }

  async #find(lookup: LookupWork) {
    const { query, block, onCalls, signal } = lookup;
    const { token } = query;
    if (!(await this.#hasCode(lookup))) return { kind: 'noToken' } as const;
    const { multicall3 } = this.#deployment;
    const options = { client: this.#client, multicall3, block, onCalls, signal };
    const call: CallContracts = (calls) => callContracts(calls, options);
    const [metadata] = await readTokenMetadata([token], call);
    if (metadata === undefined || metadata.decimals === null) return { kind: 'noToken' } as const;
    const { announced, searchedFrom } = await searchCreations(this.#client, {
      ...{ deployment: this.#deployment, query, onCalls, signal },
    });
    const pools = await this.#findPools(token, { announced, callContracts: call });
    return { kind: 'token', metadata, pools, searchedFrom } as const;
  }

  async #hasCode({ query, block, onCalls, signal }: LookupWork): Promise<boolean> {
    onCalls(1);
    const code = await this.#client.at(
      (endpoint) => {
        const read = (tag: unknown) =>
          endpoint.request({ method: 'eth_getCode', params: [query.token, tag] }, signal);
        return readPinned(endpoint, { block, read, onCalls, signal });
      },
      { signal, minBlock: block.position },
    );
    return typeof code === 'string' && code.length > 2 && !DELEGATION.test(code);
  }

  async #findPools(
    token: Address,
    found: {
      readonly announced: readonly PoolDescription[];
      readonly callContracts: CallContracts;
    },
  ): Promise<PoolDescription[]> {
    const { announced, callContracts: call } = found;
    const search = { token, quotes: this.#quotes, announced };
    const context = { deployment: this.#deployment, callContracts: call };
    const pools = await Promise.all(
      VENUE_PROTOCOLS.map((protocol) => protocol.findPools(search, context)),
    );
    return pools.flat();
  }
}
