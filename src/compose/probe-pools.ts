// Connects `SafetyWatch` to the node that simulates round trips through pools.

import type { ChainNodes, NetworkFees, RoundTripViews } from '../chains/chain-nodes.ts';
import type { Clock } from '../lib/clock.ts';
import type { Sleep } from '../lib/retry.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { PoolSafety } from '../model/pool-safety.ts';
import type { PoolGraph } from '../trading/graph/pool-graph.ts';
import type { GraphPool } from '../trading/graph/pool-graph-pool.ts';
import type { SafetyBook } from '../trading/graph/safety-book.ts';
import { computeHookFees } from '../trading/safety/hook-fees.ts';
import { judgePoolSafety } from '../trading/safety/judge-pool-safety.ts';
import { planProbeTrip } from '../trading/safety/probe-trip.ts';
import type { SafetyWatchOptions } from '../trading/safety/safety-watch.ts';

interface ProbeOptions {
  readonly nodes: Pick<ChainNodes, 'readHead' | 'simulateRoundTrip'>;
  readonly trusted: ReadonlySet<Address>;
  readonly coinDecimals: number;
  readonly book: SafetyBook;
  readonly readGraph: () => PoolGraph | null;
  readonly readFees: () => NetworkFees | null;
  /** The last committed block: the node must have it, so that evidence up to it is measured. */
  readonly readBlock: () => number;
  /** The block of the pool graph. */
  readonly readGraphBlock: () => number;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** How long the graph may take to catch up with the node after a probe. */
const CATCH_UP_MAX_MS = 3000;
const POLL_MS = 50;

/**
 * Whether the pool on the node was in the same state as in the graph. The node uses its newest
 * block: if the pool moved in between, the change would be mistaken for a fee of its hook.
 */
async function hasStayed(
  options: ProbeOptions,
  pool: GraphPool,
  signal: AbortSignal,
): Promise<boolean> {
  const { nodes, clock, sleep } = options;
  const head = await nodes.readHead(signal);
  const endMs = clock.monotonicMs() + CATCH_UP_MAX_MS;
  while (options.readGraphBlock() < head && clock.monotonicMs() < endMs) {
    await sleep(POLL_MS, signal);
  }
  return options.readGraphBlock() >= head && options.readGraph()?.get(pool.pool) === pool;
}

async function readHookFees(
  options: ProbeOptions,
  probed: {
    readonly pool: GraphPool;
    readonly zeroForOne: boolean;
    readonly views: RoundTripViews;
  },
  signal: AbortSignal,
): Promise<PoolSafety['hookFees']> {
  const { pool, zeroForOne, views } = probed;
  const fees = computeHookFees(pool, zeroForOne, views.asContract);
  if (fees === null || (await hasStayed(options, pool, signal))) return fees;
  return options.book.get(pool.pool)?.hookFees ?? null;
}

export function createProbe(options: ProbeOptions): SafetyWatchOptions['probe'] {
  const { nodes, trusted, coinDecimals, book, clock } = options;
  return async (id, signal) => {
    const graph = options.readGraph();
    const pool = graph?.get(id);
    if (graph === null || pool === undefined) return { status: 'unreached' };
    // The route to the pool must avoid pools and tokens known to take taxes or to be unsellable.
    const accepts = (one: { readonly pool: PoolId }, zeroForOne: boolean) => {
      const known = book.direction(one.pool, zeroForOne);
      if (known === null) return true;
      const isWhole = (known.inBps ?? 0) < 1 && (known.outBps ?? 0) < 1;
      return isWhole && known.sellable === true;
    };
    const trip = planProbeTrip(graph, pool, { trusted, accepts, coinDecimals });
    const last = trip?.hops.at(-1);
    if (trip === null || last === undefined) return { status: 'unreached' };
    // The start time, because later changes may be missing from the result.
    const checkedAtMs = clock.nowMs();
    const views = await nodes.simulateRoundTrip(
      { ...trip, fees: options.readFees(), minBlock: options.readBlock() },
      signal,
    );
    if (views === null) return { status: 'unreached' };
    if (views.asContract === null && views.asWallet === null) return { status: 'unable' };
    const { zeroForOne } = last;
    const { token0, token1 } = pool;
    const hookFees = await readHookFees(options, { pool, zeroForOne, views }, signal);
    const probed = { pool: id, token0, token1, zeroForOne, hookFees, checkedAtMs };
    const safety = judgePoolSafety(probed, views);
    return safety === null ? { status: 'unreached' } : { status: 'measured', safety };
  };
}
