// Ids of EVM chains out of text: hex of the right length, in lower case.

import type { Address, PoolId, TransactionId } from '../../../model/ids.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Pools are contracts, or entries of a contract by a 32-byte id. */
const POOL = /^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/;
const TRANSACTION = /^0x[0-9a-fA-F]{64}$/;

export function parseEvmAddress(text: string): Address | null {
  return ADDRESS.test(text) ? (text.toLowerCase() as Address) : null;
}

export function parseEvmPool(text: string): PoolId | null {
  return POOL.test(text) ? (text.toLowerCase() as PoolId) : null;
}

export function parseEvmTransaction(text: string): TransactionId | null {
  return TRANSACTION.test(text) ? (text.toLowerCase() as TransactionId) : null;
}

/** An address that is written in the code. */
export function evmAddress(text: string): Address {
  const address = parseEvmAddress(text);
  if (address === null) throw new TypeError(`${text} is no address`);
  return address;
}

/** A pool that is written in the code. */
export function evmPool(text: string): PoolId {
  const pool = parseEvmPool(text);
  if (pool === null) throw new TypeError(`${text} is no pool`);
  return pool;
}

/** The id of a pool that is a contract of its own (V2, V3): its address. */
export function toPoolId(contract: Address): PoolId {
  return contract as string as PoolId;
}

/** The contract that such a pool is. */
export function toPoolContract(pool: PoolId): Address {
  return pool as string as Address;
}

/** Two coins of a pool of several, by their indices. */
export interface CoinPair {
  readonly contract: Address;
  readonly lower: number;
  readonly upper: number;
  /** Whether the indices are those of a metapool's underlying coins. */
  readonly isUnderlying: boolean;
}

const COIN_PAIR = /^0x([0-9a-f]{40})0{18}(0[01])([0-9a-f]{2})([0-9a-f]{2})$/;

/** The id of such a pair: its contract, and then which coins. */
export function toCoinPairPool({ contract, lower, upper, isUnderlying }: CoinPair): PoolId {
  const bytes = [isUnderlying ? 1 : 0, lower, upper];
  const tail = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${contract}${'0'.repeat(18)}${tail}` as PoolId;
}

/** Null if the id is not that of two coins. */
export function parseCoinPairPool(pool: PoolId): CoinPair | null {
  const [, contract, flag, lower, upper] = COIN_PAIR.exec(pool) ?? [];
  if (contract === undefined || lower === undefined || upper === undefined) return null;
  return {
    contract: `0x${contract}` as Address,
    ...{ lower: Number.parseInt(lower, 16), upper: Number.parseInt(upper, 16) },
    isUnderlying: flag === '01',
  };
}

/** The ids of each two coins of a pool of several. */
export function listCoinPairs(contract: Address, coinCount: number): PoolId[] {
  const ids: PoolId[] = [];
  for (let upper = 1; upper < coinCount; upper += 1) {
    for (let lower = 0; lower < upper; lower += 1) {
      ids.push(toCoinPairPool({ contract, lower, upper, isUnderlying: false }));
    }
  }
  return ids;
}
