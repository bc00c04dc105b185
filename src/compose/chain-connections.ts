// The nodes of the followed chains as this thread uses them: one pool of endpoints per chain, so
// that what one use learns of an endpoint counts for all. The indexer's thread has a pool of its
// own: health does not cross threads.

import { EndpointPool } from '../chains/evm/rpc/endpoint-pool.ts';
import { type Log, RpcClient } from '../chains/evm/rpc/rpc-client.ts';
import type { EndpointLimits } from '../chains/evm/rpc/rpc-endpoint.ts';
import type { Clock } from '../lib/clock.ts';
import { sleep } from '../lib/retry.ts';
import type { ChainSlug } from '../model/chain.ts';

interface ChainNodes {
  readonly chain: ChainSlug;
  readonly chainId: number;
  readonly endpoints: readonly string[];
}

/** How long one use may wait, and how much it may ask for at once. */
export interface ConnectionUse {
  readonly budgetMs: number;
  readonly limits: EndpointLimits;
}

export class ChainConnections {
  readonly #options: { readonly clock: Clock; readonly log: Log };
  readonly #pools = new Map<ChainSlug, { readonly key: string; readonly pool: EndpointPool }>();

  constructor(options: { readonly clock: Clock; readonly log: Log }) {
    this.#options = options;
  }

  /** To be closed by the caller; the last of a pool closes its connections. */
  open(nodes: ChainNodes, use: ConnectionUse): RpcClient {
    const { chainId } = nodes;
    const endpoints = this.#findPool(nodes);
    const parts = { ...this.#options, sleep, random: Math.random };
    return new RpcClient({ ...parts, ...use, chainId, endpoints });
  }

  #findPool({ chain, chainId, endpoints }: ChainNodes): EndpointPool {
    const key = [chainId, ...endpoints].join(' ');
    const known = this.#pools.get(chain);
    if (known?.key === key) return known.pool;
    // The devnet may come back at another port; who still uses the old one closes it.
    const { clock } = this.#options;
    const pool = new EndpointPool(endpoints, { clock, random: Math.random });
    this.#pools.set(chain, { key, pool });
    return pool;
  }
}
