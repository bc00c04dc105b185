// What pools pay, in floating point: guides the search before anything is computed exactly.
//
// Every kind of pool gives its curve as a list of stretches (amm/swap-pool.ts). Parallel pools,
// which are best used at equal prices, are one list with their Λ added up.
//
// No amount that leaves the router comes from here. Because contracts round, a curve pays more than
// the pool, or at most a millionth less, which the search relies on.

import type { Stretches, SwapPool } from '../../amm/swap-pool.ts';

/** A point of a curve, filled by `read` so that the search does not allocate. */
export interface CurvePoint {
  out: number;
  /** What one more unit would pay. */
  slope: number;
  /** How fast the slope falls. */
  bend: number;
}

export class RouteCurve {
  readonly #source: Stretches;
  readonly #next = { u: 0, depth: 0 };
  /** The stretches so far: where each begins, its Λ, and the sums before it. */
  readonly #us: number[] = [];
  readonly #depths: number[] = [];
  readonly #ins: number[] = [];
  readonly #outs: number[] = [];
  readonly #stretchCountMax: number;
  #isWhole = false;

  /** Stretches beyond `stretchCountMax` are never reached except by rounding. */
  constructor(source: Stretches, stretchCountMax = Number.POSITIVE_INFINITY) {
    this.#source = source;
    this.#stretchCountMax = stretchCountMax;
    this.#extend();
  }

  /** The output for an input; beyond all liquidity, the maximum output. */
  computeOut(amountIn: number): number {
    const at = this.#findByIn(amountIn);
    const depth = this.#depths[at] ?? 0;
    const before = this.#outs[at] ?? 0;
    if (depth === 0) return before;
    const rest = amountIn - (this.#ins[at] ?? 0);
    const u = this.#us[at] ?? 0;
    return before + rest / (u * (u + rest / depth));
  }

  read(amountIn: number, point: CurvePoint): void {
    const at = this.#findByIn(amountIn);
    const depth = this.#depths[at] ?? 0;
    const before = this.#outs[at] ?? 0;
    if (depth === 0) {
      point.out = before;
      point.slope = 0;
      point.bend = 0;
      return;
    }
    const rest = amountIn - (this.#ins[at] ?? 0);
    const u = this.#us[at] ?? 0;
    const after = u + rest / depth;
    point.out = before + rest / (u * after);
    point.slope = 1 / (after * after);
    point.bend = (2 * point.slope) / (after * depth);
  }

  /** The price coordinate after an input; infinite beyond all liquidity. */
  computePrice(amountIn: number): number {
    const at = this.#findByIn(amountIn);
    const depth = this.#depths[at] ?? 0;
    if (depth === 0) return Number.POSITIVE_INFINITY;
    return (this.#us[at] ?? 0) + (amountIn - (this.#ins[at] ?? 0)) / depth;
  }

  /** The input that leads to a price coordinate; 0 if the curve begins beyond it. */
  computeInAt(u: number): number {
    while (!this.#isWhole && (this.#us.at(-1) ?? 0) < u) this.#extend();
    let at = this.#us.length - 1;
    while (at >= 0 && (this.#us[at] ?? 0) > u) at -= 1;
    if (at < 0) return 0;
    const depth = this.#depths[at] ?? 0;
    return (this.#ins[at] ?? 0) + (depth === 0 ? 0 : depth * (u - (this.#us[at] ?? 0)));
  }

  /** The input for an output; infinite if there is not that much. */
  computeInFor(amountOut: number): number {
    while (!this.#isWhole && (this.#outs.at(-1) ?? 0) < amountOut) this.#extend();
    let at = this.#outs.length - 1;
    while (at > 0 && (this.#outs[at] ?? 0) > amountOut) at -= 1;
    const depth = this.#depths[at] ?? 0;
    const rest = amountOut - (this.#outs[at] ?? 0);
    if (depth === 0) return rest > 0 ? Number.POSITIVE_INFINITY : (this.#ins[at] ?? 0);
    const u = this.#us[at] ?? 0;
    // 1/u' = 1/u − rest/Λ gives the change of u without subtracting nearly equal numbers.
    const left = depth - rest * u;
    return left <= 0
      ? Number.POSITIVE_INFINITY
      : (this.#ins[at] ?? 0) + (depth * rest * u * u) / left;
  }

  /** The stretch at an index, for merging curves. */
  stretchAt(index: number, stretch: { u: number; depth: number }): boolean {
    while (!this.#isWhole && this.#us.length <= index) this.#extend();
    if (index >= this.#us.length) return false;
    stretch.u = this.#us[index] ?? 0;
    stretch.depth = this.#depths[index] ?? 0;
    return true;
  }

  /** How many stretches an input passes: the ticks that it crosses. */
  countStretches(amountIn: number): number {
    return Math.min(this.#findByIn(amountIn), this.#stretchCountMax - 1);
  }

  /** The input that fills the first stretches. */
  computeInOfStretches(count: number): number {
    while (!this.#isWhole && this.#us.length <= count) this.#extend();
    return this.#ins[count] ?? Number.POSITIVE_INFINITY;
  }

  #findByIn(amountIn: number): number {
    while (!this.#isWhole && (this.#ins.at(-1) ?? 0) <= amountIn) this.#extend();
    let low = 0;
    let high = this.#ins.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#ins[middle] ?? 0) <= amountIn) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #extend(): void {
    if (!this.#source.next(this.#next)) {
      this.#isWhole = true;
      return;
    }
    const { u, depth } = this.#next;
    const last = this.#us.length - 1;
    if (last < 0) {
      this.#ins.push(0);
      this.#outs.push(0);
    } else {
      const lastDepth = this.#depths[last] ?? 0;
      const from = this.#us[last] ?? 0;
      const rise = Math.max(0, u - from);
      this.#ins.push((this.#ins[last] ?? 0) + lastDepth * rise);
      this.#outs.push((this.#outs[last] ?? 0) + (lastDepth * rise) / (from * u));
    }
    this.#us.push(u);
    this.#depths.push(depth);
  }
}

/** Beyond the cut, this share of the previous liquidity keeps the slope continuous. */
const REMNANT = 1e-9;
/**
 * A cut curve ends this share of its last stretch early, because a little more than planned may be
 * executed.
 */
const CUT_BRIM = 3e-4;

/** The curve limited to its first stretches, ending just before the next tick. */
export function cutCurve(curve: RouteCurve, stretchCount: number): RouteCurve {
  let index = 0;
  let last = { u: 0, depth: 0 };
  const source: Stretches = {
    next(stretch) {
      if (index > stretchCount || !curve.stretchAt(index, stretch)) return false;
      if (index === stretchCount) {
        stretch.u -= (stretch.u - last.u) * CUT_BRIM;
        stretch.depth = last.depth * REMNANT;
      }
      last = { ...stretch };
      index += 1;
      return true;
    },
  };
  return new RouteCurve(source, stretchCount);
}

/** Parallel pools as one curve. */
export function mergeCurves(curves: readonly RouteCurve[]): RouteCurve {
  const [only] = curves;
  if (only !== undefined && curves.length === 1) return only;
  const heads = curves.map((curve) => {
    const stretch = { u: 0, depth: 0 };
    return { curve, stretch, index: 0, depth: 0, isOpen: curve.stretchAt(0, stretch) };
  });
  let total = 0;
  return new RouteCurve({
    next(stretch) {
      let first: (typeof heads)[number] | null = null;
      for (const head of heads) {
        if (head.isOpen && (first === null || head.stretch.u < first.stretch.u)) first = head;
      }
      if (first === null) return false;
      first.depth = first.stretch.depth;
      // Summed from scratch each time, because differences of floats would drift.
      total = 0;
      for (const head of heads) total += head.depth;
      stretch.u = first.stretch.u;
      stretch.depth = total;
      first.index += 1;
      first.isOpen = first.curve.stretchAt(first.index, first.stretch);
      return true;
    },
  });
}

interface BothCurves {
  down: RouteCurve | null;
  up: RouteCurve | null;
}

/** A changed pool is a new object, so cached curves never become stale. */
const KNOWN = new WeakMap<SwapPool, BothCurves>();

export function findCurve(pool: SwapPool, zeroForOne: boolean): RouteCurve {
  let both = KNOWN.get(pool);
  if (both === undefined) {
    both = { down: null, up: null };
    KNOWN.set(pool, both);
  }
  const known = zeroForOne ? both.down : both.up;
  if (known !== null) return known;
  const curve = new RouteCurve(pool.stretches(zeroForOne));
  if (zeroForOne) both.down = curve;
  else both.up = curve;
  return curve;
}
