// How one endpoint has been doing: when it may be used again, and what is known of its chain. All
// threads of the process share it.

import type { Clock } from '../../lib/clock.ts';
import { type Backoff, computeBackoffMs, type Random } from '../../lib/retry.ts';
import type { ChainSourceStatus } from '../adapter.ts';
import type { EndpointCells } from '../endpoint-memory.ts';
import { isRpcError } from './rpc-error.ts';

const FAILURE_BACKOFF: Backoff = { baseMs: 250, maxMs: 30_000 };

/** After this many consecutive failures an endpoint counts as down. */
const FAILURES_OF_THE_DEAD = 5;

/** For rate limits and false data, which an immediate retry does not fix. */
const OFFENCE_BACKOFF: Backoff = { baseMs: 1_000, maxMs: 60_000 };

/** After a reply from another chain: a balancer may have sent us elsewhere for a moment. */
const REFUSED_BACKOFF: Backoff = { baseMs: 60_000, maxMs: 600_000 };

/** A capped batch grows again: soon if nothing said that batches were the reason. */
const [BATCH_GROWS_MS, BATCH_GROWS_SLOWLY_MS] = [15_000, 300_000];
/** No use sends batches of more. */
const BATCH_CALLS_MAX = 1000;

const MICROSECONDS = 1000;

export class EndpointHealth {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #cells: EndpointCells;
  /** As this thread met it; all else is known to all threads. */
  #lastError: string | null = null;

  constructor(options: { clock: Clock; random: Random; cells: EndpointCells }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#cells = options.cells;
  }

  /** Whether it served another chain lately; its chain is checked again after a while. */
  get isRefused(): boolean {
    return this.#cells.get('refusedUntil') / MICROSECONDS > this.#clock.monotonicMs();
  }

  /**
   * Whether its vote counts: it serves this chain, and has responded lately or is only cooling
   * down.
   */
  get isVoter(): boolean {
    return !this.isRefused && this.#cells.get('failuresInARow') < FAILURES_OF_THE_DEAD;
  }

  /** The highest block that this endpoint is known to have. */
  get head(): number | null {
    const headPlusOne = this.#cells.get('headPlusOne');
    return headPlusOne === 0 ? null : headPlusOne - 1;
  }

  /** Milliseconds until the endpoint may be tried; 0 if it may be now. */
  get waitMs(): number {
    const availableAtMs = this.#cells.get('availableAt') / MICROSECONDS;
    return Math.max(0, availableAtMs - this.#clock.monotonicMs());
  }

  /** The most calls that it takes in one request; twice as many are tried from time to time. */
  get batchCallsMax(): number {
    const learned = this.#cells.get('batchCallsMax');
    const nowUs = this.#toCell(this.#clock.monotonicMs());
    if (learned === 0) return Number.POSITIVE_INFINITY;
    if (nowUs < this.#cells.get('batchGrowsAt')) return learned;
    const grown = learned * 2 > BATCH_CALLS_MAX ? 0 : learned * 2;
    this.#cells.set('batchCallsMax', grown);
    this.#cells.set('batchGrowsAt', nowUs + this.#cells.get('batchGrowsEach'));
    return grown || Number.POSITIVE_INFINITY;
  }

  /** Whether the chain id must be checked before anything else is trusted. */
  isChainCheckDue(ageMaxMs: number): boolean {
    const checkedAtMs = this.#cells.get('chainCheckedAt') / MICROSECONDS;
    return checkedAtMs === 0 || this.#clock.monotonicMs() - checkedAtMs >= ageMaxMs;
  }

  /** Returns what to call when the answer is there. */
  observeRequest(): () => void {
    this.#cells.increase('requests');
    const askedAtMs = this.#clock.monotonicMs();
    return () => this.#observeLatency(this.#clock.monotonicMs() - askedAtMs);
  }

  observeHead(block: number): void {
    this.#cells.raise('headPlusOne', block + 1);
  }

  observeChain(): void {
    this.#cells.set('chainCheckedAt', Math.max(1, this.#toCell(this.#clock.monotonicMs())));
    if (this.#cells.get('refusals') > 0) this.#cells.set('refusals', 0);
  }

  /** It refused a batch of more calls, and said that this was the reason or not. */
  observeBatchCallsMax(count: number, isSure: boolean): void {
    const growsEachUs = this.#toCell(isSure ? BATCH_GROWS_SLOWLY_MS : BATCH_GROWS_MS);
    this.#cells.set('batchGrowsEach', growsEachUs);
    this.#cells.set('batchGrowsAt', this.#toCell(this.#clock.monotonicMs()) + growsEachUs);
    this.#cells.set('batchCallsMax', count);
  }

  /** It refused calls because of their rate. */
  observeRateLimit(): void {
    this.#cells.increase('rateLimited');
  }

  /** One request failed among others that did not, and is repeated. */
  observeFailure(): void {
    this.#cells.increase('failures');
  }

  /** Records a success; returns whether it had been failing until now. */
  succeeded(): boolean {
    const recovered = this.#cells.get('failuresInARow') > 0;
    if (recovered) this.#cells.set('failuresInARow', 0);
    return recovered;
  }

  /**
   * Suspends the endpoint for a while, longer with each consecutive failure; returns whether it had
   * been working until now.
   */
  failed(error: unknown): boolean {
    const isFirst = this.#cells.get('failuresInARow') === 0;
    this.#cells.increase('failures');
    // Many requests may be in flight when it goes silent: together they count as one failure.
    if (this.waitMs === 0) this.#cells.increase('failuresInARow');
    this.#lastError = error instanceof Error ? error.message : String(error);
    const rateLimited = isRpcError(error, 'rateLimited');
    // Whatever comes back after a failure may be another machine: ask for its chain and head first.
    if (!rateLimited) {
      this.#cells.set('chainCheckedAt', 0);
      this.#cells.set('headPlusOne', 0);
    }
    const grave = rateLimited || isRpcError(error, 'invalidReply', 'denied');
    const backoff = grave ? OFFENCE_BACKOFF : FAILURE_BACKOFF;
    const ownMs = computeBackoffMs(this.#cells.get('failuresInARow'), backoff, this.#random);
    const askedMs = isRpcError(error) ? (error.retryAfterMs ?? 0) : 0;
    const availableAtMs = this.#clock.monotonicMs() + Math.max(ownMs, askedMs);
    this.#cells.raise('availableAt', this.#toCell(availableAtMs));
    return isFirst;
  }

  /** The endpoint serves another chain: it is not used until its chain is checked again. */
  refuse(reason: string): void {
    if (!this.isRefused) this.#cells.increase('refusals');
    const refusals = this.#cells.get('refusals');
    const waitMs = computeBackoffMs(refusals, REFUSED_BACKOFF, this.#random);
    this.#cells.raise('refusedUntil', this.#toCell(this.#clock.monotonicMs() + waitMs));
    this.#cells.set('chainCheckedAt', 0);
    this.#cells.set('headPlusOne', 0);
    this.#lastError = reason;
  }

  describeStatus(name: string): ChainSourceStatus['endpoints'][number] {
    const requests = this.#cells.get('requests');
    const latencyUs = this.#cells.get('latency');
    const state = this.isRefused
      ? 'refused'
      : this.waitMs > 0
        ? 'waiting'
        : requests === 0
          ? 'untried'
          : 'healthy';
    return {
      name,
      state,
      head: this.head,
      latencyMs: latencyUs === 0 ? null : latencyUs / MICROSECONDS,
      requests,
      failures: this.#cells.get('failures'),
      rateLimited: this.#cells.get('rateLimited'),
      lastError: this.#lastError,
    };
  }

  /** The last answers count most: each new one makes up an eighth. */
  #observeLatency(ms: number): void {
    const before = this.#cells.get('latency');
    const next = this.#toCell(ms);
    const mean = before === 0 ? next : Math.round(before + (next - before) / 8);
    this.#cells.set('latency', Math.max(1, mean));
  }

  #toCell(ms: number): number {
    return Math.ceil(ms * MICROSECONDS);
  }
}
