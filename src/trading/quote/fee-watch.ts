// Keeps the chain's fees at hand: asked for in the background, never by a request.

import type { NetworkFees } from '../../chains/chain-nodes.ts';
import type { Clock } from '../../lib/clock.ts';

interface FeeWatchOptions {
  readonly readFees: (signal: AbortSignal) => Promise<NetworkFees>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const LOOK_MS = 1000;
/** While somebody asks for quotes. */
const BUSY_AGE_MS = 6000;
/** While nobody does. */
const IDLE_AGE_MS = 60_000;
/** Fees that could not be read for so long are no longer told. */
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
    this.look();
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Null where they are not known, or no longer. */
  read(): NetworkFees | null {
    this.#wasAsked = true;
    return this.peek();
  }

  /** The same for work in the background, which is no reason to ask the node more often. */
  peek(): NetworkFees | null {
    const ageMs = this.#options.clock.monotonicMs() - this.#readAtMs;
    return ageMs > AGE_MAX_MS ? null : this.#fees;
  }

  /** Asks the node where that is due. */
  look(): void {
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
      // Soon again: until fees are known no network cost can be told.
      this.#triedAtMs = clock.monotonicMs() - BUSY_AGE_MS + LOOK_MS;
      this.#wasAsked = true;
      if (!this.#abort.signal.aborted) onError(error);
    }
  }
}
