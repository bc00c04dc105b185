// What a kind of DEX must provide. Forks of one kind differ in data only (see deployment.ts).

import type { PoolId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { PoolStateQuery, PoolStateReading } from '../../adapter.ts';
import type { EvmDeployment } from '../deployment.ts';
import type { LogDecoder } from '../evm-log.ts';
import type { ContractCall } from '../multicall.ts';

/** Reads in bulk; null where the contract did not answer. */
export type CallContracts = (calls: readonly ContractCall[]) => Promise<(string | null)[]>;

export interface VenueProtocol {
  /** The venues of this kind that a deployment has. */
  toVenues(deployment: EvmDeployment): readonly string[];
  createDecoders(deployment: EvmDeployment): ReadonlyMap<string, LogDecoder>;
  /**
   * Describes pools whose creation was not seen, as far as a known factory vouches for them;
   * anything may emit the topic of a swap.
   */
  resolvePools(
    pools: readonly PoolId[],
    context: { readonly deployment: EvmDeployment; readonly callContracts: CallContracts },
  ): Promise<PoolDescription[]>;
  /** The pools' state as their contracts tell it; null for one that does not answer. */
  readPoolStates(
    queries: readonly PoolStateQuery[],
    context: { readonly deployment: EvmDeployment; readonly callContracts: CallContracts },
  ): Promise<(PoolStateReading | null)[]>;
}
