// The curve of a concentrated pool as stretches, from one initialised tick to the next.

import type { Stretch, Stretches } from '../swap-pool.ts';
import type { ConcentratedState, ConcentratedTerms } from './concentrated-terms.ts';

const Q96 = 2 ** 96;
const PIPS = 1_000_000;
const TICK_EDGE = 887_272;
const LOG_OF_SQRT_STEP = Math.log(1.0001) / 2;
/** Where there is no liquidity, this share of the previous liquidity keeps the slope continuous. */
const REMNANT = 1e-9;
/** The last stretch ends this share early, so that no pool is ever filled completely. */
const BRIM = 1e-6;

interface Ticked {
  readonly state: ConcentratedState;
  readonly terms: ConcentratedTerms;
}

/** Ignores the stops at word ends of the tick bitmap, which only affect rounding. */
export class TickStretches implements Stretches {
  readonly #pool: Ticked;
  readonly #zeroForOne: boolean;
  readonly #root: number;
  #index: number;
  /** An integer, because sums of floats would drift. */
  #liquidity: bigint;
  #u = 0;
  #depth = 0;
  #phase: 'start' | 'ticks' | 'end' = 'start';

  constructor(pool: Ticked, zeroForOne: boolean) {
    const { fees, ticks } = pool.terms;
    this.#pool = pool;
    this.#zeroForOne = zeroForOne;
    this.#root = Math.sqrt(1 - (zeroForOne ? fees.zeroForOne : fees.oneForZero) / PIPS);
    this.#index = ticks.findAbove(pool.state.tick) - (zeroForOne ? 1 : 0);
    this.#liquidity = pool.state.liquidity;
  }

  next(stretch: Stretch): boolean {
    if (this.#phase === 'end' || this.#root === 0) return false;
    let u: number;
    if (this.#phase === 'start') {
      this.#phase = 'ticks';
      u = this.#toU(Number(this.#pool.state.sqrtPriceX96) / Q96);
    } else {
      u = this.#moveOn();
    }
    const depth = Number(this.#liquidity) / this.#root;
    this.#depth = depth > 0 ? depth : Math.max(this.#depth, 1) * REMNANT;
    this.#u = u;
    stretch.u = u;
    stretch.depth = this.#depth;
    return true;
  }

  /** To the next tick, or where there is none, to just before the end of what is known. */
  #moveOn(): number {
    const { ticks, nets } = this.#pool.terms.ticks;
    const { lower = -TICK_EDGE, upper = TICK_EDGE } = this.#pool.terms.bounds ?? {};
    const tick = ticks[this.#index];
    const down = this.#zeroForOne;
    const net = nets[this.#index] ?? 0n;
    this.#liquidity += down ? -net : net;
    this.#index += down ? -1 : 1;
    const end = this.#toU(Math.exp((tick ?? (down ? lower : upper)) * LOG_OF_SQRT_STEP));
    if (tick === undefined) {
      this.#phase = 'end';
      this.#liquidity = 0n;
    }
    return this.#liquidity === 0n ? end - (end - this.#u) * BRIM : end;
  }

  #toU(sqrtPrice: number): number {
    return this.#zeroForOne ? 1 / (this.#root * sqrtPrice) : sqrtPrice / this.#root;
  }
}
