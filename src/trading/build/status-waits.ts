// Requests that wait until the status of a transaction changes.
//
// A waiting request asks the node again after each commit of the chain, and every two seconds in
// between: a transaction becomes pending, or is dropped, without a block. Waits are limited, in all
// and for each caller; a request beyond the limit is answered at once.

import type { Clock } from '../../lib/clock.ts';
import type { Sleep } from '../../lib/retry.ts';

const WAITS_MAX = 500;
const WAITS_PER_CALLER_MAX = 10;
const POLL_MS = 100;
const ASK_MS = 2000;

interface WaitParts {
  readonly clock: Clock;
  readonly sleep: Sleep;
}

interface Wait<Answer> {
  readonly caller: string;
  readonly waitMs: number;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal | undefined;
  /** Another value after each commit of the chain. */
  readVersion(): number;
  ask(): Promise<Answer>;
  /** Whether the answer differs from the first one, or from what the caller knows. */
  isNews(answer: Answer, first: Answer): boolean;
}

export class StatusWaits {
  readonly #parts: WaitParts;
  readonly #byCaller = new Map<string, number>();
  #count = 0;
  #isStopped = false;

  constructor(parts: WaitParts) {
    this.#parts = parts;
  }

  /** Answers all that wait now, and lets nobody wait any more. */
  stop(): void {
    this.#isStopped = true;
  }

  /** The first answer that is news, or the last one when the time is up. */
  async wait<Answer>(wait: Wait<Answer>): Promise<Answer> {
    if (!this.#enter(wait.caller)) return wait.ask();
    try {
      return await this.#poll(wait);
    } finally {
      this.#leave(wait.caller);
    }
  }

  async #poll<Answer>(wait: Wait<Answer>): Promise<Answer> {
    const { clock, sleep } = this.#parts;
    let askedAtMs = clock.monotonicMs();
    const endMs = askedAtMs + wait.waitMs;
    // Read before asking, so that a commit in between counts as a new one.
    let version = wait.readVersion();
    const first = await wait.ask();
    let answer = first;
    while (!wait.isNews(answer, first) && wait.signal?.aborted !== true && !this.#isStopped) {
      const nowMs = clock.monotonicMs();
      if (nowMs >= endMs) break;
      await sleep(Math.min(POLL_MS, endMs - nowMs));
      const isDue = clock.monotonicMs() - askedAtMs >= ASK_MS;
      if (wait.readVersion() === version && !isDue) continue;
      version = wait.readVersion();
      askedAtMs = clock.monotonicMs();
      answer = await wait.ask();
    }
    return answer;
  }

  #enter(caller: string): boolean {
    const mine = this.#byCaller.get(caller) ?? 0;
    if (this.#count >= WAITS_MAX || mine >= WAITS_PER_CALLER_MAX) return false;
    this.#count += 1;
    this.#byCaller.set(caller, mine + 1);
    return true;
  }

  #leave(caller: string): void {
    const mine = (this.#byCaller.get(caller) ?? 1) - 1;
    this.#count -= 1;
    if (mine === 0) this.#byCaller.delete(caller);
    else this.#byCaller.set(caller, mine);
  }
}
