// Limits how many replay pages are in memory at once, over all readers.

export class ReplayGate {
  readonly #pagesMax: number;
  readonly #queue: (() => void)[] = [];
  #open = 0;

  constructor(pagesMax: number) {
    this.#pagesMax = pagesMax;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves when a page may be read; the returned function releases it. */
  async enter(): Promise<() => void> {
    if (this.#open >= this.#pagesMax) {
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    } else {
      this.#open += 1;
    }
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const next = this.#queue.shift();
      // The slot goes to the longest-waiting reader.
      if (next === undefined) this.#open -= 1;
      else next();
    };
  }
}
