// What clients have left in the node and a saved chain does not contain.

import type { Hex } from 'viem';
import { carryPool } from './carry-pool.ts';
import { impersonateActors } from './deploy-contracts.ts';
import type { JsonRpc } from './json-rpc.ts';
import { NodeFilters } from './node-filters.ts';
import { NodeSettings } from './node-settings.ts';
import { NodeSnapshots } from './node-snapshots.ts';
import { NodeSubscriptions } from './node-subscriptions.ts';

export interface MoveOptions {
  readonly from: JsonRpc;
  readonly to: JsonRpc;
  /** If false, a waiting transaction that the next node does not take fails the move. */
  readonly mayLose: boolean;
}

export class NodeMemory {
  readonly settings = new NodeSettings();
  readonly filters = new NodeFilters();
  readonly snapshots = new NodeSnapshots();
  readonly subscriptions = new NodeSubscriptions();

  /**
   * Makes everything but snapshots again on another node, while no block is mined and no client
   * changes anything. It counts once the returned function is called; until then the node before
   * can go on.
   */
  async move({ from, to, mayLose }: MoveOptions): Promise<() => void> {
    await impersonateActors(to);
    await this.settings.repeatOn(to);
    const [hashFrom, hashTo] = await Promise.all([readHeadHash(from), readHeadHash(to)]);
    const lost = await carryPool(from, to);
    if (lost.length > 0 && !mayLose) {
      throw new Error(`the next node does not take transaction ${lost[0]}`);
    }
    const commitFilters = await this.filters.move(from, to);
    const commitSubscriptions = await this.subscriptions.move({ url: to.url, hashFrom, hashTo });
    return () => {
      commitFilters();
      commitSubscriptions();
      this.snapshots.clear();
    };
  }
}

async function readHeadHash(rpc: JsonRpc): Promise<Hex> {
  return (await rpc.call<{ hash: Hex }>('eth_getBlockByNumber', 'latest', false)).hash;
}
