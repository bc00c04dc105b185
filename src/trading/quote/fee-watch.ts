// Caches the chain's fees: read in the background, never by a request.

import type { NetworkFees } from '../../chains/chain-nodes.ts';
import type { Clock } from '../../lib/clock.ts';

interface FeeWatchOptions {
  readonly readFees: (signal: AbortSignal) => Promise<NetworkFees>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const POLL_MS = 1000;
/** While there are requests for quotes. */
const BUSY_AGE_MS = 6000;
/** While there are none. */
const IDLE_AGE_MS = 60_000;
/** Fees older than this are no longer used. */
const AGE_MAX_MS = 300_000;

export class FeeWatch {
  readonly #options: FeeWatchOptions;
  readonly #abort = new AbortController();
  #fees: NetworkFees | null = null;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #triedAtMs = Number.NEGATIVE_INFINITY;
  #wasAsked = false;
  #reading: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: FeeWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.poll();
    this.#timer = setInterval(() => this.poll(), POLL_MS);
    this.#timer.unref();
  }

  /** Null if they are unknown or too old. */
  read(): NetworkFees | null {
    this.#wasAsked = true;
    return this.peek();
  }

  /** The same for background work, which must not cause more frequent reads. */
  peek(): NetworkFees | null {
    const ageMs = this.#options.clock.monotonicMs() - this.#readAtMs;
    return ageMs > AGE_MAX_MS ? null : this.#fees;
  }

  /** Reads from the node if due. */
  poll(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const isDue = nowMs - this.#triedAtMs >= (this.#wasAsked ? BUSY_AGE_MS : IDLE_AGE_MS);
    if (this.#reading !== null || !isDue || this.#abort.signal.aborted) return;
    this.#triedAtMs = nowMs;
    this.#wasAsked = false;
    this.#reading = this.#refresh().finally(() => {
      this.#reading = null;
    });
  }

  async settled(): Promise<void> {
    await this.#reading;
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#abort.abort();
    await this.#reading;
  }

  async #refresh(): Promise<void> {
    const { readFees, clock, onError } = this.#options;
    try {
      this.#fees = await readFees(this.#abort.signal);
      this.#readAtMs = clock.monotonicMs();
    } catch (error) {
      // Retries soon: without fees there is no network cost.
      this.#triedAtMs = clock.monotonicMs() - BUSY_AGE_MS + POLL_MS;
      this.#wasAsked = true;
      if (!this.#abort.signal.aborted) onError(error);
    }
  }
}
