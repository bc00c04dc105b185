// A pool's initialised ticks in order, as plain arrays that are searched and walked fast.

export class TickTable {
  static readonly EMPTY = new TickTable([]);

  readonly ticks: Int32Array;
  /** What each tick adds to the liquidity when the price rises through it; signed. */
  readonly nets: readonly bigint[];

  /** The rows may come in any order; each tick at most once. */
  constructor(rows: readonly { readonly tick: number; readonly liquidityNet: bigint }[]) {
    const sorted = [...rows].sort((a, b) => a.tick - b.tick);
    this.ticks = Int32Array.from(sorted, ({ tick }) => tick);
    this.nets = sorted.map(({ liquidityNet }) => liquidityNet);
  }

  get size(): number {
    return this.nets.length;
  }

  /** The index of the first tick above `tick`; the size where there is none. */
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
