// The curve of a range pool as pieces, from one initialised tick to the next.

import { buildEndPiece, toStretch } from '../listed-stretches.ts';
import type { Stretch } from '../swap-pool.ts';
import type { TickList } from '../tick-list.ts';

const Q64 = 2 ** 64;
const PIPS = 1_000_000;
const LOG_OF_SQRT_STEP = Math.log(1.0001) / 2;

interface TickedRange {
  readonly state: {
    readonly sqrtPriceX64: bigint;
    readonly liquidity: bigint;
    readonly tick: number;
  };
  readonly ticks: TickList;
}

/** A fee that changes on the way is not followed: with the least, pieces never pay too little. */
export function listRangePieces(
  pool: TickedRange,
  { zeroForOne, feePips }: { readonly zeroForOne: boolean; readonly feePips: number },
): Stretch[] {
  const { state, ticks } = pool;
  const kept = { keptIn: 1 - feePips / PIPS, keptOut: 1 };
  const toRoot = (sqrtPrice: number) => (zeroForOne ? 1 / sqrtPrice : sqrtPrice);
  const pieces: Stretch[] = [];
  let { liquidity } = state;
  let root = toRoot(Number(state.sqrtPriceX64) / Q64);
  let index = ticks.findAbove(state.tick) - (zeroForOne ? 1 : 0);
  for (;;) {
    const piece = toStretch({ root, liquidity: Number(liquidity) }, kept);
    const last = pieces.at(-1) ?? { u: piece.u, depth: 1 };
    pieces.push(liquidity > 0n ? piece : buildEndPiece(last, piece.u));
    const tick = ticks.ticks[index];
    if (tick === undefined) return pieces;
    const net = ticks.nets[index] ?? 0n;
    liquidity += zeroForOne ? -net : net;
    root = toRoot(Math.exp(tick * LOG_OF_SQRT_STEP));
    index += zeroForOne ? -1 : 1;
  }
}
