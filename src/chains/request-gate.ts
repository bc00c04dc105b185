// Holds requests to one endpoint back while the maximum is in flight, over all threads.

import type { EndpointCells } from './endpoint-memory.ts';

/** Other threads wake this one; polling covers a missed wake-up. */
const LOOK_MS = 100;

export class RequestGate {
  readonly #cells: EndpointCells;
  readonly #queue = new Set<() => void>();
  #isWatching = false;

  constructor(cells: EndpointCells) {
    this.#cells = cells;
  }

  /** Resolves when the request may begin; `leave` must follow. Rejects when the signal aborts. */
  async enter(signal: AbortSignal): Promise<void> {
    if (this.#queue.size === 0 && this.#cells.tryBegin()) return;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      this.#queue.delete(resolve);
      reject(signal.reason);
    };
    this.#queue.add(resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#admit();
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  leave(): void {
    this.#cells.end();
    this.#admit();
  }

  #admit(): void {
    for (const begin of this.#queue) {
      if (!this.#cells.tryBegin()) break;
      this.#queue.delete(begin);
      begin();
    }
    if (this.#queue.size > 0) void this.#watch();
  }

  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    await this.#cells.untilChanged(LOOK_MS);
    this.#isWatching = false;
    this.#admit();
  }
}
