// The graph of one venue's pools on a test chain, once all of them can be quoted exactly.

import { PoolGraph } from '../src/trading/graph/pool-graph.ts';
import type { IndexedDevnet } from './indexed-devnet.ts';

const WHOLE_MAX_MS = 60_000;

export async function readVenueGraph(
  devnet: IndexedDevnet,
  { venue, rowCount }: { readonly venue: string; readonly rowCount: number },
): Promise<PoolGraph> {
  const { follower, adapter } = devnet;
  const deadlineMs = Date.now() + WHOLE_MAX_MS;
  for (;;) {
    await devnet.settle();
    const all = [...(follower.current?.graph.pools() ?? [])];
    const rows = all.filter((pool) => pool.venue === venue);
    if (rows.length === rowCount && rows.every(({ inexact }) => inexact === null)) {
      const { coin } = adapter.assets;
      const graph = new PoolGraph({ native: { coin, wrapped: adapter.deployment.wrapped } });
      for (const row of rows) graph.set(row);
      return graph;
    }
    if (Date.now() > deadlineMs) throw new Error(`${rows.length} rows of ${venue} are quoted`);
    await devnet.chain.mine();
  }
}
