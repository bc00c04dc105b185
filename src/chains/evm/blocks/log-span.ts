// Learns how many blocks to request logs for at once: as many as the node accepts.

export interface LogSpanOptions {
  readonly blocksStart: number;
  readonly blocksMax: number;
  /** A reply of about this many logs is large enough. */
  readonly logsTarget: number;
}

/** After this many good replies a learnt ceiling is tried again. */
const CEILING_PATIENCE = 20;
const CEILING_GROWTH = 1.5;

export class LogSpan {
  readonly #options: LogSpanOptions;
  #blocks: number;
  #ceiling: number;
  #refusedBefore = false;
  #goodInARow = 0;

  constructor(options: LogSpanOptions) {
    this.#options = options;
    this.#blocks = Math.min(options.blocksStart, options.blocksMax);
    this.#ceiling = options.blocksMax;
  }

  get blocks(): number {
    return this.#blocks;
  }

  /** Doubles until the first refusal, then grows by an eighth; shrinks when replies get large. */
  succeeded(reply: { readonly blocks: number; readonly logs: number }): void {
    this.#goodInARow += 1;
    if (this.#goodInARow % CEILING_PATIENCE === 0) {
      this.#ceiling = Math.min(this.#options.blocksMax, Math.ceil(this.#ceiling * CEILING_GROWTH));
    }
    const { logsTarget } = this.#options;
    if (reply.logs > logsTarget) {
      this.#blocks = Math.max(1, Math.floor((reply.blocks * logsTarget) / reply.logs));
      return;
    }
    // A shorter range than allowed, such as the last one, says nothing about longer ones.
    if (reply.blocks < this.#blocks || reply.logs * 2 > logsTarget) return;
    const step = this.#refusedBefore ? Math.ceil(this.#blocks / 8) : this.#blocks;
    this.#blocks = Math.min(this.#ceiling, this.#blocks + step);
  }

  /**
   * Halves, or follows the node's suggestion if that is smaller: some nodes suggest the range that
   * they have just refused. A refusal that may have another reason sets no ceiling.
   */
  tooLarge(refused: {
    readonly blocks: number;
    readonly suggestedBlocks: number | null;
    readonly isSure: boolean;
  }): void {
    const half = Math.max(1, Math.floor(refused.blocks / 2));
    const suggested = refused.suggestedBlocks ?? refused.blocks - 1;
    this.#refusedBefore = true;
    this.#goodInARow = 0;
    if (refused.isSure) {
      this.#ceiling = Math.max(1, Math.min(this.#ceiling, refused.blocks - 1, suggested));
    }
    this.#blocks = Math.max(1, Math.min(half, suggested));
  }
}
