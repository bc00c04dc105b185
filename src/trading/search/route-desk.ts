// Where searches for routes run: short ones at once on the main thread, long ones on threads.
//
// Nobody knows beforehand how long a search takes, so each begins here and is given up once it has
// done more than a short one does. What is searched here in one turn of the event loop is bounded,
// too: then whatever else waits, such as a read, comes first. Callers are served in turn.

import { AppError } from '../../errors/app-error.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import { searchTrade } from '../routing/find-trade-route.ts';
import { SearchWork, TooMuchWork } from '../routing/search-work.ts';
import { type TradePlan, toWholePlan, type WholePlan } from '../routing/trade-plan.ts';
import type { Searched, SearchThreads } from './search-threads.ts';

/** Some two milliseconds: ten times what an ordinary quote takes. */
export const SHORT_EVALUATIONS_MAX = 40_000;
/** Laying out a plan for a thread, by pool. */
const PLANNED_EVALUATIONS = 8;
const LONG_KNOWN_MAX = 2_000;
/** Amounts of about the same size take about the same work. */
const SIZE_BITS = 3;
const RETRY_AFTER_SECONDS = 1;
const QUEUE = { lengthMax: 2_048, perCallerMax: 512 };

interface DeskQuestion {
  /** Who asks, as limits tell callers apart. */
  readonly caller: string;
  /** Names the two assets. */
  readonly market: string;
  readonly amountIn: bigint;
  /** Called when the search begins: all that the plan holds is of that moment. */
  plan(): TradePlan;
}

interface Task {
  run(): void;
  /** Where there is no room for it. */
  refuse(): void;
}

function countPools({ levels, refusal }: WholePlan): number {
  const fields = Object.values(levels).flat();
  return fields.reduce((sum, { field }) => sum + field.pools.length, refusal.pools.length);
}

export class RouteDesk {
  readonly #threads: SearchThreads;
  readonly #queue = new FairQueue<Task>(QUEUE);
  /** Searches that were too long for here, so that their like are not begun here. */
  readonly #long = new BoundedMap<string, true>(LONG_KNOWN_MAX);
  /** What was done in this turn of the event loop. */
  #doneInTurn = 0;
  #isTurnWatched = false;

  constructor(threads: SearchThreads) {
    this.#threads = threads;
  }

  /** Rejects with what the plan throws, and with `OVERLOADED` where too many wait. */
  search(question: DeskQuestion): Promise<Searched> {
    return new Promise((resolve, reject) => {
      const run = () => {
        try {
          resolve(this.#search(question));
        } catch (error) {
          reject(error);
        }
      };
      const refuse = () => {
        reject(new AppError('OVERLOADED', {}, { retryAfterSeconds: RETRY_AFTER_SECONDS }));
      };
      if (this.#queue.length === 0 && this.#isTurnOpen) run();
      else this.#queue.push(question.caller, { run, refuse })?.refuse();
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

  #search({ caller, market, amountIn, plan: toPlan }: DeskQuestion): Searched | Promise<Searched> {
    const plan = toPlan();
    const size = amountIn.toString(2).length >> SIZE_BITS;
    const like = `${market} ${size}`;
    if (!this.#long.has(like)) {
      const searched = this.#searchHere(plan);
      if (searched !== null) return searched;
      this.#long.set(like, true);
    }
    const whole = toWholePlan(plan);
    this.#doneInTurn += countPools(whole) * PLANNED_EVALUATIONS;
    return this.#threads.search(whole, caller).then((searched) => {
      if (searched.work <= SHORT_EVALUATIONS_MAX) this.#long.delete(like);
      return searched;
    });
  }

  /** Null where it takes too long for here. */
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
