// Connects the watch over pools to the node that can simulate a round trip through them.

import type { EvmDeployment } from '../chains/evm/deployment.ts';
import { type ProbeHop, probePool } from '../chains/evm/probe/probe-pool.ts';
import type { RpcClient } from '../chains/evm/rpc/rpc-client.ts';
import type { Clock } from '../lib/clock.ts';
import { ZERO_ADDRESS } from '../model/market-event.ts';
import type { PoolGraph } from '../trading/graph/pool-graph.ts';
import type { NetworkFees } from '../trading/quote/priced-trade.ts';
import { toPoolReference } from '../trading/quote/trade-legs.ts';
import { toHookFees } from '../trading/safety/hook-fees.ts';
import { type TripHop, toProbeTrip } from '../trading/safety/probe-trip.ts';
import type { SafetyBook } from '../trading/safety/safety-book.ts';
import type { SafetyWatchOptions } from '../trading/safety/safety-watch.ts';
import { toPoolSafety } from '../trading/safety/to-pool-safety.ts';

export interface ProbeOptions {
  readonly client: RpcClient;
  readonly deployment: EvmDeployment;
  readonly trusted: ReadonlySet<string>;
  readonly book: SafetyBook;
  readonly readGraph: () => PoolGraph | null;
  readonly readFees: () => NetworkFees | null;
  /** The last committed block: what was seen up to it must be part of what is measured. */
  readonly readBlock: () => number;
  readonly clock: Clock;
}

/** Null for a pool that the probe cannot swap in. */
function toProbeHop({ pool, zeroForOne }: TripHop, deployment: EvmDeployment): ProbeHop | null {
  const reference = toPoolReference(pool);
  if (reference.kind === 'none') return null;
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
    const hookFees = toHookFees(pool, zeroForOne, views.asContract);
    const probed = { pool: id, token0, token1, zeroForOne, hookFees, checkedAtMs };
    const safety = toPoolSafety(probed, views);
    return safety === null ? { status: 'unreached' } : { status: 'measured', safety };
  };
}
