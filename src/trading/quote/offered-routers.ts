// The routers that quotes may use now. One whose own contract was never executed is built on only
// after a simulation, so where no node can simulate it is not offered.

import type { RoundTripViews } from '../../chains/chain-nodes.ts';
import type { TradeRouter } from '../../chains/trade-router.ts';

type Routers = readonly TradeRouter[] | undefined;

export class OfferedRouters {
  readonly #all: Routers;
  readonly #proven: Routers;
  /** Until a probe has shown otherwise. */
  #canSimulate = true;

  constructor(routers: Routers) {
    this.#all = routers;
    this.#proven = routers?.filter(({ isProven }) => isProven);
  }

  get list(): Routers {
    return this.#canSimulate ? this.#all : this.#proven;
  }

  /** Probes of pools need what simulations of trades need. */
  onViews(views: RoundTripViews): void {
    this.#canSimulate = views.asContract !== null || views.asWallet !== null;
  }
}
