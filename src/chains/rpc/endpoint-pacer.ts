// Decides when a request to one endpoint may begin: not while as many as allowed are under way, and
// no more credits a second than the endpoint takes. The rate is learned: a refusal lowers it to
// what was answered, and while requests wait for it, it rises again slowly. It is counted in
// credits, which are calls unless the operator says what calls cost, and all threads share it.
//
// A request that a client waits for goes before background work. It may also run up a debt of a
// second, which the background, in whichever thread, then waits for.

import type { Clock } from '../../lib/clock.ts';
import type { Sleep } from '../../lib/retry.ts';
import type { EndpointCells } from '../endpoint-memory.ts';
import { RpcError } from './rpc-error.ts';

interface Turn {
  readonly credits: number;
  /** Whether a client waits for it. */
  readonly isUrgent: boolean;
  /** A longer pause is not waited for; nor, if it is urgent, a longer queue. */
  readonly waitMaxMs: number;
  readonly sleep: Sleep;
  readonly signal?: AbortSignal | undefined;
}

interface Waiter extends Turn {
  begin(): void;
  fail(error: unknown): void;
  readonly sinceMs: number;
}

const US = 1000;
const MILLI = 1000;
const SECOND_US = 1_000_000;
/** Urgent requests are admitted with a debt up to this. */
const URGENT_DEBT_MS = 1000;
/** Of the requests that may be under way, so many are left to urgent ones. */
const KEPT_FOR_URGENT = 2;
/** A request costs at most what the rate gives in this time, or is a single call. */
const REQUEST_MS = 250;
/** A longer wait is looked at again, because the rate or the queue may have changed. */
const LOOK_MS = 100;
/** The rate falls to no less than this part at once, and by at least the other. */
const [LOWERED_MIN, LOWERED_MAX] = [0.5, 0.8];
/** What was answered in a second came in bursts, so somewhat less is asked for. */
const ANSWERED_SHARE = 0.9;
/** So much a second it rises until it is refused again, */
const RISE_AT_FIRST = 1.5;
/** then so much up to this part of what was refused, */
const [RISE, NEAR_CEILING] = [1.1, 0.85];
/** and more slowly above. */
const RISE_NEAR = 1.005;
/** It rises only while at least this part of it is answered. */
const USED_SHARE = 0.25;
/** A ceiling that was met so long ago may be gone. */
const CEILING_KEPT_MS = 60_000;
/** A pause where the endpoint says nothing; it doubles while nothing is answered. */
const [PAUSE_MS, PAUSE_MAX_MS] = [250, 8000];
/** The lowest rate in calls a second, and the lowest that is tried first. */
const [SLOWEST, SLOWEST_AT_FIRST] = [0.25, 5];

export class EndpointPacer {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #cells: EndpointCells;
  /** As the operator set it; infinite if it is only learned. */
  readonly #creditsPerSecondMax: number;
  readonly #queue: Waiter[] = [];
  #isPumping = false;

  constructor(options: {
    readonly clock: Pick<Clock, 'monotonicMs'>;
    readonly cells: EndpointCells;
    readonly creditsPerSecond: number | null;
  }) {
    this.#clock = options.clock;
    this.#cells = options.cells;
    this.#creditsPerSecondMax = options.creditsPerSecond ?? Number.POSITIVE_INFINITY;
  }

  /** Credits a second; infinite if the endpoint was never seen to limit it. */
  get rate(): number {
    const learned = this.#cells.get('rate') / MILLI;
    return Math.min(learned === 0 ? Number.POSITIVE_INFINITY : learned, this.#creditsPerSecondMax);
  }

  /** What a request should cost at most, unless it is a single call. */
  get creditsAtOnce(): number {
    return (this.rate * REQUEST_MS) / 1000;
  }

  /** By the clock that refusals are told with. */
  get nowMs(): number {
    return this.#clock.monotonicMs();
  }

  /** How long the endpoint asked not to be sent anything. */
  get pauseMs(): number {
    return Math.max(0, this.#cells.get('pausedUntil') / US - this.#clock.monotonicMs());
  }

  /** Whether requests of this thread wait for their turn. */
  get isBusy(): boolean {
    return this.#queue.length > 0;
  }

  /** Resolves when the request may begin; `leave` must follow. */
  async enter(turn: Turn): Promise<void> {
    turn.signal?.throwIfAborted();
    const isNext = turn.isUrgent ? !this.#queue.some((one) => one.isUrgent) : !this.isBusy;
    if (isNext && this.#tryBegin(turn) === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sinceMs = this.#clock.monotonicMs();
    const waiter: Waiter = { ...turn, begin: resolve, fail: reject, sinceMs };
    const onAbort = () => {
      this.#drop(waiter);
      reject(turn.signal?.reason);
    };
    this.#queue.push(waiter);
    turn.signal?.addEventListener('abort', onAbort, { once: true });
    void this.#pump();
    await promise.finally(() => turn.signal?.removeEventListener('abort', onAbort));
  }

  leave(): void {
    this.#cells.end();
  }

  /** These credits were answered. */
  answered(credits: number): void {
    if (this.#cells.get('pauses') > 0) this.#cells.set('pauses', 0);
    this.#turnSecond();
    this.#cells.increase('answeredNow', credits);
  }

  /** The endpoint refused calls because of its rate; they were sent at this time. */
  refused(refusal: {
    readonly credits: number;
    readonly calls: number;
    readonly sentAtMs: number;
    readonly retryAfterMs: number | null;
  }): void {
    const { credits, calls, sentAtMs, retryAfterMs } = refusal;
    const nowMs = this.#clock.monotonicMs();
    const nowUs = nowMs * US;
    const ownMs = Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** Math.min(10, this.#cells.get('pauses')));
    this.#cells.raise('pausedUntil', Math.ceil((nowMs + (retryAfterMs ?? ownMs)) * US));
    // What was sent before the rate was lowered says nothing about the lower one.
    const loweredAtUs = this.#cells.get('rateLoweredAt');
    if (loweredAtUs > 0 && sentAtMs * US <= loweredAtUs) return;
    this.#cells.increase('pauses');
    const { rate } = this;
    const answered = this.#countAnswered();
    // It takes what it has answered, and less than with what it refused.
    const seen = Math.max(answered, (answered + credits) / 2) * ANSWERED_SHARE;
    // More was answered than the rate allows: the refusal is of a burst before it was lowered.
    if (seen >= rate) return;
    const lowered = Number.isFinite(rate)
      ? Math.max(rate * LOWERED_MIN, Math.min(rate * LOWERED_MAX, seen))
      : seen;
    const slowest = Number.isFinite(rate) ? SLOWEST : SLOWEST_AT_FIRST;
    this.#setRate(Math.max((slowest * credits) / calls, lowered), nowUs);
    this.#cells.set('rateCeiling', Number.isFinite(rate) ? Math.round(rate * MILLI) : 0);
    this.#cells.set('rateLoweredAt', Math.max(1, Math.ceil(nowUs)));
  }

  #setRate(creditsPerSecond: number, nowUs: number): void {
    this.#cells.set('rate', Math.max(1, Math.round(creditsPerSecond * MILLI)));
    this.#cells.set('rateAt', Math.ceil(nowUs));
  }

  /** Credits answered in the last second. */
  #countAnswered(): number {
    this.#turnSecond();
    const passedUs = this.#clock.monotonicMs() * US - this.#cells.get('secondAt');
    const before = this.#cells.get('answeredBefore') * Math.max(0, 1 - passedUs / SECOND_US);
    return this.#cells.get('answeredNow') + before;
  }

  #turnSecond(): void {
    const nowUs = Math.ceil(this.#clock.monotonicMs() * US);
    const passedUs = nowUs - this.#cells.get('secondAt');
    if (passedUs < SECOND_US) return;
    const isNext = passedUs < 2 * SECOND_US;
    this.#cells.set('answeredBefore', isNext ? this.#cells.get('answeredNow') : 0);
    this.#cells.set('answeredNow', 0);
    this.#cells.set('secondAt', isNext ? this.#cells.get('secondAt') + SECOND_US : nowUs);
  }

  /** 0 if it has begun; otherwise how long to wait before the next try. */
  #tryBegin({ credits, isUrgent }: Turn): number {
    const { pauseMs, rate } = this;
    if (pauseMs > 0) return pauseMs;
    const nowUs = this.#clock.monotonicMs() * US;
    if (Number.isFinite(rate)) {
      const debtMs = (this.#cells.get('spentUntil') - nowUs) / US;
      const waitMs = debtMs - (isUrgent ? URGENT_DEBT_MS : 0);
      if (waitMs > 0) {
        this.#raiseRate(rate, nowUs);
        return waitMs;
      }
    }
    if (!this.#cells.tryBegin(isUrgent ? 0 : KEPT_FOR_URGENT)) return Number.POSITIVE_INFINITY;
    if (Number.isFinite(rate)) this.#cells.spend('spentUntil', (credits / rate) * SECOND_US, nowUs);
    return 0;
  }

  /**
   * Called while something waits for the rate, and only raises one that is used: otherwise nothing
   * shows that more is possible.
   */
  #raiseRate(rate: number, nowUs: number): void {
    const sinceUs = nowUs - this.#cells.get('rateAt');
    if (this.#cells.get('rate') === 0 || sinceUs < SECOND_US) return;
    if (this.#countAnswered() < rate * USED_SHARE) return;
    const ceiling = this.#cells.get('rateCeiling') / MILLI;
    const isOld = nowUs - this.#cells.get('rateLoweredAt') > CEILING_KEPT_MS * US;
    const isFar = rate < ceiling * NEAR_CEILING || isOld;
    this.#setRate(rate * (ceiling === 0 ? RISE_AT_FIRST : isFar ? RISE : RISE_NEAR), nowUs);
  }

  #drop(waiter: Waiter): void {
    const at = this.#queue.indexOf(waiter);
    if (at >= 0) this.#queue.splice(at, 1);
  }

  /** Whose turn it is: urgent ones first, each in the order they came. */
  #findNext(): Waiter | undefined {
    return this.#queue.find((one) => one.isUrgent) ?? this.#queue[0];
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      for (let next = this.#findNext(); next !== undefined; next = this.#findNext()) {
        const waitMs = this.#tryBegin(next);
        if (waitMs === 0) {
          this.#drop(next);
          next.begin();
        } else if (this.#isTooLong(next)) {
          this.#drop(next);
          next.fail(new RpcError('rateLimited', 'no request may begin yet'));
        } else {
          await this.#wait(next, waitMs);
        }
      }
    } finally {
      this.#isPumping = false;
    }
  }

  async #wait(waiter: Waiter, waitMs: number): Promise<void> {
    try {
      if (Number.isFinite(waitMs)) await waiter.sleep(Math.ceil(Math.min(waitMs, LOOK_MS)));
      else await this.#cells.untilChanged(LOOK_MS);
    } catch (error) {
      this.#drop(waiter);
      waiter.fail(error);
    }
  }

  #isTooLong({ isUrgent, waitMaxMs, sinceMs }: Waiter): boolean {
    const waitedMs = isUrgent ? this.#clock.monotonicMs() - sinceMs : 0;
    return this.pauseMs > waitMaxMs || waitedMs > waitMaxMs;
  }
}
