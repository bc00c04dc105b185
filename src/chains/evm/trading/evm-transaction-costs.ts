// What transactions through the router were seen to use of gas and bytes.

import type { PoolTerms } from '../../../model/pool.ts';
import type { HopBytes, SwapCost, TransactionCosts } from '../../transaction-costs.ts';
import { VENUE_PROTOCOLS } from '../venues/registry.ts';
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
  usual: 200_000n,
  // Tokens of unusual contracts take more than was measured, and prices that move cross more.
  unitsMax: (TRANSACTION_GAS_MAX * 29n) / 32n,
  // Nodes pass no transaction on that is longer than 128 KiB.
  bytesMax: 120_000,
  // Some ten pools of V3.
  fewBytesMax: 4_000,
};

const V2_COST: SwapCost = { hop: 58_000n, hopInSameVault: 58_000n, perTick: 0n };
const V3_COST: SwapCost = { hop: 70_000n, hopInSameVault: 70_000n, perTick: 26_000n };
const V4_COST: SwapCost = { hop: 60_000n, hopInSameVault: 36_000n, perTick: 26_000n };
/** A stable pair computes longer than a volatile one. */
const SOLIDLY_COST: SwapCost = { hop: 130_000n, hopInSameVault: 130_000n, perTick: 0n };
/** For pools whose formula we do not compute: stable ones solve it in a loop. */
const UNPRICED_COST: SwapCost = { hop: 150_000n, hopInSameVault: 150_000n, perTick: 0n };
/** For kinds that were not measured. */
const OTHER_COST: SwapCost = { hop: 90_000n, hopInSameVault: 90_000n, perTick: 26_000n };

/** Of kinds of pools that one protocol has. */
const VENUE_COSTS = new Map<string, PoolCosts>(
  VENUE_PROTOCOLS.flatMap(({ costs = {} }) => Object.entries(costs)),
);

export function findSwapCost(pool: PoolTerms): SwapCost {
  const own = VENUE_COSTS.get(pool.kind);
  if (own !== undefined) return own.swap;
  if (pool.kind === 'constantProduct') return V2_COST;
  if (pool.kind === 'solidlyPair') return SOLIDLY_COST;
  if (pool.kind === 'tradesOnly') return UNPRICED_COST;
  if (pool.kind !== 'concentrated') return OTHER_COST;
  return pool.terms.custody.kind === 'own' ? V3_COST : V4_COST;
}

/** What commands were seen to take. V2, V3 and V4 each have their own. */
const V2_BYTES: HopBytes = { command: 'v2', first: 400, next: 40, fixesOutput: true };
const V3_BYTES: HopBytes = { command: 'v3', first: 400, next: 40, fixesOutput: true };
/** A step of a batch of a vault, the longest. */
const UNPRICED_BYTES: HopBytes = { command: 'vault', first: 740, next: 320 };
const V4_BYTES: HopBytes = { command: 'v4', first: 1_150, next: 240, fixesOutput: true };

export function findHopBytes(pool: PoolTerms): HopBytes {
  const own = VENUE_COSTS.get(pool.kind);
  if (own !== undefined) return own.bytes;
  if (pool.kind === 'constantProduct') return V2_BYTES;
  if (pool.kind === 'tradesOnly') return UNPRICED_BYTES;
  if (pool.kind !== 'concentrated') return { command: pool.kind, first: 400, next: 40 };
  return pool.terms.custody.kind === 'own' ? V3_BYTES : V4_BYTES;
}
