// Knows which pools are real: by the caller's store, or because the account belongs to a venue's
// program. Anything else that looks like a pool is ignored.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { PoolId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { KnownPools } from '../../adapter.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { type PoolSighting, readPools } from './read-pools.ts';

const POOLS_MAX = 200_000;
const IGNORED_MAX = 200_000;

interface LookUpPlace {
  /** A node that is not at this slot yet is not asked. */
  readonly minSlot: number;
  readonly nowSeconds: number;
  readonly signal?: AbortSignal | undefined;
}

type Sightings = ReadonlyMap<PoolId, PoolSighting>;

export class SolanaPoolDirectory {
  readonly #knownPools: KnownPools;
  readonly #entries = new BoundedMap<PoolId, PoolDescription>(POOLS_MAX);
  readonly #ignored = new BoundedMap<PoolId, true>(IGNORED_MAX);
  #ignoredCount = 0;

  constructor(knownPools: KnownPools) {
    this.#knownPools = knownPools;
  }

  /** Accounts that are no pools of any known program, or are closed. */
  get ignoredCount(): number {
    return this.#ignoredCount;
  }

  get(pool: PoolId): PoolDescription | undefined {
    return this.#entries.get(pool);
  }

  isUnknown(pool: PoolId): boolean {
    return !this.#entries.has(pool) && !this.#ignored.has(pool);
  }

  /** Reads from the store what it has of the pools. */
  async load(pools: Iterable<PoolId>): Promise<void> {
    const missing = [...pools].filter((pool) => !this.#entries.has(pool));
    if (missing.length === 0) return;
    for (const row of await this.#knownPools(missing)) {
      const { pool, kind, venue, token0, token1, feePips, vault, terms } = row;
      const description = { pool, kind, venue, token0, token1, feePips, vault, terms };
      this.#entries.set(pool, description as PoolDescription);
    }
  }

  /** Looks pools up, first in the store and then at the node. */
  async lookUp(node: SolanaNode, sightings: Sightings, at: LookUpPlace): Promise<void> {
    await this.load(sightings.keys());
    const isMissing = (pool: PoolId) => !this.#entries.has(pool);
    const wishes = [...sightings].flatMap(([pool, sighting]) =>
      isMissing(pool) ? [{ pool, ...sighting }] : [],
    );
    if (wishes.length === 0) return;
    const { pools } = await readPools(node, { ...at, wishes }, at.signal);
    for (const [pool, { description }] of pools) this.#entries.set(pool, description);
  }

  /** Ignores those of the pools that no node has. */
  ignoreUnknown(pools: Iterable<PoolId>): void {
    for (const pool of pools) {
      if (!this.isUnknown(pool)) continue;
      this.#ignored.set(pool, true);
      this.#ignoredCount += 1;
    }
  }
}
