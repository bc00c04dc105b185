// A pool's initialised ticks in order, as plain arrays for fast search and iteration, with the
// cached steps between them.

/** A whole step from one stop to the next; it takes and pays the same for every swap. */
export interface SwapStep {
  /** The liquidity that it was computed for. */
  readonly liquidity: bigint;
  /** What it takes, fee included. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly feeAmount: bigint;
  /** Where it ends. */
  readonly sqrtPriceX96After: bigint;
  readonly liquidityAfter: bigint;
  readonly tickAfter: number;
  /** The next initialised tick from there, in the table. */
  readonly indexAfter: number;
  readonly isCrossing: boolean;
  readonly isEnd: boolean;
}

/** What all that a bin pays costs. */
export interface BinStep {
  readonly whole: bigint;
  readonly wholeFee: bigint;
  /** Both together. */
  readonly taken: bigint;
}

const PIPS = 1_000_000n;

/** The cached steps in one direction at one fee, by the tick that they begin in. */
export class StepBook {
  readonly feePips: bigint;
  /** The share that remains after the fee. */
  readonly keptPips: bigint;
  readonly steps = new Map<number, SwapStep>();

  constructor(feePips: number) {
    this.feePips = BigInt(feePips);
    this.keptPips = PIPS - this.feePips;
  }
}

/** Belongs to one pool while its ticks do not change. */
export class TickList {
  readonly ticks: Int32Array;
  /** What each tick adds to the liquidity when the price rises through it; signed. */
  readonly nets: readonly bigint[];
  /** Of a pool of bins, by volatility and id. */
  readonly binSteps = new Map<number, BinStep>();
  readonly #books = new Map<number, StepBook>();

  /** The rows may be in any order; each tick at most once. */
  constructor(rows: readonly { readonly tick: number; readonly liquidityNet: bigint }[]) {
    const sorted = [...rows].sort((a, b) => a.tick - b.tick);
    this.ticks = Int32Array.from(sorted, ({ tick }) => tick);
    this.nets = sorted.map(({ liquidityNet }) => liquidityNet);
  }

  get size(): number {
    return this.nets.length;
  }

  /** Whether it has exactly the same ticks as another. */
  equals(other: TickList): boolean {
    if (this.size !== other.size) return false;
    for (let i = 0; i < this.size; i += 1) {
      if (this.ticks[i] !== other.ticks[i] || this.nets[i] !== other.nets[i]) return false;
    }
    return true;
  }

  bookOf(zeroForOne: boolean, feePips: number): StepBook {
    const key = feePips * 2 + (zeroForOne ? 1 : 0);
    let book = this.#books.get(key);
    if (book === undefined) {
      book = new StepBook(feePips);
      this.#books.set(key, book);
    }
    return book;
  }

  /** The index of the first tick above `tick`; the size if there is none. */
  findAbove(tick: number): number {
    let low = 0;
    let high = this.ticks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ticks[middle] ?? 0) > tick) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
