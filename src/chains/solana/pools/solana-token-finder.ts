// Looks a token up: its mint, its names and its pools. An address that is no mint takes one
// request, a token some twenty. Pools must be finalized: newer ones are in blocks that are indexed.

import type { Clock } from '../../../lib/clock.ts';
import type { Address } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { ChainAssets, TokenFinding, TokenQuery } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { toSolanaAddress, toSolanaPool } from '../data/solana-ids.ts';
import { readMintMetadata } from '../tokens/read-mints.ts';
import { VENUES_BY_PROGRAM } from '../venues/solana-venues.ts';
import { readPools } from './read-pools.ts';
import { scanPools } from './scan-pools.ts';

interface TokenFinderOptions {
  readonly client: RpcClient;
  readonly assets: Pick<ChainAssets, 'coin' | 'native' | 'stable'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

interface Work {
  readonly signal?: AbortSignal | undefined;
  /** An endpoint that has not reached this slot is skipped. */
  readonly minBlock: number;
}

/** The pools that follow from the coin's address. */
function listDerived(token: Address): Address[] {
  return Array.from(VENUES_BY_PROGRAM, ([program, venue]) => {
    return venue.listPoolsOf?.(token, toSolanaAddress(program)) ?? [];
  }).flat();
}

export class SolanaTokenFinder {
  readonly #options: TokenFinderOptions;
  /** The assets that price others, as pools hold them. */
  readonly #quotes: ReadonlySet<Address>;

  constructor(options: TokenFinderOptions) {
    this.#options = options;
    const { coin, native, stable } = options.assets;
    this.#quotes = new Set([...native, ...stable].filter((asset) => asset !== coin));
  }

  async find(
    { token, searchedFrom }: TokenQuery,
    block: { readonly position: number },
    signal?: AbortSignal,
  ): Promise<TokenFinding> {
    const { client } = this.#options;
    const work = { signal, minBlock: block.position };
    const query = { tokens: [token], minSlot: block.position };
    const [metadata] = await client.at((node) => readMintMetadata(node, query, signal), work);
    if (metadata === undefined || metadata.decimals === null) {
      return { kind: 'noToken', callCount: 1 };
    }
    const listed = await this.#scan(token, work);
    const found = await this.#describe(token, [...listed.pools, ...listDerived(token)], work);
    const callCount = 1 + listed.callCount + found.callCount;
    return { kind: 'token', metadata, pools: found.pools, searchedFrom, callCount };
  }

  /** None if no endpoint lists pools. */
  async #scan(token: Address, work: Work) {
    const { client } = this.#options;
    try {
      const query = { token, quotes: this.#quotes };
      return await client.at((node) => scanPools(node, query, work.signal), work);
    } catch (error) {
      if (!isRpcError(error, 'unsupported')) throw error;
      return { pools: [], callCount: 1 };
    }
  }

  async #describe(token: Address, addresses: readonly Address[], work: Work) {
    const { client, clock } = this.#options;
    const nowSeconds = Math.floor(clock.nowMs() / 1000);
    // The account of a curve does not name its coin.
    const wishes = [...new Set(addresses)].map((one) => ({ pool: toSolanaPool(one), mint: token }));
    const query = { wishes, minSlot: 0, nowSeconds, isFinalized: true };
    const { pools, callCount } = await client.at(
      (node) => readPools(node, query, work.signal),
      work,
    );
    const isWanted = ({ token0, token1 }: PoolDescription) =>
      (token0 === token && this.#quotes.has(token1)) ||
      (token1 === token && this.#quotes.has(token0));
    const found = Array.from(pools.values(), ({ description }) => description).filter(isWanted);
    return { pools: found, callCount };
  }
}
