// Measures each endpoint of a chain, one after the other.

import { sleep } from '../../../lib/retry.ts';
import type { EndpointReport } from '../../endpoint-measurement.ts';
import type { ChainSource, NodeParts } from '../../family.ts';
import { EndpointPool } from '../../rpc/endpoint-pool.ts';
import { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { createEvmDialect } from '../rpc/evm-dialect.ts';
import { EndpointMeasuring } from './endpoint-measuring.ts';

const LIMITS = {
  timeoutMs: 20_000,
  replyBytesMax: 64 * 1024 * 1024,
  batchCallsMax: 100,
  batchesMax: 1,
  chainCheckMs: Number.POSITIVE_INFINITY,
};

export async function measureEndpoints(
  source: ChainSource,
  parts: NodeParts & { readonly deployment: EvmDeployment },
  signal: AbortSignal,
): Promise<EndpointReport[]> {
  const { clock, deployment } = parts;
  const reports: EndpointReport[] = [];
  for (const [index, url] of source.endpoints.entries()) {
    // A pool for each, so that its calls are counted separately.
    const pool = new EndpointPool([url], {
      ...{ clock, random: Math.random },
      budget: source.budget && { ...source.budget, creditsPerDay: null, creditsPerSecond: null },
    });
    pool.join();
    const pooled = pool.endpoints[0];
    if (pooled === undefined) continue;
    const name = pooled.name.replace(/#\d+$/, `#${index}`);
    // Its limits are what is measured.
    const use = { isUrgent: false, sleep, staysWhenLimited: () => false };
    const dialect = createEvmDialect(deployment.chainId);
    const endpoint = new RpcEndpoint(pooled, { dialect, limits: LIMITS, use });
    try {
      const options = { endpoint, meter: pool.meter, deployment, clock, sleep, signal };
      const measurement = await new EndpointMeasuring(options).measure();
      reports.push({ kind: 'measured', measurement: { ...measurement, name } });
    } catch (error) {
      signal.throwIfAborted();
      if (!isRpcError(error)) throw error;
      reports.push({ kind: 'failed', name, reason: error.message });
    } finally {
      pool.leave();
    }
  }
  return reports;
}
