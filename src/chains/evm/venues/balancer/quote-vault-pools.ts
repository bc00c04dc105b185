// What pools of Balancer's V2 vault pay, as the vault itself computes it: for pools with formulas
// that are not here.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { hasWords, intAt, uintAt } from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import type { AskedSwap, PoolAsk } from '../pool-ask.ts';
import { parseRowId } from './vault-rows.ts';

const QUERY_ABI = parseAbi([
  'struct QueryStep { bytes32 poolId; uint256 assetInIndex; uint256 assetOutIndex; uint256 amount; bytes userData; }',
  'struct QueryFunds { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }',
  'function queryBatchSwap(uint8 kind, QueryStep[] swaps, address[] assets, QueryFunds funds) returns (int256[])',
]);
const GIVEN_IN = 0;
const NOBODY = ZERO_ADDRESS as Hex;
const FUNDS = {
  ...{ sender: NOBODY, fromInternalBalance: false },
  ...{ recipient: NOBODY, toInternalBalance: false },
};
/** Where the list is, its length, and what the caller would lose of each asset. */
const ANSWER_WORDS = 4;

/** Null if the vault would not take the whole amount. */
function decodeVaultQuote(answer: string, amountIn: bigint): bigint | null {
  if (!hasWords(answer, ANSWER_WORDS) || uintAt(answer, 1) !== 2n) return null;
  const [lost, gained] = [intAt(answer, 2), -intAt(answer, 3)];
  return lost === amountIn && gained > 0n ? gained : null;
}

/** None if the pool is not one of such a vault. */
export function listVaultAsks({ pool, zeroForOne }: AskedSwap): PoolAsk[] {
  const row = parseRowId(pool.pool);
  if (row === null) return [];
  const { vault, token0, token1 } = pool;
  const assets = (zeroForOne ? [token0, token1] : [token1, token0]) as Hex[];
  const encode: PoolAsk['encode'] = (amount) => {
    const step = {
      ...{ poolId: row.poolWord as Hex, assetInIndex: 0n, assetOutIndex: 1n },
      ...{ amount, userData: '0x' as const },
    };
    const args = [GIVEN_IN, [step], assets, FUNDS] as const;
    return { to: vault, data: encodeFunctionData({ abi: QUERY_ABI, args }) };
  };
  return [{ isStable: null, encode, decode: decodeVaultQuote }];
}
