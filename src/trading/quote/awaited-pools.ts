// Asks for the state of pools that quotes need and that are not known in full, and says whether it
// is worth waiting for. A pool that stays unread is no reason to ask again for ever: nobody may be
// able to read it.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PoolId } from '../../model/ids.ts';

/** Whether pools will be read soon; if not: because that failed, or because none are read here. */
export type PoolWait = 'pending' | 'failed' | 'off';

interface AwaitedPoolsOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Whether the indexer reads such pools at all. */
  readonly isAdopting: () => boolean;
  readonly adopt: (pools: readonly PoolId[]) => void;
}

interface AwaitedPool {
  readonly sinceMs: number;
  readonly askedAtMs: number;
}

/** At 60 calls a minute a pool takes some five to fifty seconds, and others may be first. */
const WAIT_MAX_MS = 120_000;
/** A pool that nobody asked for so long may have been read meanwhile: it is waited for anew. */
const FORGOTTEN_MS = 600_000;
const POOLS_MAX = 20_000;

export class AwaitedPools {
  readonly #options: AwaitedPoolsOptions;
  readonly #waits = new BoundedMap<PoolId, AwaitedPool>(POOLS_MAX);

  constructor(options: AwaitedPoolsOptions) {
    this.#options = options;
  }

  /** A quote needs one of these. */
  ask(pools: readonly PoolId[]): PoolWait {
    const { isAdopting, adopt } = this.#options;
    if (!isAdopting()) return 'off';
    adopt(pools);
    const waits = pools.map((pool) => this.#wait(pool));
    return waits.some((waitedMs) => waitedMs < WAIT_MAX_MS) ? 'pending' : 'failed';
  }

  /** For how long it has been waited for. */
  #wait(pool: PoolId): number {
    const askedAtMs = this.#options.clock.monotonicMs();
    const known = this.#waits.get(pool);
    const isKnown = known !== undefined && askedAtMs - known.askedAtMs < FORGOTTEN_MS;
    const sinceMs = isKnown ? known.sinceMs : askedAtMs;
    this.#waits.delete(pool);
    this.#waits.set(pool, { sinceMs, askedAtMs });
    return askedAtMs - sinceMs;
  }
}
