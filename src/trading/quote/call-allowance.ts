// How often pools are called: a burst, and then some a second, for all callers together and for
// each of them less, so that one of them does not use up what the others have.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';

interface CallRate {
  readonly burstMax: number;
  readonly perSecond: number;
}

interface Left {
  readonly count: number;
  /** When that was counted. */
  readonly atMs: number;
}

const ALL: CallRate = { burstMax: 8, perSecond: 4 };
const ONE: CallRate = { burstMax: 4, perSecond: 2 };
const CALLERS_MAX = 10_000;

export class CallAllowance {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #ofAll: Left;
  readonly #ofCallers = new BoundedMap<string, Left>(CALLERS_MAX);

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#ofAll = { count: ALL.burstMax, atMs: clock.monotonicMs() };
  }

  /** False if too many were asked just now. */
  take(caller: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const full = { count: ONE.burstMax, atMs: nowMs };
    const ofAll = refill(this.#ofAll, ALL, nowMs);
    const own = refill(this.#ofCallers.get(caller) ?? full, ONE, nowMs);
    if (ofAll.count < 1 || own.count < 1) return false;
    this.#ofAll = { ...ofAll, count: ofAll.count - 1 };
    this.#ofCallers.set(caller, { ...own, count: own.count - 1 });
    return true;
  }

  /** What was taken was not used. */
  giveBack(caller: string): void {
    const own = this.#ofCallers.get(caller);
    if (own !== undefined) this.#ofCallers.set(caller, { ...own, count: own.count + 1 });
    this.#ofAll = { ...this.#ofAll, count: this.#ofAll.count + 1 };
  }
}

function refill({ count, atMs }: Left, { burstMax, perSecond }: CallRate, nowMs: number): Left {
  return { count: Math.min(burstMax, count + ((nowMs - atMs) / 1000) * perSecond), atMs: nowMs };
}
