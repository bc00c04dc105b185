// The ids of rows of Balancer V2: two tokens of a pool that the vault keeps.
//
// An id is the pool's contract, a mark, the rest of the pool's word without its zeros, and a hash
// of the two tokens. So a swap, whose log names word and tokens, names its row; and the row tells
// whose logs to ask for. An id of V4 may look the same: what is read out of one is a guess.

import { keccak256 } from 'viem/utils';
import type { Address, PoolId } from '../../../../model/ids.ts';
import type { TermsOf } from '../../../../model/pool.ts';
import { evmAddress, evmPool, toPoolId } from '../../data/evm-ids.ts';
import type { PoolRows } from '../venue-protocol.ts';

/** The contract, how it keeps its balances, and its number. */
const WORD = /^0x([0-9a-f]{40})00(0[0-2])0{12}([0-9a-f]{8})$/;
const ROW = /^0x([0-9a-f]{40})ba(0[0-2])([0-9a-f]{8})[0-9a-f]{12}$/;
const HASH_START = 2;
const HASH_END = 14;

/** Null if the word is not that of a pool. The first token has the lower address. */
export function buildRowId(
  poolWord: string,
  [token0, token1]: readonly [Address, Address],
): PoolId | null {
  const [, contract, spec, number] = WORD.exec(poolWord) ?? [];
  if (contract === undefined) return null;
  const hash = keccak256(`0x${token0.slice(2)}${token1.slice(2)}`);
  return evmPool(`0x${contract}ba${spec}${number}${hash.slice(HASH_START, HASH_END)}`);
}

interface RowPool {
  readonly contract: Address;
  readonly poolWord: string;
}

/** The pool of a row; null if the id cannot be that of a row. */
export function parseRowId(row: PoolId): RowPool | null {
  const [, contract, spec, number] = ROW.exec(row) ?? [];
  if (contract === undefined) return null;
  return {
    contract: evmAddress(`0x${contract}`),
    poolWord: `0x${contract}00${spec}${'0'.repeat(12)}${number}`,
  };
}

/** The contract that begins a pool's word; null if it is no such word. */
export function findWordContract(poolWord: string): Address | null {
  const [, contract] = WORD.exec(poolWord) ?? [];
  return contract === undefined ? null : evmAddress(`0x${contract}`);
}

/** Each two tokens of a pool, the lower address first. */
export function listTokenPairs(tokens: readonly Address[]): (readonly [Address, Address])[] {
  const sorted = tokens.toSorted();
  return sorted.flatMap((token0, index) =>
    sorted.slice(index + 1).map((token1) => [token0, token1] as const),
  );
}

/** By the terms of a pool: ids are hashes, and every swap needs them. */
const ROWS = new WeakMap<object, readonly PoolId[]>();

function listRows(terms: TermsOf<'weighted'>): readonly PoolId[] {
  const known = ROWS.get(terms);
  if (known !== undefined) return known;
  const pairs = listTokenPairs(terms.tokens.split(' ').map(evmAddress));
  const rows = pairs.flatMap((pair) => buildRowId(terms.poolWord, pair) ?? []);
  ROWS.set(terms, rows);
  return rows;
}

export const VAULT_ROWS: PoolRows = {
  kind: 'weighted',
  parse: parseRowId,
  list: (pool) => (pool.kind === 'weighted' ? listRows(pool.terms) : []),
  findWhole: (pool) => {
    const contract = pool.kind === 'weighted' ? findWordContract(pool.terms.poolWord) : null;
    return contract && toPoolId(contract);
  },
  toChange: ({ pool, amount0, amount1 }, { token0, token1 }) => {
    return { poolKind: 'weighted', deltas: { [token0]: amount0, [token1]: amount1 }, swapOf: pool };
  },
  needsAllTokens: true,
};
