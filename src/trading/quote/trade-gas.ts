// What a swap will use of gas, by model: what the router's transactions were seen to use.

import type { PoolId } from '../../model/market-event.ts';
import type { RouteCost } from '../routing/route-single.ts';
import type { TradeLeg } from './priced-trade.ts';

const POOL_ID_LENGTH = 66;

type Kind = 'v2' | 'v3' | 'v4';

/** The transaction itself and the router's own work. */
const BASE = 45_000n;
const HOP: Readonly<Record<Kind, bigint>> = { v2: 58_000n, v3: 70_000n, v4: 60_000n };
/** A V4 hop after another settles nothing in between. */
const NEXT_V4_HOP = 36_000n;
const TICK = 26_000n;
/** Tokens are pulled from the wallet through Permit2, leg by leg. */
const PULL = 10_000n;
const UNWRAP = 10_000n;

export function toPoolKind(pool: {
  readonly pool: PoolId;
  readonly tickSpacing: number | null;
}): Kind {
  if (pool.tickSpacing === null) return 'v2';
  return pool.pool.length === POOL_ID_LENGTH ? 'v4' : 'v3';
}

function toHopsGas(kinds: readonly Kind[]): bigint {
  return kinds.reduce((sum, kind, index) => {
    const isNextV4 = kind === 'v4' && kinds[index - 1] === 'v4';
    return sum + (isNextV4 ? NEXT_V4_HOP : HOP[kind]);
  }, 0n);
}

/** For the router, in units of the output: `outPerGas` is what one unit of gas is worth there. */
export function createGasCost(outPerGas: {
  readonly numerator: bigint;
  readonly denominator: bigint;
}): RouteCost {
  const { numerator, denominator } = outPerGas;
  return (path) => {
    const gas = toHopsGas(path.map(({ pool }) => toPoolKind(pool)));
    return (gas * numerator) / denominator;
  };
}

export function toGas(
  legs: readonly TradeLeg[],
  ends: { readonly isNativeIn: boolean; readonly isNativeOut: boolean },
): bigint {
  let gas = BASE + (ends.isNativeOut ? UNWRAP : 0n);
  for (const { hops } of legs) {
    gas += toHopsGas(hops.map(({ pool }) => pool.kind));
    if (!ends.isNativeIn) gas += PULL;
    for (const { ticksCrossed } of hops) gas += TICK * BigInt(ticksCrossed);
  }
  return gas;
}
