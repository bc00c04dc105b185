// Reads the head of the chain. One endpoint alone cannot move it back.

import type { Clock } from '../../lib/clock.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainHead } from '../adapter.ts';
import { type EvmBlock, parseBlock } from './blocks/parse-block.ts';
import type { RpcClient } from './rpc/rpc-client.ts';
import type { RpcEndpoint } from './rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from './rpc/rpc-error.ts';

interface HeadReaderOptions {
  readonly client: RpcClient;
  /**
   * The depth below the head at which blocks count as final if the node has no `finalized` block.
   */
  readonly finalityDepth: number;
  readonly clock: Clock;
}

/** The preferred endpoint may lag without going back, so all are compared at this interval. */
const COMPARE_MS = 10_000;

interface Reading {
  readonly endpoint: RpcEndpoint;
  readonly latest: BlockHeader;
  readonly finalizedBlock: number;
}

export class HeadReader {
  readonly #options: HeadReaderOptions;
  #lastBlock = -1;
  #lastFinalized = 0;
  #comparedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: HeadReaderOptions) {
    this.#options = options;
  }

  async read(signal?: AbortSignal): Promise<ChainHead> {
    const { client } = this.#options;
    let reading = await client.at((endpoint) => this.#readAt(endpoint, signal), { signal });
    if (reading.latest.position < this.#lastBlock || this.#isCompareDue()) {
      // Behind the known head: lagging, or really shorter. The endpoint furthest ahead is right,
      // unless it reports blocks as final that no other endpoint has.
      const all = await client.atEach((endpoint) => this.#readAt(endpoint, signal), signal);
      for (const { endpoint, value } of all) {
        if (value.finalizedBlock > this.#highestOfOthers(endpoint)) continue;
        if (value.latest.position > reading.latest.position) reading = value;
      }
    }
    const { latest } = reading;
    const final = Math.min(reading.finalizedBlock, this.#highestOfOthers(reading.endpoint));
    const finalizedBlock = Math.max(this.#lastFinalized, final);
    if (latest.position < finalizedBlock) {
      const behind = `head ${latest.position} is below the final block ${finalizedBlock}`;
      throw new RpcError('unavailable', `every endpoint lags: ${behind}`);
    }
    this.#lastBlock = latest.position;
    this.#lastFinalized = finalizedBlock;
    return { latest, finalizedBlock };
  }

  /**
   * The highest block that any other endpoint is known to have. No limit with fewer than two
   * others: of two endpoints that differ, either may lag.
   */
  #highestOfOthers(endpoint: RpcEndpoint): number {
    const heads = this.#options.client.endpoints
      .filter((other) => other !== endpoint && !other.health.isRefused)
      .flatMap(({ health }) => (health.head === null ? [] : [health.head]));
    return heads.length < 2 ? Number.POSITIVE_INFINITY : Math.max(...heads);
  }

  #isCompareDue(): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const several = this.#options.client.endpoints.length > 1;
    if (!several || nowMs - this.#comparedAtMs < COMPARE_MS) return false;
    this.#comparedAtMs = nowMs;
    return true;
  }

  async #readAt(endpoint: RpcEndpoint, signal?: AbortSignal): Promise<Reading> {
    const [chainId, latestOutcome, finalizedOutcome] = await endpoint.batch(
      [
        { method: 'eth_chainId', params: [] },
        { method: 'eth_getBlockByNumber', params: ['latest', false] },
        { method: 'eth_getBlockByNumber', params: ['finalized', false] },
      ],
      { signal },
    );
    endpoint.assertChain(endpoint.unwrap(chainId));
    const latest = parseBlock(endpoint.unwrap(latestOutcome), endpoint.name);
    if (latest === null) {
      throw new RpcError('invalidReply', `${endpoint.name}: has no latest block`);
    }
    endpoint.health.observeHead(latest.header.position);
    let finalized: EvmBlock | null = null;
    // Not every node supports the tag, and a young chain has no such block yet.
    if (finalizedOutcome?.ok === true)
      finalized = parseBlock(finalizedOutcome.result, endpoint.name);
    else if (isRpcError(finalizedOutcome?.error, 'denied')) throw finalizedOutcome?.error;
    const { position } = latest.header;
    const depth = Math.max(0, position - this.#options.finalityDepth);
    const finalizedBlock = Math.min(position, finalized?.header.position ?? depth);
    return { endpoint, latest: latest.header, finalizedBlock };
  }
}
