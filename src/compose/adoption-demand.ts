// Reports the pools that clients request to the indexer, which adopts them first. Each pool is
// reported once per interval, no matter how often it is requested.

import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { PoolId } from '../model/ids.ts';

const AGAIN_AFTER_MS = 30_000;
const REMEMBERED_MAX = 20_000;

export class AdoptionDemand {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #report: (chain: ChainSlug, pools: readonly PoolId[]) => void;
  readonly #reportedAtMs = new BoundedMap<string, number>(REMEMBERED_MAX);

  constructor(
    clock: Pick<Clock, 'monotonicMs'>,
    report: (chain: ChainSlug, pools: readonly PoolId[]) => void,
  ) {
    this.#clock = clock;
    this.#report = report;
  }

  ask(chain: ChainSlug, pools: readonly PoolId[]): void {
    if (pools.length === 0) return;
    const nowMs = this.#clock.monotonicMs();
    const due = pools.filter((pool) => {
      const reportedAtMs = this.#reportedAtMs.get(`${chain} ${pool}`);
      return reportedAtMs === undefined || nowMs - reportedAtMs >= AGAIN_AFTER_MS;
    });
    for (const pool of due) {
      this.#reportedAtMs.delete(`${chain} ${pool}`);
      this.#reportedAtMs.set(`${chain} ${pool}`, nowMs);
    }
    if (due.length > 0) this.#report(chain, due);
  }
}
