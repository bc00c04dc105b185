// Venues whose trades are stored, and whose swaps are not computed.

import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { DecodedSwap, EvmLog } from '../data/evm-log.ts';
import type { PoolCosts, VenueProtocol } from './venue-protocol.ts';

/** Stable pools solve their formula in a loop; a step of a batch of a vault is the longest. */
const UNPRICED_COSTS: PoolCosts = {
  swap: { hop: 150_000n, hopInSameVault: 150_000n, perTick: 0n },
  bytes: { command: 'vault', first: 740, next: 320 },
};

/** Their pools are found when they trade, and have no state to read. */
export const UNPRICED: Pick<
  VenueProtocol,
  'findPools' | 'listCreationFilters' | 'readPoolStates' | 'readPoolPage' | 'findCosts'
> = {
  findPools: async () => [],
  listCreationFilters: () => [],
  readPoolStates: async (queries) => queries.map(() => null),
  readPoolPage: async () => null,
  findCosts: ({ kind }) => (kind === 'tradesOnly' ? UNPRICED_COSTS : null),
};

/** What a pool took and paid, and which of its tokens it took. */
interface ExchangedAmounts {
  readonly isZeroIn: boolean;
  readonly paid: bigint;
  readonly received: bigint;
}

export function buildUnpricedSwap(
  { txHash, logIndex }: Pick<EvmLog, 'txHash' | 'logIndex'>,
  pool: PoolId,
  { isZeroIn, paid, received }: ExchangedAmounts,
): DecodedSwap {
  const [last0, last1] = isZeroIn ? [paid, received] : [received, paid];
  return {
    ...{ kind: 'swap', txHash, logIndex, pool },
    amount0: isZeroIn ? last0 : -last0,
    amount1: isZeroIn ? -last1 : last1,
    change: { poolKind: 'tradesOnly', set: { last0, last1 } },
  };
}

export function describeUnpriced(place: {
  readonly pool: PoolId;
  readonly venue: string;
  readonly vault: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly feePips: number;
}): PoolDescription {
  return { ...place, kind: 'tradesOnly', terms: null };
}
