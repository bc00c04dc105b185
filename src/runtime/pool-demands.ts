// Reports the pools that clients need to the indexer. One that is shown may be awaited a moment
// later, which is reported, too: it then comes before all that are only shown.

import type { Clock } from '../lib/clock.ts';
import type { PoolDemand } from '../model/adoption.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { PoolId } from '../model/ids.ts';
import { ClientDemand } from './client-demand.ts';

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
