// What swaps use of a transaction, by model: compute units, and bytes for their accounts.

import type { PoolTerms } from '../../../model/pool.ts';
import type { HopBytes, SwapCost, TransactionCosts } from '../../transaction-costs.ts';
import type { VenueLoad } from '../venues/solana-venue.ts';
import { findVenueLoad } from '../venues/solana-venues.ts';
import { TRANSACTION_BYTES_MAX } from './encode-transaction.ts';

/**
 * Signature, header, block hash, the wallet, the chain's own programs, both token programs, SOL
 * that is unwrapped, the token that is spent.
 */
const FIXED_BYTES = 388;
/** SOL that is wrapped before it is spent. */
const WRAP_BYTES = 32;
/** The token's mint, the wallet's account of it, and the instruction that opens that. */
const RECEIVED_BYTES = 74;
/** Of a program's settings that all pools with the same fees use. */
const CONFIG_BYTES = 32;
const UNITS_MAX = 1_400_000n;

const UNKNOWN: VenueLoad = {
  ...{ units: UNITS_MAX, unitsPerTick: 0n, bytes: TRANSACTION_BYTES_MAX, sharedBytes: 0 },
};

function findLoad(pool: PoolTerms): VenueLoad {
  return findVenueLoad(pool)?.load ?? UNKNOWN;
}

export function findSolanaSwapCost(pool: PoolTerms): SwapCost {
  const { units, unitsPerTick } = findLoad(pool);
  return { hop: units, hopInSameVault: units, perTick: unitsPerTick };
}

/**
 * Pools with the same fees are taken to use the same settings. Where they do not, a transaction may
 * be longer than expected; if it is too long, the build takes another route.
 */
export function findSolanaHopBytes(pool: PoolTerms & { readonly feePips?: number }): HopBytes {
  const { name = pool.kind, load = UNKNOWN } = findVenueLoad(pool) ?? {};
  const { bytes, sharedBytes, purchaseBytes = 0, fixesOutput = false } = load;
  const hasConfig = load.hasConfig === true && pool.feePips !== undefined;
  const whole = bytes + sharedBytes;
  const fees = hasConfig ? [pool.feePips, ...Object.values(pool.terms ?? {})].join(' ') : '';
  return {
    ...{ command: 'swap', first: whole, next: whole, fromZeroLess: purchaseBytes },
    ...{ fixesOutput, paysAsked: true },
    received: load.receivesTokens === true ? RECEIVED_BYTES : 0,
    shared: {
      sharer: `${name} ${fees}`,
      bytes: sharedBytes + (hasConfig ? CONFIG_BYTES : 0),
    },
  };
}

/** More bins or ticks than this are not expected to be crossed for a move of the price. */
const MOVED_STEPS_MAX = 20;

/** What a swap may use more if the price moves so far: for bins or ticks that it crosses. */
export function countMovedUnits(pool: PoolTerms, movedBps: number): number {
  const { findStepBps, unitsPerTick } = findLoad(pool);
  const stepBps = findStepBps?.(pool) ?? null;
  if (stepBps === null) return 0;
  const steps = Math.min(MOVED_STEPS_MAX, Math.ceil(movedBps / stepBps) + 1);
  return steps * Number(unitsPerTick);
}

export const SOLANA_COSTS: TransactionCosts = {
  unitName: 'compute units',
  /** Opening token accounts, wrapping. */
  base: 60_000n,
  pull: 0n,
  unwrap: 5_000n,
  fee: 6_500n,
  /** The recipient's account, the token's mint, and the instruction. */
  feeBytes: 85,
  usual: 170_000n,
  unitsMax: UNITS_MAX,
  bytesMax: TRANSACTION_BYTES_MAX - FIXED_BYTES,
  fewBytesMax: TRANSACTION_BYTES_MAX - FIXED_BYTES,
  nativeInBytes: WRAP_BYTES,
  fixesInputs: true,
  hasDataFees: false,
};
