// Ids of EVM chains out of text: hex of the right length, in lower case.

import type { Address, PoolId, TransactionId } from '../../model/ids.ts';

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
