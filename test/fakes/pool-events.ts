// Events of pools, written by hand.

import { toSqrtPriceX96 } from '../../src/amm/concentrated/sqrt-price-at-tick.ts';
import type { MarketEvent } from '../../src/model/block-events.ts';
import type { PoolId } from '../../src/model/ids.ts';
import type { PoolChange } from '../../src/model/pool.ts';

export function setReserves(pool: PoolId, reserve0: bigint, reserve1: bigint): MarketEvent {
  return changePool(pool, { poolKind: 'constantProduct', reserve0, reserve1 });
}

export function initialize(pool: PoolId, tick: number): MarketEvent {
  const sqrtPriceX96 = toSqrtPriceX96(tick);
  return changePool(pool, { poolKind: 'concentrated', type: 'initialized', sqrtPriceX96, tick });
}

export function changePosition(
  pool: PoolId,
  position: { tickLower: number; tickUpper: number; liquidityDelta: bigint },
): MarketEvent {
  return changePool(pool, { poolKind: 'concentrated', type: 'position', ...position });
}

export function buildProtocolFeeChange(pool: PoolId, protocolFee: number): MarketEvent {
  return changePool(pool, { poolKind: 'concentrated', type: 'protocolFee', protocolFee });
}

function changePool(pool: PoolId, change: PoolChange): MarketEvent {
  return { kind: 'poolChanged', pool, change };
}

/** The fields of a concentrated swap besides its amounts. */
export function buildSwapped(
  after: { readonly sqrtPriceX96: bigint; readonly liquidity: bigint; readonly tick: number },
  feePips: number | null = null,
): PoolChange {
  return { poolKind: 'concentrated', type: 'swapped', ...after, feePips };
}
