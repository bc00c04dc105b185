// What pools of Balancer's V2 vault pay, as the vault itself computes it: for pools with formulas
// that are not here.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import { hasWords, intAt, uintAt } from '../../hex-data.ts';
import type { ContractCall } from '../../multicall.ts';
import { ZERO_ADDRESS } from '../../zero-address.ts';
import type { CallContracts } from '../venue-protocol.ts';
import { parseRowId } from './vault-rows.ts';

const QUERY_ABI = parseAbi([
  'struct QueryStep { bytes32 poolId; uint256 assetInIndex; uint256 assetOutIndex; uint256 amount; bytes userData; }',
  'struct QueryFunds { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }',
  'function queryBatchSwap(uint8 kind, QueryStep[] swaps, address[] assets, QueryFunds funds) returns (int256[])',
]);
const GIVEN_IN = 0;
const NOBODY = ZERO_ADDRESS as Hex;
/** Where the list is, its length, and what the caller would lose of each asset. */
const ANSWER_WORDS = 4;

/** Null if the pool is none of such a vault. */
function encodeVaultQuote(
  { pool, vault, token0, token1 }: PoolDescription,
  { tokenIn, amountIn }: { readonly tokenIn: Address; readonly amountIn: bigint },
): ContractCall | null {
  const row = parseRowId(pool);
  if (row === null) return null;
  const assets = (tokenIn === token0 ? [token0, token1] : [token1, token0]) as Hex[];
  const step = {
    ...{ poolId: row.poolWord as Hex, assetInIndex: 0n, assetOutIndex: 1n },
    ...{ amount: amountIn, userData: '0x' as const },
  };
  const funds = {
    ...{ sender: NOBODY, fromInternalBalance: false },
    ...{ recipient: NOBODY, toInternalBalance: false },
  };
  const args = [GIVEN_IN, [step], assets, funds] as const;
  return { to: vault, data: encodeFunctionData({ abi: QUERY_ABI, args }) };
}

/** Null if the vault refused, or would not take the whole amount. */
function decodeVaultQuote(answer: string | null, amountIn: bigint): bigint | null {
  if (answer === null || !hasWords(answer, ANSWER_WORDS) || uintAt(answer, 1) !== 2n) return null;
  const [lost, gained] = [intAt(answer, 2), -intAt(answer, 3)];
  return lost === amountIn && gained > 0n ? gained : null;
}

/** By pool and amount; null where a pool is none of such a vault, or refuses. */
export async function quoteVaultPools(
  pools: readonly PoolDescription[],
  { tokenIn, amounts }: { readonly tokenIn: Address; readonly amounts: readonly bigint[] },
  call: CallContracts,
): Promise<(bigint | null)[][]> {
  const asks = pools.flatMap((pool) =>
    amounts.map((amountIn) => encodeVaultQuote(pool, { tokenIn, amountIn })),
  );
  const answers = await call(asks.filter((ask) => ask !== null));
  let next = 0;
  const quotes = asks.map((ask, index) => {
    if (ask === null) return null;
    const answer = answers[next] ?? null;
    next += 1;
    return decodeVaultQuote(answer, amounts[index % amounts.length] ?? 0n);
  });
  return pools.map((_, at) => quotes.slice(at * amounts.length, (at + 1) * amounts.length));
}
