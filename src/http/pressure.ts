// Tells when the server has more work than it can do in time, early enough to refuse politely.

import type { Clock } from '../lib/clock.ts';

const SAMPLE_MS = 50;

interface PressureOptions {
  readonly clock: Clock;
  readonly requestsMax: number;
  readonly lagMaxMs: number;
}

/**
 * Two signs: requests in work, and the delay of a timer. The delay is also read at each request,
 * because a loop that is stuck cannot run the timer that would say so.
 */
export class Pressure {
  readonly #options: PressureOptions;
  readonly #timer: NodeJS.Timeout;
  #expectedMs: number;
  #lastLagMs = 0;
  #inFlight = 0;

  constructor(options: PressureOptions) {
    this.#options = options;
    this.#expectedMs = options.clock.monotonicMs() + SAMPLE_MS;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
    this.#timer.unref();
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** How late the event loop is. */
  readLagMs(nowMs = this.#options.clock.monotonicMs()): number {
    return Math.max(this.#lastLagMs, nowMs - this.#expectedMs);
  }

  enter(): void {
    this.#inFlight += 1;
  }

  leave(): void {
    this.#inFlight -= 1;
  }

  isOverloaded(nowMs: number): boolean {
    const { requestsMax, lagMaxMs } = this.#options;
    return this.#inFlight > requestsMax || this.readLagMs(nowMs) > lagMaxMs;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#lastLagMs = Math.max(0, nowMs - this.#expectedMs);
    this.#expectedMs = nowMs + SAMPLE_MS;
  }
}
