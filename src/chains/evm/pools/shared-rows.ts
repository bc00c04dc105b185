// Rows that share one pool: each two tokens of a pool of several. What changes one row changes the
// others, and the log names only one of them, or only the pool.

import type { PoolId } from '../../../model/ids.ts';
import type { PoolChange, PoolDescription, TermsOf } from '../../../model/pool.ts';
import { evmAddress, listCoinPairs, parseCoinPairPool, toPoolId } from '../data/evm-ids.ts';
import type { DecodedEvent } from '../data/evm-log.ts';
import { buildRowId, findWordContract, listTokenPairs } from '../venues/balancer/vault-rows.ts';

const NONE: readonly PoolId[] = [];

/** By the terms of a vault's pool: ids are hashes, and every swap needs them. */
const VAULT_ROWS = new WeakMap<object, readonly PoolId[]>();

function listVaultRows(terms: TermsOf<'weighted'>): readonly PoolId[] {
  const known = VAULT_ROWS.get(terms);
  if (known !== undefined) return known;
  const pairs = listTokenPairs(terms.tokens.split(' ').map(evmAddress));
  const rows = pairs.flatMap((pair) => buildRowId(terms.poolWord, pair) ?? []);
  VAULT_ROWS.set(terms, rows);
  return rows;
}

/** All rows of its pool; none if it is the only one. */
function listRows(description: PoolDescription): readonly PoolId[] {
  if (description.kind === 'stableSwap') {
    const { coinCount } = description.terms;
    return coinCount <= 2 ? NONE : listCoinPairs(description.vault, coinCount);
  }
  return description.kind === 'weighted' ? listVaultRows(description.terms) : NONE;
}

/** The other rows of its pool. */
export function listSharedRows(description: PoolDescription): readonly PoolId[] {
  const rows = listRows(description);
  return rows.length === 0 ? NONE : rows.filter((row) => row !== description.pool);
}

/** How logs name the whole pool, and its rows; null for pools whose logs name a row. */
export function findSharedPool(
  description: PoolDescription,
): { readonly shared: PoolId; readonly rows: readonly PoolId[] } | null {
  if (description.kind !== 'weighted') return null;
  const contract = findWordContract(description.terms.poolWord);
  return contract === null ? null : { shared: toPoolId(contract), rows: listRows(description) };
}

/** What an event of one row changes in the others. */
export function toSharedChange(
  event: Extract<DecodedEvent, { readonly kind: 'swap' | 'poolChanged' }>,
  { kind, token0, token1 }: PoolDescription,
): PoolChange | null {
  if (event.kind === 'poolChanged') return event.change;
  const { amount0, amount1 } = event;
  if (kind === 'weighted') {
    const deltas = { [token0]: amount0, [token1]: amount1 };
    return { poolKind: 'weighted', deltas, swapOf: event.pool };
  }
  const coins = parseCoinPairPool(event.pool);
  if (coins === null) return null;
  const { lower, upper } = coins;
  const amounts =
    amount0 > 0n
      ? { soldIndex: lower, boughtIndex: upper, amountIn: amount0, amountOut: -amount1 }
      : { soldIndex: upper, boughtIndex: lower, amountIn: amount1, amountOut: -amount0 };
  return { poolKind: 'stableSwap', ...amounts };
}
