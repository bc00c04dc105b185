// How long the history that is being read will take, at the rate measured so far.

/** Before that, the rate says little. */
const MEASURED_MS = 60_000;
const WEEK_MS = 7 * 86_400_000;

export class HistoryPace {
  #from: { readonly block: number; readonly atMs: number } | null = null;
  #leftMs: number | null = null;
  #blocksPerSecond = 0;
  #isTold = false;

  /** Null until it is known, and where no history is read. */
  get leftMs(): number | null {
    return this.#leftMs;
  }

  get blocksPerSecond(): number {
    return this.#blocksPerSecond;
  }

  observe(at: { readonly block: number; readonly toBlock: number; readonly nowMs: number }): void {
    const { block, toBlock, nowMs } = at;
    this.#from ??= { block, atMs: nowMs };
    const tookMs = nowMs - this.#from.atMs;
    const read = block - this.#from.block;
    if (tookMs < MEASURED_MS || read <= 0) return;
    this.#blocksPerSecond = (read * 1000) / tookMs;
    this.#leftMs = ((toBlock - block) * tookMs) / read;
  }

  /** Once: whether it takes so long that an operator should know. */
  isNews(): boolean {
    if (this.#isTold || this.#leftMs === null || this.#leftMs <= WEEK_MS) return false;
    this.#isTold = true;
    return true;
  }

  end(): void {
    this.#from = null;
    this.#leftMs = null;
  }
}
