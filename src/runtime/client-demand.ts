// Reports what clients request to the indexer: pools, which it adopts first, and tokens, whose
// history it fills in. Each is reported once per interval, no matter how often it is requested.

import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import type { PoolDemand } from '../model/adoption.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { PoolId } from '../model/ids.ts';

const AGAIN_AFTER_MS = 30_000;
const REMEMBERED_MAX = 20_000;

export class ClientDemand<Id extends string> {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #tell: (chain: ChainSlug, ids: readonly Id[], caller: string) => void;
  readonly #announced = new BoundedMap<string, number>(REMEMBERED_MAX);

  constructor(
    clock: Pick<Clock, 'monotonicMs'>,
    tell: (chain: ChainSlug, ids: readonly Id[], caller: string) => void,
  ) {
    this.#clock = clock;
    this.#tell = tell;
  }

  ask(chain: ChainSlug, ids: readonly Id[], caller = ''): void {
    if (ids.length === 0) return;
    const nowMs = this.#clock.monotonicMs();
    const due = ids.filter((id) => {
      const announcedAtMs = this.#announced.get(`${chain} ${id}`);
      return announcedAtMs === undefined || nowMs - announcedAtMs >= AGAIN_AFTER_MS;
    });
    for (const id of due) {
      this.#announced.delete(`${chain} ${id}`);
      this.#announced.set(`${chain} ${id}`, nowMs);
    }
    if (due.length > 0) this.#tell(chain, due, caller);
  }
}

// Reports the pools that clients need to the indexer. One that is shown may be awaited a moment
// later, which is reported, too: it then comes before all that are only shown.

export class PoolDemands {
  readonly #shown: ClientDemand<PoolId>;
  readonly #awaited: ClientDemand<PoolId>;

  constructor(
    clock: Pick<Clock, 'monotonicMs'>,
    tell: (chain: ChainSlug, pools: readonly PoolId[], demand: PoolDemand) => void,
  ) {
    this.#shown = new ClientDemand(clock, (chain, pools) => tell(chain, pools, 'shown'));
    this.#awaited = new ClientDemand(clock, (chain, pools) => tell(chain, pools, 'awaited'));
  }

  ask(chain: ChainSlug, pools: readonly PoolId[], demand: PoolDemand): void {
    const demands = demand === 'awaited' ? this.#awaited : this.#shown;
    demands.ask(chain, pools);
  }
}
