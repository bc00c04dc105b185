// Requests that wait until the status of a transaction changes.
//
// The node is asked again after each commit of the chain, and every two seconds in between: a
// transaction becomes pending, or is dropped, without a block. All requests that wait for one
// transaction share these asks. Waits are limited, in all and for each caller; a request beyond the
// limit is answered at once.

import type { Clock } from '../../lib/clock.ts';
import { HeldSlots } from '../../lib/held-slots.ts';
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
  /** Names the transaction: waits of one name share what is asked. */
  readonly name: string;
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

interface Ask<Answer> {
  /** Asks are numbered in the order in which they start. */
  readonly number: number;
  readonly startedMs: number;
  /** Read before asking, so that a commit in between counts as a new one. */
  readonly version: number;
  readonly answer: Promise<Answer>;
  isUnderWay: boolean;
}

/** What is asked about one transaction for all requests that wait for it. */
interface SharedAsk<Answer> {
  waitCount: number;
  last: Ask<Answer> | null;
}

export class StatusWaits<Answer> {
  readonly #parts: WaitParts;
  readonly #slots = new HeldSlots({ totalMax: WAITS_MAX, perHolderMax: WAITS_PER_CALLER_MAX });
  readonly #shared = new Map<string, SharedAsk<Answer>>();
  #askCount = 0;
  #isStopped = false;

  constructor(parts: WaitParts) {
    this.#parts = parts;
  }

  /** Answers all that wait now, and lets nobody wait any more. */
  stop(): void {
    this.#isStopped = true;
  }

  /** The first answer that is news, or the last one when the time is up. */
  async wait(wait: Wait<Answer>): Promise<Answer> {
    const leave = this.#enter(wait);
    if (leave === null) return wait.ask();
    try {
      return await this.#poll(wait);
    } finally {
      leave();
    }
  }

  /**
   * The first answer that a request compares with may be older than the request; what it is
   * answered with never is.
   */
  async #poll(wait: Wait<Answer>): Promise<Answer> {
    const { clock, sleep } = this.#parts;
    const endMs = clock.monotonicMs() + wait.waitMs;
    const askedBefore = this.#askCount;
    let ask = this.#takeAsk(wait);
    let first = await ask.answer;
    let answer = first;
    for (;;) {
      const nowMs = clock.monotonicMs();
      // Nobody reads the answer.
      if (wait.signal?.aborted === true) return answer;
      const isOver = nowMs >= endMs || this.#isStopped;
      if (isOver || wait.isNews(answer, first)) {
        if (ask.number > askedBefore) return answer;
        ask = await this.#takeAskAfter(wait, askedBefore);
        answer = await ask.answer;
        first = answer;
        continue;
      }
      await sleep(Math.min(POLL_MS, endMs - nowMs));
      ask = this.#takeAsk(wait);
      answer = await ask.answer;
    }
  }

  /** An ask that started after so many others. */
  async #takeAskAfter(wait: Wait<Answer>, count: number): Promise<Ask<Answer>> {
    for (;;) {
      const last = this.#shared.get(wait.name)?.last ?? null;
      if (last !== null && last.number > count) return last;
      if (last === null || !last.isUnderWay) return this.#startAsk(wait);
      await last.answer.catch(() => undefined);
    }
  }

  /** The last ask, or a new one if that is due. */
  #takeAsk(wait: Wait<Answer>): Ask<Answer> {
    const last = this.#shared.get(wait.name)?.last ?? null;
    if (last === null) return this.#startAsk(wait);
    if (last.isUnderWay) return last;
    const isOld = this.#parts.clock.monotonicMs() - last.startedMs >= ASK_MS;
    return isOld || last.version !== wait.readVersion() ? this.#startAsk(wait) : last;
  }

  #startAsk(wait: Wait<Answer>): Ask<Answer> {
    this.#askCount += 1;
    const ask: Ask<Answer> = {
      number: this.#askCount,
      startedMs: this.#parts.clock.monotonicMs(),
      version: wait.readVersion(),
      answer: wait.ask(),
      isUnderWay: true,
    };
    const shared = this.#shared.get(wait.name);
    if (shared !== undefined) shared.last = ask;
    const end = () => {
      ask.isUnderWay = false;
    };
    ask.answer.then(end, () => {
      end();
      // Whoever waits for it is told; others ask again.
      if (shared?.last === ask) shared.last = null;
    });
    return ask;
  }

  /** Null if too many wait already; the function ends the wait. */
  #enter({ caller, name }: Wait<Answer>): (() => void) | null {
    const free = this.#slots.take(caller, null);
    if (free === null) return null;
    const shared = this.#shared.get(name) ?? { waitCount: 0, last: null };
    shared.waitCount += 1;
    this.#shared.set(name, shared);
    return () => {
      free();
      shared.waitCount -= 1;
      if (shared.waitCount === 0) this.#shared.delete(name);
    };
  }
}
