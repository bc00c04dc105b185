// Measures each endpoint of an EVM chain.

import type { EndpointReport } from '../../endpoint-measurement.ts';
import type { ChainSource, NodeParts } from '../../family.ts';
import { probeEndpoints } from '../../rpc/endpoint-probe.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { createEvmDialect } from '../rpc/evm-dialect.ts';
import { EndpointMeasuring } from './endpoint-measuring.ts';

export function measureEndpoints(
  source: ChainSource,
  { clock, deployment }: NodeParts & { readonly deployment: EvmDeployment },
  signal: AbortSignal,
): Promise<EndpointReport[]> {
  const dialect = createEvmDialect(deployment.chainId);
  return probeEndpoints(
    source,
    { clock, dialect },
    { measure: (probe) => new EndpointMeasuring(probe, deployment).measure(), signal },
  );
}
