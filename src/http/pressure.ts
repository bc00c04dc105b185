// Detects overload early enough to reject requests with 503.

import type { Clock } from '../lib/clock.ts';

const SAMPLE_MS = 50;

interface PressureOptions {
  readonly clock: Clock;
  readonly requestsMax: number;
  readonly lagMaxMs: number;
}

/**
 * Two signals: requests in work, and the delay of a timer. The delay is also read at each
 * request, because a blocked event loop cannot run the timer.
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

  /** The event loop delay. */
  readLagMs(nowMs = this.#options.clock.monotonicMs()): number {
    return Math.max(this.#lastLagMs, nowMs - this.#expectedMs);
  }

  enter(): void {
    this.#inFlight += 1;
  }

  leave(): void {
    this.#inFlight -= 1;
  }

  /** Whether more requests are in work than should be. */
  get isFull(): boolean {
    return this.#inFlight > this.#options.requestsMax;
  }

  isOverloaded(nowMs: number): boolean {
    return this.isFull || this.readLagMs(nowMs) > this.#options.lagMaxMs;
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
