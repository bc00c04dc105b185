// Translates a round trip through pools into the probe's terms and simulates it.

import type { RoundTrip, RoundTripViews } from '../../chain-nodes.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { type ProbeHop, probePool } from '../pools/probe-pool.ts';
import { findTraded } from '../venues/registry.ts';

/** Null for a pool that the probe cannot swap in. */
function buildProbeHop({ pool, zeroForOne }: RoundTrip['hops'][number]): ProbeHop | null {
  const terms = findTraded(pool)?.probe ?? null;
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  return terms && { ...terms, tokenIn, tokenOut };
}

/** Null if the probe cannot swap in one of the pools. */
export async function simulateRoundTrip(
  client: RpcClient,
  { trip, deployment }: { readonly trip: RoundTrip; readonly deployment: EvmDeployment },
  signal: AbortSignal,
): Promise<RoundTripViews | null> {
  const hops = trip.hops.flatMap((hop) => buildProbeHop(hop) ?? []);
  if (hops.length < trip.hops.length) return null;
  const { amountIn, amountInMax = amountIn, minBlock, block } = trip;
  const feePerGas = trip.fees?.perUnitMax ?? null;
  const { wrapped } = deployment;
  return probePool(
    client,
    { hops, amountIn, amountInMax, wrapped, feePerGas, minBlock, block },
    signal,
  );
}
