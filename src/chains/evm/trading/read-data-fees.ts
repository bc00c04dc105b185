// What a rollup charges for the data of swaps now, for quotes: asked of its own oracle for a short
// and a long call of the router. A quote interpolates between them and needs no request.

import type { DataFees } from '../../chain-nodes.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { encodeSample, SAMPLE_POOL } from '../venues/universal-router/encode-sample.ts';
import { findUniversalRouter } from '../venues/universal-router/universal-router.ts';
import { findHopBytes } from './evm-transaction-costs.ts';
import { readDataCosts } from './read-data-cost.ts';

const SHORT_POOL_COUNT = 1;
const LONG_POOL_COUNT = 10;
const POOL_BYTES = findHopBytes(SAMPLE_POOL).first;

export async function readDataFees(
  client: RpcClient,
  deployment: EvmDeployment,
): Promise<DataFees> {
  const { rollup = null } = deployment;
  if (rollup === null) return { kind: 'none' };
  const router = findUniversalRouter(deployment);
  if (router === null) return { kind: 'unknown' };
  const samples = [SHORT_POOL_COUNT, LONG_POOL_COUNT].map((count) => encodeSample(router, count));
  const [short = null, long = null] = await readDataCosts(client, rollup, samples);
  if (short === null || long === null) return { kind: 'unknown' };
  return {
    kind: rollup === 'arbitrum' ? 'units' : 'coin',
    short: { bytes: SHORT_POOL_COUNT * POOL_BYTES, charged: short },
    long: { bytes: LONG_POOL_COUNT * POOL_BYTES, charged: long },
  };
}
