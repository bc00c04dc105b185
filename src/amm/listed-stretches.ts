// A curve whose pieces are known as a list.

import type { Stretch, Stretches } from './swap-pool.ts';

/** The shares that the fees leave, of the input and of the output. */
interface KeptShares {
  readonly keptIn: number;
  readonly keptOut: number;
}

export class ListedStretches implements Stretches {
  readonly #pieces: readonly Readonly<Stretch>[];
  #index = 0;

  constructor(pieces: readonly Readonly<Stretch>[]) {
    this.#pieces = pieces;
  }

  next(stretch: Stretch): boolean {
    const piece = this.#pieces[this.#index];
    if (piece === undefined) return false;
    this.#index += 1;
    stretch.u = piece.u;
    stretch.depth = piece.depth;
    return true;
  }
}

/**
 * The piece of a range with liquidity L, where `root` is the square root of what a unit of output
 * costs without fees. Of the input x the range sees `keptIn`·x; of its output, the trader gets
 * `keptOut`. So u = root / √(keptIn·keptOut) and Λ = L·√(keptOut/keptIn).
 */
export function toStretch(
  range: { readonly root: number; readonly liquidity: number },
  { keptIn, keptOut }: KeptShares,
): Stretch {
  return {
    u: range.root / Math.sqrt(keptIn * keptOut),
    depth: range.liquidity * Math.sqrt(keptOut / keptIn),
  };
}

/** Where a range ends, its successor keeps the slope continuous with this share of its depth. */
const REMNANT = 1e-9;
/** A last piece ends this share early, so that no pool is ever filled completely. */
const BRIM = 1e-6;

/** The piece after the last one, which begins where the pool can pay no more. */
export function buildEndPiece(
  last: Readonly<Stretch>,
  /** The u at which nothing is left. */
  end: number,
): Stretch {
  return { u: end - (end - last.u) * BRIM, depth: Math.max(last.depth, 1) * REMNANT };
}

/** The pieces of constant product over reserves of which only a part can be paid. */
export function buildProductPieces(
  reserves: { readonly reserveIn: number; readonly reserveOut: number; readonly held: number },
  kept: KeptShares,
): Stretch[] {
  const { reserveIn, reserveOut, held } = reserves;
  const liquidity = Math.sqrt(reserveIn * reserveOut);
  const first = toStretch({ root: Math.sqrt(reserveIn / reserveOut), liquidity }, kept);
  if (held >= reserveOut) return [first];
  const rest = reserveOut - held;
  const end = (first.u * reserveOut) / rest;
  return [first, buildEndPiece(first, end)];
}
