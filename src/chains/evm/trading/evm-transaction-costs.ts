// What transactions through the router were seen to use of gas and bytes.

import type { PoolTerms } from '../../../model/pool.ts';
import type { HopBytes, SwapCost, TransactionCosts } from '../../transaction-costs.ts';
import { findFirst, VENUE_PROTOCOLS } from '../venues/registry.ts';
import type { PoolCosts } from '../venues/venue-protocol.ts';

/** No transaction may use more gas on chains that follow EIP-7825. */
export const TRANSACTION_GAS_MAX = 1n << 24n;

export const EVM_COSTS: Omit<TransactionCosts, 'hasDataFees'> = {
  unitName: 'gas',
  base: 45_000n,
  // Through Permit2, swap path by swap path.
  pull: 10_000n,
  unwrap: 10_000n,
  fixedOutput: 16_000n,
  fee: 35_000n,
  usual: 200_000n,
  // Tokens of unusual contracts take more than was measured, and prices that move cross more.
  unitsMax: (TRANSACTION_GAS_MAX * 29n) / 32n,
  // Nodes pass no transaction on that is longer than 128 KiB.
  bytesMax: 120_000,
  // Some ten pools of V3.
  fewBytesMax: 4_000,
};

/** For kinds that were not measured. */
const OTHER_COST: SwapCost = { hop: 90_000n, hopInSameVault: 90_000n, perTick: 26_000n };

function findCosts(pool: PoolTerms): PoolCosts | null {
  return findFirst(VENUE_PROTOCOLS, (protocol) => protocol.findCosts?.(pool) ?? null);
}

export function findSwapCost(pool: PoolTerms): SwapCost {
  return findCosts(pool)?.swap ?? OTHER_COST;
}

export function findHopBytes(pool: PoolTerms): HopBytes {
  return findCosts(pool)?.bytes ?? { command: pool.kind, first: 400, next: 40 };
}
