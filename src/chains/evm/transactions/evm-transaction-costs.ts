// What transactions through the router were seen to use of gas and bytes.

import type { PoolTerms } from '../../../model/pool.ts';
import type { HopBytes, SwapCost, TransactionCosts } from '../../transaction-costs.ts';

/** No transaction may use more gas on chains that follow EIP-7825. */
export const TRANSACTION_GAS_MAX = 1n << 24n;

export const EVM_COSTS: Omit<TransactionCosts, 'hasDataFees'> = {
  unitName: 'gas',
  base: 45_000n,
  // Through Permit2, strand by strand.
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
/** In Balancer's vault, which moves only the ends of a path: 101,000 for one pool in all. */
const WEIGHTED_COST: SwapCost = { hop: 55_000n, hopInSameVault: 42_000n, perTick: 0n };
/** For pools whose formula we do not compute: stable ones solve it in a loop. */
const CALLED_COST: SwapCost = { hop: 150_000n, hopInSameVault: 150_000n, perTick: 0n };
/** Curve's loops, and the transfers to and from its router. */
const STABLE_SWAP_COST: SwapCost = { hop: 190_000n, hopInSameVault: 190_000n, perTick: 0n };
/** For kinds that were not measured. */
const OTHER_COST: SwapCost = { hop: 90_000n, hopInSameVault: 90_000n, perTick: 26_000n };

export function findSwapCost(pool: PoolTerms): SwapCost {
  if (pool.kind === 'constantProduct') return V2_COST;
  if (pool.kind === 'solidlyPair') return SOLIDLY_COST;
  if (pool.kind === 'weighted') return WEIGHTED_COST;
  if (pool.kind === 'tradesOnly') return CALLED_COST;
  if (pool.kind === 'stableSwap') return STABLE_SWAP_COST;
  if (pool.kind !== 'concentrated') return OTHER_COST;
  return pool.terms.custody.kind === 'own' ? V3_COST : V4_COST;
}

/** What commands were seen to take. V2, V3 and V4 each have their own. */
const V2_BYTES: HopBytes = { command: 'v2', first: 400, next: 40, fixesOutput: true };
const V3_BYTES: HopBytes = { command: 'v3', first: 400, next: 40, fixesOutput: true };
/** A step of a batch, with its asset and limit; a swap alone is a little shorter than the first. */
const VAULT_BYTES: HopBytes = { command: 'vault', first: 740, next: 320 };
/** Curve's router takes as much for one pool as for five. */
const CURVE_BYTES: HopBytes = { command: 'curve', first: 1_420, next: 0 };
const V4_BYTES: HopBytes = { command: 'v4', first: 1_150, next: 240, fixesOutput: true };

export function findHopBytes(pool: PoolTerms): HopBytes {
  if (pool.kind === 'constantProduct') return V2_BYTES;
  if (pool.kind === 'weighted') return { ...VAULT_BYTES, fixesOutput: true };
  if (pool.kind === 'tradesOnly') return VAULT_BYTES;
  if (pool.kind === 'stableSwap') return CURVE_BYTES;
  if (pool.kind !== 'concentrated') return { command: pool.kind, first: 400, next: 40 };
  return pool.terms.custody.kind === 'own' ? V3_BYTES : V4_BYTES;
}
