// Reads the prices of pools of other exchanges than Uniswap.

import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { computeSquareRoot } from '../src/lib/bigint-bounds.ts';
import type { DevnetPool, OtherContracts } from './deployment.ts';
import { BALANCER_ABI, CURVE_POOL_ABI, PANCAKE_ABI, SOLIDLY_ABI } from './other-abi.ts';
import { isStablePair } from './pool-list.ts';

const Q96 = 2 ** 96;
/** Of the weighted pool: its token has twice the weight of each of the others. */
const TOKEN_WEIGHT = 2;
/** A pool of Curve is asked for so much of its opening, which hardly moves its price. */
const ASKED_SHARE = 10_000n;
const FEE_UNIT = 1_000_000;

function computeAsked({ opening }: DevnetPool): bigint {
  return BigInt(opening.amount0Raw) / ASKED_SHARE;
}

export function encodeOtherRead(
  pool: DevnetPool,
  { balancerVault }: OtherContracts,
): { readonly to: Address; readonly data: Hex } {
  if (pool.venue === 'solidly-v2') {
    const data = encodeFunctionData({ abi: SOLIDLY_ABI, functionName: 'getReserves' });
    return { to: pool.id, data };
  }
  if (pool.venue === 'pancakeswap-v3') {
    return { to: pool.id, data: encodeFunctionData({ abi: PANCAKE_ABI, functionName: 'slot0' }) };
  }
  if (pool.venue === 'curve') {
    const args = [0n, 1n, computeAsked(pool)] as const;
    const ask = { abi: CURVE_POOL_ABI, functionName: 'get_dy', args } as const;
    return { to: pool.id, data: encodeFunctionData(ask) };
  }
  const read = { abi: BALANCER_ABI, functionName: 'getPoolTokens', args: [pool.id] } as const;
  return { to: balancerVault, data: encodeFunctionData(read) };
}

/** Of a pair of dollars: the slope of its curve, with both sides in shares of the opening. */
function computeStablePrice(pool: DevnetPool, reserve0: bigint, reserve1: bigint): number {
  const [open0, open1] = [Number(pool.opening.amount0Raw), Number(pool.opening.amount1Raw)];
  const [x, y] = [Number(reserve0) / open0, Number(reserve1) / open1];
  return ((3 * x * x * y + y ** 3) / (x ** 3 + 3 * x * y * y)) * (open1 / open0);
}

function decodeWeightedPrice(pool: DevnetPool, data: Hex): number {
  const read = { abi: BALANCER_ABI, functionName: 'getPoolTokens', data } as const;
  const [tokens, balances] = decodeFunctionResult(read);
  const weigh = (currency: Address) => {
    const index = tokens.findIndex((token) => token.toLowerCase() === currency);
    const weight = currency === pool.tokenAddress ? TOKEN_WEIGHT : 1;
    return Number(balances[index] ?? 0n) / weight;
  };
  return weigh(pool.currency1) / weigh(pool.currency0);
}

function decodeCurvePrice(pool: DevnetPool, data: Hex): number {
  const read = { abi: CURVE_POOL_ABI, functionName: 'get_dy', data } as const;
  const paid = Number(decodeFunctionResult(read)) / (1 - pool.feePips / FEE_UNIT);
  return paid / Number(computeAsked(pool));
}

/** The price of the second currency per first, and the liquidity, both in raw units. */
export function decodeOtherPool(pool: DevnetPool, data: Hex) {
  const { amount0Raw, amount1Raw } = pool.opening;
  const opening = computeSquareRoot(BigInt(amount0Raw) * BigInt(amount1Raw));
  if (pool.venue === 'solidly-v2') {
    const read = { abi: SOLIDLY_ABI, functionName: 'getReserves', data } as const;
    const [reserve0, reserve1] = decodeFunctionResult(read);
    const price = isStablePair(pool)
      ? computeStablePrice(pool, reserve0, reserve1)
      : Number(reserve1) / Number(reserve0);
    return { price, liquidity: computeSquareRoot(reserve0 * reserve1) };
  }
  if (pool.venue !== 'pancakeswap-v3') {
    const decode = pool.venue === 'curve' ? decodeCurvePrice : decodeWeightedPrice;
    return { price: decode(pool, data), liquidity: opening };
  }
  const read = { abi: PANCAKE_ABI, functionName: 'slot0', data } as const;
  const [sqrtPriceX96] = decodeFunctionResult(read);
  return { price: (Number(sqrtPriceX96) / Q96) ** 2, liquidity: opening };
}
