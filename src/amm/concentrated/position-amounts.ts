// What the positions of a concentrated pool hold, updated with each event.
//
// Walking all ticks at every event would give the same to within a few units: here the fee is
// computed on the whole swap, while the contract rounds at every step.

import { UINT256_MAX } from '../../lib/sortable-integer.ts';
import type { SwappedAmounts } from '../pool-kind.ts';
import { toSqrtPriceX96 } from './sqrt-price-at-tick.ts';
import {
  computeAmount0Down,
  computeAmount0Up,
  computeAmount1Down,
  computeAmount1Up,
} from './sqrt-price-math.ts';

interface PositionAmounts {
  /** Null if not all positions are known. */
  readonly amount0: bigint | null;
  readonly amount1: bigint | null;
}

export interface PositionChange {
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly liquidityDelta: bigint;
}

const PIPS = 1_000_000n;
const UNKNOWN: PositionAmounts = { amount0: null, amount1: null };

function add({ amount0, amount1 }: PositionAmounts, by: SwappedAmounts): PositionAmounts {
  if (amount0 === null || amount1 === null) return UNKNOWN;
  return { amount0: clamp(amount0 + by.amount0), amount1: clamp(amount1 + by.amount1) };
}

function clamp(amount: bigint): bigint {
  if (amount < 0n) return 0n;
  return amount > UINT256_MAX ? UINT256_MAX : amount;
}

/**
 * The part of an amount that belongs to the positions: the fee on the input belongs to their
 * owners.
 */
function deductFee(amount: bigint, feePips: bigint): bigint {
  return amount <= 0n ? amount : amount - (amount * feePips + PIPS - 1n) / PIPS;
}

export function addSwap(
  before: PositionAmounts,
  swapped: SwappedAmounts,
  paidFeePips: number,
): PositionAmounts {
  const feePips = BigInt(paidFeePips);
  return add(before, {
    amount0: deductFee(swapped.amount0, feePips),
    amount1: deductFee(swapped.amount1, feePips),
  });
}

/** Adds or removes a position, at the pool's current price. */
export function addPosition(
  before: PositionAmounts,
  price: { readonly sqrtPriceX96: bigint | null; readonly tick: number | null },
  change: PositionChange,
): PositionAmounts {
  const { tick, sqrtPriceX96 } = price;
  if (tick === null || sqrtPriceX96 === null) return UNKNOWN;
  const comes = change.liquidityDelta > 0n;
  const liquidity = comes ? change.liquidityDelta : -change.liquidityDelta;
  const lower = toSqrtPriceX96(change.tickLower);
  const upper = toSqrtPriceX96(change.tickUpper);
  const at = tick < change.tickLower ? lower : tick < change.tickUpper ? sqrtPriceX96 : upper;
  return add(
    before,
    comes
      ? {
          amount0: computeAmount0Up(liquidity, at, upper),
          amount1: computeAmount1Up(liquidity, lower, at),
        }
      : {
          amount0: -computeAmount0Down(liquidity, at, upper),
          amount1: -computeAmount1Down(liquidity, lower, at),
        },
  );
}
