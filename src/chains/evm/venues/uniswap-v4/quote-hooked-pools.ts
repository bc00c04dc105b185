// What a V4 pool pays whose hook decides it: V4Quoter swaps in the manager, with the hook, and
// reverts. A hook that refuses, or that wants data of its own, makes it fail.

import { decidesSwaps } from '../../../../model/pool-hook.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import {
  addressWord,
  encodeCallData,
  hasWords,
  intWord,
  uintAt,
  uintWord,
} from '../../data/hex-data.ts';
import type { AskedSwap, PoolAsk } from '../pool-ask.ts';
import { findHook } from './pool-hooks.ts';
import { toPoolKey } from './pool-key.ts';

/** `quoteExactInputSingle(((…key), bool zeroForOne, uint128 amount, bytes hookData))`. */
export const QUOTE_SELECTOR = '0xaa9d21cb';

/** Of a struct with bytes at its end: where it begins, and where they begin in it. */
const STRUCT_AT = 0x20;
const HOOK_DATA_AT = 0x100;

/** None for other pools, and for those that are computed. */
export function listHookedAsks({ pool, zeroForOne }: AskedSwap, { v4 }: EvmDeployment): PoolAsk[] {
  const key = toPoolKey(pool);
  if (v4 === null || key === null || pool.venue !== v4.venue) return [];
  if (!decidesSwaps(findHook(pool))) return [];
  const words = [
    ...[addressWord(key.currency0), addressWord(key.currency1), uintWord(key.fee)],
    ...[intWord(key.tickSpacing), addressWord(key.hooks), uintWord(zeroForOne ? 1 : 0)],
  ];
  const encode: PoolAsk['encode'] = (amountIn) => ({
    to: v4.quoter,
    data: encodeCallData(
      ...[QUOTE_SELECTOR, uintWord(STRUCT_AT), ...words, uintWord(amountIn)],
      ...[uintWord(HOOK_DATA_AT), uintWord(0)],
    ),
  });
  const decode: PoolAsk['decode'] = (answer) => {
    const amountOut = hasWords(answer, 2) ? uintAt(answer, 0) : 0n;
    return amountOut > 0n ? amountOut : null;
  };
  return [{ isStable: null, encode, decode }];
}
