// What swaps use of a transaction, by model: compute units, and bytes for their accounts.

import type { PoolTerms } from '../../../model/pool.ts';
import type { HopBytes, SwapCost, TransactionCosts } from '../../transaction-costs.ts';
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

interface VenueLoad {
  readonly units: bigint;
  readonly unitsPerTick: bigint;
  /** Of the accounts of the pool, the instruction, the token that is received. */
  readonly bytes: number;
  /** Of the program's own accounts: listed once, however many swaps use them. */
  readonly sharedBytes: number;
  /** Whether what is received is a token, with an account that all swaps use. */
  readonly receivesTokens?: boolean;
  /** Whether `bytes` has the settings of the pool's fees. */
  readonly hasConfig?: boolean;
  /** Whether the venue's program can be told what to pay. */
  readonly fixesOutput?: boolean | 'oneForZero';
  /** Of accounts and checks that only purchases need. */
  readonly purchaseBytes?: number;
}

/** By kind of pool. Accounts take 32 bytes each; the longest swap of a kind counts. */
const LOADS: Readonly<Record<string, VenueLoad>> = {
  curve: {
    ...{ units: 110_000n, unitsPerTick: 0n, bytes: 267, sharedBytes: 288 },
    ...{ purchaseBytes: 81, fixesOutput: 'oneForZero' },
  },
  amm: {
    ...{ units: 150_000n, unitsPerTick: 0n, bytes: 290, sharedBytes: 384 },
    ...{ purchaseBytes: 64, fixesOutput: 'oneForZero' },
  },
  ceiledProduct: {
    ...{ units: 70_000n, unitsPerTick: 0n, bytes: 274, sharedBytes: 64 },
    ...{ fixesOutput: true, receivesTokens: true, hasConfig: true },
  },
  rangeX64: {
    ...{ units: 110_000n, unitsPerTick: 15_000n, bytes: 424, sharedBytes: 64 },
    ...{ fixesOutput: true, receivesTokens: true },
  },
  bins: {
    ...{ units: 100_000n, unitsPerTick: 12_000n, bytes: 348, sharedBytes: 96 },
    ...{ fixesOutput: true, receivesTokens: true },
  },
  segments: {
    ...{ units: 90_000n, unitsPerTick: 0n, bytes: 241, sharedBytes: 96 },
    ...{ fixesOutput: true, receivesTokens: true },
  },
  singleRange: {
    ...{ units: 80_000n, unitsPerTick: 0n, bytes: 209, sharedBytes: 96 },
    ...{ fixesOutput: true, receivesTokens: true },
  },
};

const UNKNOWN: VenueLoad = {
  ...{ units: UNITS_MAX, unitsPerTick: 0n, bytes: TRANSACTION_BYTES_MAX, sharedBytes: 0 },
};

function findName(pool: PoolTerms): string {
  if (pool.kind !== 'pump') return pool.kind;
  return pool.terms.stage === 'amm' ? 'amm' : 'curve';
}

function findLoad(pool: PoolTerms): VenueLoad {
  return LOADS[findName(pool)] ?? UNKNOWN;
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
  const load = findLoad(pool);
  const { bytes, sharedBytes, purchaseBytes = 0, fixesOutput = false } = load;
  const hasConfig = load.hasConfig === true && pool.feePips !== undefined;
  const whole = bytes + sharedBytes;
  const fees = hasConfig ? [pool.feePips, ...Object.values(pool.terms ?? {})].join(' ') : '';
  return {
    ...{ command: 'swap', first: whole, next: whole, fromZeroLess: purchaseBytes },
    ...{ fixesOutput, paysAsked: true },
    received: load.receivesTokens === true ? RECEIVED_BYTES : 0,
    shared: {
      sharer: `${findName(pool)} ${fees}`,
      bytes: sharedBytes + (hasConfig ? CONFIG_BYTES : 0),
    },
  };
}

/** Each bin or tick is at least so many 1/100 of a per cent from the next. */
function findStepBps(pool: PoolTerms): number | null {
  if (pool.kind === 'bins') return pool.terms.binStep;
  return pool.kind === 'rangeX64' ? pool.terms.tickSpacing : null;
}

/** More bins or ticks than this are not expected to be crossed for a move of the price. */
const MOVED_STEPS_MAX = 20;

/** What a swap may use more if the price moves so far: for bins or ticks that it crosses. */
export function countMovedUnits(pool: PoolTerms, movedBps: number): number {
  const stepBps = findStepBps(pool);
  if (stepBps === null) return 0;
  const steps = Math.min(MOVED_STEPS_MAX, Math.ceil(movedBps / stepBps) + 1);
  return steps * Number(findLoad(pool).unitsPerTick);
}

export const SOLANA_COSTS: TransactionCosts = {
  unitName: 'compute units',
  /** Opening token accounts, wrapping. */
  base: 60_000n,
  pull: 0n,
  unwrap: 5_000n,
  usual: 170_000n,
  unitsMax: UNITS_MAX,
  bytesMax: TRANSACTION_BYTES_MAX - FIXED_BYTES,
  fewBytesMax: TRANSACTION_BYTES_MAX - FIXED_BYTES,
  nativeInBytes: WRAP_BYTES,
  fixesInputs: true,
  hasDataFees: false,
};
