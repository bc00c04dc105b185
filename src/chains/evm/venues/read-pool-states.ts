// Reads pools' own state, each in the way of its venue protocol.

import type { PoolId } from '../../../model/ids.ts';
import type { PoolStateQuery, PoolStateReading } from '../../adapter.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import type { CallContracts } from '../rpc/multicall.ts';
import { ownsVenue, VENUE_PROTOCOLS } from './registry.ts';

/** In the requested order; a pool that does not respond is left out. */
export async function readPoolStates(
  queries: readonly PoolStateQuery[],
  context: { readonly deployment: EvmDeployment; readonly callContracts: CallContracts },
): Promise<PoolStateReading[]> {
  const readings = new Map<PoolId, PoolStateReading>();
  for (const protocol of VENUE_PROTOCOLS) {
    const own = queries.filter(({ description }) =>
      ownsVenue(protocol, description.venue, context.deployment),
    );
    if (own.length === 0) continue;
    for (const reading of await protocol.readPoolStates(own, context)) {
      if (reading !== null) readings.set(reading.pool, reading);
    }
  }
  return queries.flatMap(({ description }) => readings.get(description.pool) ?? []);
}
