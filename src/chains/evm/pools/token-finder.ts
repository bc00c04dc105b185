// Looks a token up: its code, its metadata and its pools, all at one block. An address without code
// takes one request, a token some ten.

import type { Address } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { TokenFinding, TokenQuery } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { type EvmDeployment, toChainAssets } from '../data/deployments/evm-deployment.ts';
import { type CallContracts, callContracts } from '../rpc/multicall.ts';
import { type BlockPin, readPinned } from '../rpc/read-pinned.ts';
import { readTokenMetadata } from '../tokens/read-token-metadata.ts';
import { VENUE_PROTOCOLS } from '../venues/registry.ts';
import { searchCreations } from './search-creations.ts';

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
