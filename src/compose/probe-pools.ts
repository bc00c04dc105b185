// Connects the watch over pools to the node that can simulate a round trip through them.

import type { EvmDeployment } from '../chains/evm/deployment.ts';
import { toPoolReference } from '../chains/evm/pools/pool-reference.ts';
import { type ProbeHop, type ProbeViews, probePool } from '../chains/evm/probe/probe-pool.ts';
import type { RpcClient } from '../chains/evm/rpc/rpc-client.ts';
import type { Clock } from '../lib/clock.ts';
import type { Sleep } from '../lib/retry.ts';
import { ZERO_ADDRESS } from '../model/market-event.ts';
import type { PoolSafety } from '../model/pool-safety.ts';
import type { PoolGraph } from '../trading/graph/pool-graph.ts';
import type { GraphPool } from '../trading/graph/pool-graph-pool.ts';
import type { SafetyBook } from '../trading/graph/safety-book.ts';
import type { NetworkFees } from '../trading/quote/priced-trade.ts';
import { toHookFees } from '../trading/safety/hook-fees.ts';
import { type TripHop, toProbeTrip } from '../trading/safety/probe-trip.ts';
import type { SafetyWatchOptions } from '../trading/safety/safety-watch.ts';
import { toPoolSafety } from '../trading/safety/to-pool-safety.ts';

interface ProbeOptions {
  readonly client: RpcClient;
  readonly deployment: EvmDeployment;
  readonly trusted: ReadonlySet<string>;
  readonly book: SafetyBook;
  readonly readGraph: () => PoolGraph | null;
  readonly readFees: () => NetworkFees | null;
  /** The last committed block: what was seen up to it must be part of what is measured. */
  readonly readBlock: () => number;
  /** The block that the graph is at. */
  readonly readGraphBlock: () => number;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** How long the graph may take to follow the node to where it was probed. */
const CATCH_UP_MAX_MS = 3000;
const POLL_MS = 50;

/**
 * Whether the node swapped in the pool as the graph has it. The node is asked about its newest
 * block: if the pool moved in between, the move would be taken for a fee of its hook.
 */
async function hasStayed(
  options: ProbeOptions,
  pool: GraphPool,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, clock, sleep } = options;
  const head = Number(await client.request({ method: 'eth_blockNumber', params: [] }, { signal }));
  const endMs = clock.monotonicMs() + CATCH_UP_MAX_MS;
  while (options.readGraphBlock() < head && clock.monotonicMs() < endMs) {
    await sleep(POLL_MS, signal);
  }
  return options.readGraphBlock() >= head && options.readGraph()?.get(pool.pool) === pool;
}

async function readHookFees(
  options: ProbeOptions,
  probed: { readonly pool: GraphPool; readonly zeroForOne: boolean; readonly views: ProbeViews },
  signal: AbortSignal,
): Promise<PoolSafety['hookFees']> {
  const { pool, zeroForOne, views } = probed;
  const fees = toHookFees(pool, zeroForOne, views.asContract);
  if (fees === null || (await hasStayed(options, pool, signal))) return fees;
  return options.book.get(pool.pool)?.hookFees ?? null;
}

/** Null for a pool that the probe cannot swap in. */
function toProbeHop({ pool, zeroForOne }: TripHop, deployment: EvmDeployment): ProbeHop | null {
  const reference = toPoolReference(pool);
  if (reference === null) return null;
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  if (reference.kind !== 'v4') {
    const address = reference.kind === 'v2' ? reference.pair : reference.pool;
    const { feePips: fee } = pool;
    const terms = { fee, tickSpacing: 0, hooks: ZERO_ADDRESS };
    return { kind: reference.kind, pool: address, tokenIn, tokenOut, ...terms };
  }
  const { fee, tickSpacing, hooks } = reference.key;
  const manager = deployment.v4?.poolManager ?? ZERO_ADDRESS;
  return { kind: 'v4', pool: manager, tokenIn, tokenOut, fee, tickSpacing, hooks };
}

export function createProbe(options: ProbeOptions): SafetyWatchOptions['probe'] {
  const { client, deployment, trusted, book, clock } = options;
  return async (id, signal) => {
    const graph = options.readGraph();
    const pool = graph?.get(id);
    if (graph === null || pool === undefined) return { status: 'unreached' };
    // The way to the pool must not be led through what is known to spoil it.
    const accepts = (one: { readonly pool: string }, zeroForOne: boolean) => {
      const known = book.direction(one.pool, zeroForOne);
      if (known === null) return true;
      const isWhole = (known.inBps ?? 0) < 1 && (known.outBps ?? 0) < 1;
      return isWhole && known.sellable === true;
    };
    const trip = toProbeTrip(graph, pool, { trusted, accepts });
    const last = trip?.hops.at(-1);
    if (trip === null || last === undefined) return { status: 'unreached' };
    const hops = trip.hops.flatMap((hop) => toProbeHop(hop, deployment) ?? []);
    if (hops.length < trip.hops.length) return { status: 'unreached' };
    // As of when it began: whatever comes later is not in it for certain.
    const checkedAtMs = clock.nowMs();
    const views = await probePool(
      client,
      {
        hops,
        amountIn: trip.amountIn,
        wrapped: deployment.wrapped,
        feePerGas: options.readFees()?.maxFeePerGas ?? null,
        minBlock: options.readBlock(),
      },
      signal,
    );
    if (views.asContract === null && views.asWallet === null) return { status: 'unable' };
    const { zeroForOne } = last;
    const { token0, token1 } = pool;
    const hookFees = await readHookFees(options, { pool, zeroForOne, views }, signal);
    const probed = { pool: id, token0, token1, zeroForOne, hookFees, checkedAtMs };
    const safety = toPoolSafety(probed, views);
    return safety === null ? { status: 'unreached' } : { status: 'measured', safety };
  };
}
