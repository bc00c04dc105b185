// What kinds share whose curve is smooth but has no pieces: its pieces by samples, and its depth.

import { ListedStretches } from './listed-stretches.ts';
import type { Stretch, Stretches } from './swap-pool.ts';

/** A pool's curve in one direction in floating point, without fees. */
export interface SmoothCurve {
  /** A size to begin with, such as the reserve of the input. */
  readonly scale: number;
  /** What the next unit of input pays after so much input. */
  readonly rateAfter: (amountIn: number) => number;
}

/** From a millionth of the scale to a thousand times it, doubling. */
const SAMPLE_COUNT = 31;
const SAMPLE_FIRST = 2 ** -20;
/** A piece is halved while u in its middle is off by more than this share. */
const ERROR_MAX = 1e-4;
const HALVED_MAX = 6;
/** u rises by at least this share from one sample to the next, because floats have 53 bits. */
const RISE_MIN = 1 + 1e-12;

interface CurveSample {
  readonly amountIn: number;
  readonly u: number;
}

/**
 * Pieces in which u is taken as linear between samples, all lowered by the largest error in the
 * middle of a piece: so they pay more than the curve.
 */
export function buildCurveStretches(
  { scale, rateAfter }: SmoothCurve,
  { keptIn, keptOut }: { readonly keptIn: number; readonly keptOut: number },
): Stretches {
  const findU = (amountIn: number) =>
    1 / Math.sqrt(rateAfter(amountIn * keptIn) * keptIn * keptOut);
  const pieces: Stretch[] = [];
  let errorMost = 0;
  const addPieces = (from: CurveSample, to: CurveSample, halved: number): void => {
    const amountIn = (from.amountIn + to.amountIn) / 2;
    const middle = { amountIn, u: findU(amountIn) };
    const error = (from.u + to.u) / 2 / middle.u - 1;
    if (Math.abs(error) > ERROR_MAX && halved < HALVED_MAX) {
      addPieces(from, middle, halved + 1);
      addPieces(middle, to, halved + 1);
      return;
    }
    errorMost = Math.max(errorMost, error);
    pieces.push({ u: from.u, depth: (to.amountIn - from.amountIn) / (to.u - from.u) });
  };
  let from = { amountIn: 0, u: findU(0) };
  for (let count = 0; count < SAMPLE_COUNT; count += 1) {
    const amountIn = scale * SAMPLE_FIRST * 2 ** count;
    const to = { amountIn, u: Math.max(findU(amountIn), from.u * RISE_MIN) };
    if (!Number.isFinite(to.u)) break;
    addPieces(from, to, 0);
    from = to;
  }
  const kept = 1 - errorMost;
  return new ListedStretches(pieces.map(({ u, depth }) => ({ u: u * kept, depth: depth / kept })));
}

/** Λ at the pool's price (see `Stretches`), which is the same in both directions. */
export function findCurveDepth({ scale, rateAfter }: SmoothCurve): number {
  const step = scale * 1e-6;
  const findU = (amountIn: number) => 1 / Math.sqrt(rateAfter(amountIn));
  const u = findU(0);
  return step / Math.max(findU(step) - u, u * (RISE_MIN - 1));
}

const PAYABLE_SHARE = 0.98;
const HALVING_COUNT = 60;

/** What the curve pays before its price has fallen by two per cent. */
export function findCurvePayable(
  { scale, rateAfter }: SmoothCurve,
  payFor: (amountIn: bigint) => bigint,
): bigint {
  const rateMin = rateAfter(0) * PAYABLE_SHARE;
  if (!(rateMin > 0)) return 0n;
  let [low, high] = [0, scale];
  while (rateAfter(high) > rateMin) [low, high] = [high, high * 2];
  for (let count = 0; count < HALVING_COUNT; count += 1) {
    const middle = (low + high) / 2;
    if (rateAfter(middle) > rateMin) low = middle;
    else high = middle;
  }
  return payFor(BigInt(Math.floor(low)));
}
