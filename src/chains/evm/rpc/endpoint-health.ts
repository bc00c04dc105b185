// How one endpoint has been doing: when it may be used again, and what is known of its chain.

import type { Clock } from '../../../lib/clock.ts';
import { type Backoff, type Random, toBackoffMs } from '../../../lib/retry.ts';
import type { ChainSourceStatus } from '../../adapter.ts';
import { isRpcError } from './rpc-error.ts';

const FAILURE_BACKOFF: Backoff = { baseMs: 250, maxMs: 30_000 };

/** An endpoint that failed this often in a row is not expected to come back soon. */
const FAILURES_OF_THE_DEAD = 5;

/** Rate limits and lies are not cured by asking again at once. */
const OFFENCE_BACKOFF: Backoff = { baseMs: 1_000, maxMs: 60_000 };

export class EndpointHealth {
  readonly #clock: Clock;
  readonly #random: Random;
  #availableAtMs = 0;
  #failuresInARow = 0;
  #chainCheckedAtMs: number | null = null;
  #refused = false;
  #head: number | null = null;
  #requests = 0;
  #failures = 0;
  #rateLimited = 0;
  #lastError: string | null = null;

  constructor(options: { clock: Clock; random: Random }) {
    this.#clock = options.clock;
    this.#random = options.random;
  }

  get isRefused(): boolean {
    return this.#refused;
  }

  /** Whether its voice counts: it is of this chain, and has answered lately or may well soon. */
  get isVoter(): boolean {
    return !this.#refused && this.#failuresInARow < FAILURES_OF_THE_DEAD;
  }

  /** The highest block that this endpoint was seen to have. */
  get head(): number | null {
    return this.#head;
  }

  /** Milliseconds until the endpoint may be tried; 0 when it may be now. */
  get waitMs(): number {
    return Math.max(0, this.#availableAtMs - this.#clock.monotonicMs());
  }

  /** Whether the chain id must be asked for before anything else is believed. */
  isChainCheckDue(ageMaxMs: number): boolean {
    const checkedAtMs = this.#chainCheckedAtMs;
    return checkedAtMs === null || this.#clock.monotonicMs() - checkedAtMs >= ageMaxMs;
  }

  observeRequest(): void {
    this.#requests += 1;
  }

  observeHead(block: number): void {
    if (this.#head === null || block > this.#head) this.#head = block;
  }

  observeChain(): void {
    this.#chainCheckedAtMs = this.#clock.monotonicMs();
  }

  /** Whether it had been failing until now. */
  succeeded(): boolean {
    const recovered = this.#failuresInARow > 0;
    this.#failuresInARow = 0;
    return recovered;
  }

  /** Takes the endpoint out of use for a while, the longer the more often it failed in a row. */
  failed(error: unknown): void {
    this.#failures += 1;
    // Many requests may be under way when it goes silent: what they tell is one failure.
    if (this.waitMs === 0) this.#failuresInARow += 1;
    this.#lastError = error instanceof Error ? error.message : String(error);
    // Whatever comes back after a failure may be another machine: ask for its chain and head first.
    this.#chainCheckedAtMs = null;
    this.#head = null;
    const rateLimited = isRpcError(error, 'rateLimited');
    if (rateLimited) this.#rateLimited += 1;
    const grave = rateLimited || isRpcError(error, 'invalidReply', 'denied');
    const backoff = grave ? OFFENCE_BACKOFF : FAILURE_BACKOFF;
    const ownMs = toBackoffMs(this.#failuresInARow, backoff, this.#random);
    const askedMs = isRpcError(error) ? (error.retryAfterMs ?? 0) : 0;
    const availableAtMs = this.#clock.monotonicMs() + Math.max(ownMs, askedMs);
    this.#availableAtMs = Math.max(this.#availableAtMs, availableAtMs);
  }

  /** The endpoint serves another chain: it is never asked again. */
  refuse(reason: string): void {
    this.#refused = true;
    this.#lastError = reason;
  }

  toStatus(name: string): ChainSourceStatus['endpoints'][number] {
    const state = this.#refused
      ? 'refused'
      : this.waitMs > 0
        ? 'waiting'
        : this.#requests === 0
          ? 'untried'
          : 'healthy';
    return {
      name,
      state,
      head: this.#head,
      requests: this.#requests,
      failures: this.#failures,
      rateLimited: this.#rateLimited,
      lastError: this.#lastError,
    };
  }
}
