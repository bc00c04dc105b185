// What the positions of a concentrated pool hold, carried along from event to event.
//
// Walking all ticks at every event would give the same to a few units; the fees of a swap are
// reckoned on the whole of it, where the contract rounds at every step.

import { toSqrtPriceX96 } from '../amm/concentrated/sqrt-price-at-tick.ts';
import {
  toAmount0Down,
  toAmount0Up,
  toAmount1Down,
  toAmount1Up,
} from '../amm/concentrated/sqrt-price-math.ts';
import { UINT256_MAX } from '../lib/sortable-integer.ts';
import type { LiquidityChangedEvent, SwapEvent } from '../model/market-event.ts';
import type { PoolEntry } from './market-state.ts';

type PoolDraft = PoolEntry['row'];

const PIPS = 1_000_000n;

function add(row: PoolDraft, change0: bigint, change1: bigint): void {
  if (row.amount0 === null || row.amount1 === null) return;
  row.amount0 = clamp(row.amount0 + change0);
  row.amount1 = clamp(row.amount1 + change1);
}

function clamp(amount: bigint): bigint {
  if (amount < 0n) return 0n;
  return amount > UINT256_MAX ? UINT256_MAX : amount;
}

/** What of an amount the positions keep or pay: the fee on what comes in is their owners'. */
function toPrincipal(amount: bigint, feePips: bigint): bigint {
  return amount <= 0n ? amount : amount - (amount * feePips + PIPS - 1n) / PIPS;
}

/** To be called while the row still has the fee that the swap paid. */
export function moveSwapped(row: PoolDraft, event: SwapEvent): void {
  if (event.after === null) return;
  const feePips = BigInt(event.feePips ?? row.feePips);
  add(row, toPrincipal(event.amount0, feePips), toPrincipal(event.amount1, feePips));
}

/** A position comes or goes, at the pool's price of the moment. */
export function movePosition(row: PoolDraft, event: LiquidityChangedEvent): void {
  const { tick, sqrtPriceX96 } = row;
  if (!row.complete || tick === null || sqrtPriceX96 === null) {
    row.amount0 = null;
    row.amount1 = null;
    return;
  }
  const comes = event.liquidityDelta > 0n;
  const liquidity = comes ? event.liquidityDelta : -event.liquidityDelta;
  const lower = toSqrtPriceX96(event.tickLower);
  const upper = toSqrtPriceX96(event.tickUpper);
  const at = tick < event.tickLower ? lower : tick < event.tickUpper ? sqrtPriceX96 : upper;
  if (comes) add(row, toAmount0Up(liquidity, at, upper), toAmount1Up(liquidity, lower, at));
  else add(row, -toAmount0Down(liquidity, at, upper), -toAmount1Down(liquidity, lower, at));
}
