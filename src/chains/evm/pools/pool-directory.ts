// Knows which pools are real. A pool is known by its factory's log, by the caller's store, or
// because a known factory confirms it; anything else that emits the same topics is ignored.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { PoolId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { KnownPools } from '../../adapter.ts';
import type { EvmDeployment } from '../evm-deployment.ts';
import type { CallContracts, VenueProtocol } from '../venues/venue-protocol.ts';

interface DirectoryEntry {
  readonly description: PoolDescription;
  /** Whether its creation was read here; otherwise the pool is announced, even if it is stored. */
  readonly isBirthSeen: boolean;
}

interface PoolDirectoryOptions {
  readonly deployment: EvmDeployment;
  readonly knownPools: KnownPools;
}

const POOLS_MAX = 200_000;
const IGNORED_MAX = 200_000;

export class PoolDirectory {
  readonly #options: PoolDirectoryOptions;
  readonly #entries = new BoundedMap<PoolId, DirectoryEntry>(POOLS_MAX);
  readonly #ignored = new BoundedMap<PoolId, true>(IGNORED_MAX);
  #ignoredCount = 0;

  constructor(options: PoolDirectoryOptions) {
    this.#options = options;
  }

  /** Emitters that are not pools of any known factory. */
  get ignoredCount(): number {
    return this.#ignoredCount;
  }

  get(pool: PoolId): DirectoryEntry | undefined {
    return this.#entries.get(pool);
  }

  /** Whether this emitter is unknown and must be looked up. */
  isUnknown(pool: PoolId): boolean {
    return !this.#entries.has(pool) && !this.#ignored.has(pool);
  }

  /** Adds a pool whose creation was read; call it only once the logs are trusted. */
  add(description: PoolDescription): void {
    this.#entries.set(description.pool, { description, isBirthSeen: true });
    this.#ignored.delete(description.pool);
  }

  /** Looks emitters up, first in the store and then at the contracts. */
  async lookUp(
    emitters: ReadonlyMap<PoolId, VenueProtocol>,
    callContracts: CallContracts,
  ): Promise<void> {
    if (emitters.size === 0) return;
    for (const row of await this.#options.knownPools([...emitters.keys()])) {
      this.#entries.set(row.pool, { description: pickDescription(row), isBirthSeen: false });
    }
    const strangers = Map.groupBy(
      [...emitters].filter(([pool]) => !this.#entries.has(pool)),
      ([, protocol]) => protocol,
    );
    const { deployment } = this.#options;
    for (const [protocol, pairs] of strangers) {
      const pools = pairs.map(([pool]) => pool);
      const found = await protocol.resolvePools(pools, { deployment, callContracts });
      for (const description of found) {
        this.#entries.set(description.pool, { description, isBirthSeen: false });
      }
      for (const pool of pools) {
        if (this.#entries.has(pool)) continue;
        this.#ignored.set(pool, true);
        this.#ignoredCount += 1;
      }
    }
  }
}

/** A stored row has more fields than the description; only those are kept in memory. */
function pickDescription(row: PoolDescription): PoolDescription {
  const { pool, kind, venue, token0, token1, feePips, vault, terms } = row;
  return { pool, kind, venue, token0, token1, feePips, vault, terms } as PoolDescription;
}
