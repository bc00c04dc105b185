// Runs route searches: short ones at once on the main thread, long ones on threads.
//
// How long a search takes is not known beforehand, so each begins here and is abandoned once it
// exceeds the work of a short one. The work per turn of the event loop is limited, too, so that
// other requests, such as reads, come first. Callers are served in turn.

import { BoundedMap } from '../../lib/bounded-map.ts';
import { FairQueue, type WatchedCaller } from '../../lib/fair-queue.ts';
import { nextTurn } from '../../lib/next-turn.ts';
import { WorkSlots } from '../../lib/work-slots.ts';
import { searchTrade } from '../routing/find-trade-route.ts';
import { SearchWork, TooMuchWork } from '../routing/search-work.ts';
import {
  type GivenAmount,
  type TradePlan,
  toWholePlan,
  type WholePlan,
} from '../routing/trade-plan.ts';
import { buildOverloadedError, type Searched, type SearchThreads } from './search-threads.ts';

/** Some two milliseconds: ten times an ordinary quote. */
export const SHORT_EVALUATIONS_MAX = 40_000;
/** The work per pool of preparing a plan for a thread. */
const PLANNED_EVALUATIONS = 8;
/** The assumed cost of a long search until a similar one has ended; few cost less. */
const UNKNOWN_EVALUATIONS = 200_000;
const LONG_KNOWN_MAX = 2_000;
const SIZE_BITS = 3;
/** Long requests that are planned while others search, so that no thread waits for one. */
const PLANNED_MAX = 1;
const QUEUE = { lengthMax: 2_048, perCallerMax: 512 };

/** Who pays for a search, in evaluations. */
export interface SearchMeter {
  /** Charges the cost of a similar earlier search in advance; throws if the caller cannot pay. */
  prepay(evaluations: number): void;
  /** Called once with the work done, even if the search failed; settles the difference. */
  settle(evaluations: number): void;
}

/** What is known of a search before it begins; `watchCaller` is called if it has to wait. */
interface ScheduledRequest extends WatchedCaller {
  /** Names the two assets. */
  readonly market: string;
  readonly size: GivenAmount;
}

interface ScheduledQuestion extends ScheduledRequest {
  readonly meter: SearchMeter;
  /** Called when the search begins: the plan reflects that moment. */
  plan(): TradePlan;
}

interface Task {
  run(): void;
  /** Called if there is no room for it. */
  refuse(): void;
}

/** Amounts of about the same size take about the same work. */
function groupQuestion({ market, size }: ScheduledRequest): string {
  return `${market} ${size.fixed} ${size.amountRaw.toString(2).length >> SIZE_BITS}`;
}

function countPools({ levels, refusal }: WholePlan): number {
  const fields = Object.values(levels).flat();
  const refused = [refusal.all, ...(refusal.ofRouters ?? [])];
  const all = [...fields.map(({ field }) => field), ...refused];
  return all.reduce((sum, { pools }) => sum + pools.length, 0);
}

export class RouteScheduler {
  readonly #threads: SearchThreads;
  /**
   * Only few requests with long searches work at once; the others wait before they begin. One that
   * waits with its work half done is moved to V8's old heap, and with it all that its promises get
   * later: a route with a hundred legs, its price and its answer. Copying those took 5 of the 8 ms
   * that a read had to wait for. A request that has not begun holds next to nothing.
   */
  readonly #longSearches: WorkSlots;
  readonly #queue = new FairQueue<Task>(QUEUE);
  /** The work of long searches, by group: the next of a group is prepaid and skips this thread. */
  readonly #long = new BoundedMap<string, number>(LONG_KNOWN_MAX);
  /** What was done in this turn of the event loop. */
  #doneInTurn = 0;
  #isTurnWatched = false;

  constructor(threads: SearchThreads) {
    this.#threads = threads;
    const { threadCountMax, queueLimits: queue } = threads;
    const countMax = threadCountMax + PLANNED_MAX;
    // While one is being answered other requests come before the next.
    const pause = nextTurn;
    this.#longSearches = new WorkSlots({
      ...{ countMax, queue, pause, buildError: buildOverloadedError },
    });
  }

  /** Long searches that wait. */
  get waiting(): number {
    return this.#longSearches.waiting + this.#threads.waiting;
  }

  /**
   * Runs a request. If its search is known to be long, it begins when there is room, and calls
   * `leave` when it has searched. Rejects with `OVERLOADED` like `search`.
   */
  inTurn<T>(request: ScheduledRequest, work: (leave: () => void) => Promise<T>): Promise<T> {
    const isLong = this.#long.has(groupQuestion(request));
    return isLong ? this.#longSearches.run(work, request) : work(() => {});
  }

  /**
   * Rejects with errors of the plan and the meter, and with `OVERLOADED` if the queue is full or
   * the caller disconnects before its turn.
   */
  search(question: ScheduledQuestion): Promise<Searched> {
    return new Promise((resolve, reject) => {
      const task: Task = {
        run: () => resolve(this.#search(question)),
        refuse: () => {
          reject(buildOverloadedError());
        },
      };
      if (this.#queue.length === 0 && this.#isTurnOpen) task.run();
      else this.#queue.push(question, task);
      this.#watchTurn();
    });
  }

  get #isTurnOpen(): boolean {
    return this.#doneInTurn < SHORT_EVALUATIONS_MAX;
  }

  #watchTurn(): void {
    if (this.#isTurnWatched || (this.#doneInTurn === 0 && this.#queue.length === 0)) return;
    this.#isTurnWatched = true;
    setImmediate(() => {
      this.#isTurnWatched = false;
      this.#doneInTurn = 0;
      while (this.#isTurnOpen) {
        const task = this.#queue.shift();
        if (task === undefined) break;
        task.run();
      }
      this.#watchTurn();
    });
  }

  /** A short search ends synchronously. */
  async #search(question: ScheduledQuestion): Promise<Searched> {
    const { meter } = question;
    const like = groupQuestion(question);
    const known = this.#long.get(like);
    let work = 0;
    try {
      if (known !== undefined) meter.prepay(known);
      const plan = question.plan();
      const searched = known === undefined ? this.#searchHere(plan) : null;
      if (searched !== null) {
        work = searched.work;
        return searched;
      }
      this.#long.set(like, known ?? UNKNOWN_EVALUATIONS);
      const whole = toWholePlan(plan);
      const planned = countPools(whole) * PLANNED_EVALUATIONS;
      this.#doneInTurn += planned;
      work = planned;
      const { search, work: done } = await this.#threads.search(whole, question);
      // Reading the result took a while, and so does what follows: requests come in between.
      await nextTurn();
      // A short search costs the same on any thread.
      work = done > SHORT_EVALUATIONS_MAX ? planned + done : done;
      this.#remember(like, work);
      return { search, work };
    } finally {
      meter.settle(work);
    }
  }

  #remember(like: string, work: number): void {
    if (work > SHORT_EVALUATIONS_MAX) this.#long.set(like, work);
    else this.#long.delete(like);
  }

  /** Null if it takes too long for the main thread. */
  #searchHere(plan: TradePlan): Searched | null {
    const work = new SearchWork({ leaveAt: SHORT_EVALUATIONS_MAX });
    try {
      const search = searchTrade(plan, work);
      return { search, work: work.count };
    } catch (error) {
      if (error instanceof TooMuchWork) return null;
      throw error;
    } finally {
      this.#doneInTurn += work.count;
    }
  }
}
