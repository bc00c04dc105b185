// Translates a round trip through pools into the probe's terms and simulates it.

import type { RoundTrip, RoundTripViews } from '../../chain-nodes.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { type ProbeHop, probePool } from '../pools/probe-pool.ts';
import { toPoolReference } from '../venues/pool-reference.ts';

/** Null for a pool that the probe cannot swap in. */
function buildProbeHop(
  { pool, zeroForOne }: RoundTrip['hops'][number],
  deployment: EvmDeployment,
): ProbeHop | null {
  const reference = toPoolReference(pool);
  if (reference === null) return null;
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  if (reference.kind === 'vault') {
    const terms = { fee: 0, tickSpacing: 0, hooks: reference.contract };
    return { kind: 'vault', pool: reference.vault, tokenIn, tokenOut, ...terms };
  }
  if (reference.kind === 'curve') {
    // The probe swaps in stable pools, by their own coins.
    if (pool.kind !== 'stableSwap') return null;
    const terms = { fee: reference.lower, tickSpacing: reference.upper, hooks: pool.token0 };
    return { kind: 'curve', pool: reference.contract, tokenIn, tokenOut, ...terms };
  }
  if (reference.kind !== 'v4') {
    const address = reference.kind === 'v3' ? reference.pool : reference.pair;
    const { feePips: fee } = pool;
    const terms = { fee, tickSpacing: 0, hooks: ZERO_ADDRESS };
    return { kind: reference.kind, pool: address, tokenIn, tokenOut, ...terms };
  }
  const { fee, tickSpacing, hooks } = reference.key;
  const manager = deployment.v4?.poolManager ?? ZERO_ADDRESS;
  return { kind: 'v4', pool: manager, tokenIn, tokenOut, fee, tickSpacing, hooks };
}

/** Null if the probe cannot swap in one of the pools. */
export async function simulateRoundTrip(
  client: RpcClient,
  { trip, deployment }: { readonly trip: RoundTrip; readonly deployment: EvmDeployment },
  signal: AbortSignal,
): Promise<RoundTripViews | null> {
  const hops = trip.hops.flatMap((hop) => buildProbeHop(hop, deployment) ?? []);
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
