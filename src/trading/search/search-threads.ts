// Runs long searches on threads, so that nothing else waits for them.
//
// A thread runs one search at a time. Plans wait in a bounded queue that serves callers in turn. If
// a thread fails, only its current search fails with it (503), and the next search starts another
// thread.

import type { TickList } from '../../amm/tick-list.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { FairQueue, type FairQueueLimits, type WatchedCaller } from '../../lib/fair-queue.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { TradeSearch } from '../routing/find-trade-route.ts';
import type { FieldPlan } from '../routing/route-field.ts';
import { toPlannedRouter, type WholePlan } from '../routing/trade-plan.ts';
import {
  receiveSearch,
  type SearchCommand,
  type SearchMessage,
  type SentField,
  type SentPlan,
  type SentPool,
  type SentTicks,
} from './search-message.ts';

// The error of a search that finds no room.

const RETRY_AFTER_SECONDS = 1;

export function buildOverloadedError(cause?: Error): AppError {
  return new AppError('OVERLOADED', {}, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

// Tracks which pools a search thread has, so that each is sent once.

/** With more than this beyond the pools of the current search, a thread's cache is cleared. */
const POOLS_MAX = 4_096;
const TICKS_MAX = 200_000;
/** Ticks copied at once: less than a millisecond. */
const TICKS_AT_ONCE_MAX = 4_000;
const POOLS_AT_ONCE_MAX = 256;

function listPools(plan: WholePlan): Set<GraphPool> {
  const pools = new Set<GraphPool>();
  const fields = Object.values(plan.levels).flatMap((plans) => plans.map(({ field }) => field));
  const { all, ofRouters } = plan.refusal;
  for (const field of [...fields, all, ...(ofRouters ?? [])])
    for (const { pool } of field.pools) pools.add(pool);
  return pools;
}

export class SentPools {
  readonly #numbers = new Map<GraphPool, number>();
  readonly #pools = new Map<number, GraphPool>();
  readonly #tables = new Map<TickList, number>();
  #tickCount = 0;
  #last = 0;

  get size(): number {
    return this.#numbers.size;
  }

  /** How many ticks the thread caches for its pools. */
  get tickCount(): number {
    return this.#tickCount;
  }

  findPool(number: number): GraphPool {
    const pool = this.#pools.get(number);
    if (pool === undefined) throw new Error(`no pool has the number ${number}`);
    return pool;
  }

  /** Everything that the thread needs to search a plan, in pieces that are each copied quickly. */
  *send(plan: WholePlan, job: number): Generator<SearchCommand> {
    const needed = listPools(plan);
    if (this.#isFull(needed)) {
      this.#clear();
      yield { kind: 'clear' };
    }
    yield* this.#sendNew(needed);
    yield { kind: 'search', job, plan: this.#encodePlan(plan) };
  }

  *#sendNew(needed: ReadonlySet<GraphPool>): Generator<SearchCommand> {
    let [pools, ticks, tickCount]: [SentPool[], SentTicks[], number] = [[], [], 0];
    for (const pool of needed) {
      if (this.#numbers.has(pool)) continue;
      const table = pool.curve.ticks;
      if (table !== null && !this.#tables.has(table)) {
        ticks.push({ number: this.#addTable(table), ticks: table.ticks, nets: table.nets });
        tickCount += table.size;
      }
      pools.push(this.#addPool(pool));
      if (tickCount < TICKS_AT_ONCE_MAX && pools.length < POOLS_AT_ONCE_MAX) continue;
      yield { kind: 'pools', ticks, pools };
      [pools, ticks, tickCount] = [[], [], 0];
    }
    if (pools.length > 0) yield { kind: 'pools', ticks, pools };
  }

  #addTable(table: TickList): number {
    this.#last += 1;
    this.#tables.set(table, this.#last);
    this.#tickCount += table.size;
    return this.#last;
  }

  #addPool(pool: GraphPool): SentPool {
    this.#last += 1;
    const number = this.#last;
    this.#numbers.set(pool, number);
    this.#pools.set(number, pool);
    const { curve, ...rest } = pool;
    const table = curve.ticks && this.#tables.get(curve.ticks);
    if (table === undefined) throw new Error('a pool was sent before its ticks');
    return { ...rest, number, plainCurve: curve.toPlain(), table };
  }

  #isFull(needed: ReadonlySet<GraphPool>): boolean {
    const tables = new Set<TickList>();
    for (const { curve } of needed) if (curve.ticks !== null) tables.add(curve.ticks);
    let ticksNeeded = 0;
    for (const { size } of tables) ticksNeeded += size;
    const poolsBeside = this.#numbers.size - needed.size;
    return poolsBeside > POOLS_MAX || this.#tickCount - ticksNeeded > TICKS_MAX;
  }

  #clear(): void {
    this.#numbers.clear();
    this.#pools.clear();
    this.#tables.clear();
    this.#tickCount = 0;
  }

  #encodeField({ pools }: FieldPlan): SentField {
    const numbers = new Uint32Array(pools.length);
    const ways = new Uint8Array(pools.length);
    for (const [index, one] of pools.entries()) {
      numbers[index] = this.#numbers.get(one.pool) ?? 0;
      ways[index] = one.ways;
    }
    return { numbers, ways };
  }

  #encodePlan({ levels, refusal, size, outPerUnit, costs }: WholePlan): SentPlan {
    const encodeLevel = (plans: WholePlan['levels'][keyof WholePlan['levels']]) =>
      plans.map(({ taxes, router, field }) => ({
        taxes,
        router: router && toPlannedRouter(router),
        ...this.#encodeField(field),
      }));
    const { assetIn, assetOut, native } = refusal.all;
    return {
      ...{ size, outPerUnit, costs, assetIn, assetOut, native },
      levels: {
        strict: encodeLevel(levels.strict),
        loose: encodeLevel(levels.loose),
        any: encodeLevel(levels.any),
      },
      refusal: {
        all: this.#encodeField(refusal.all),
        ofRouters: refusal.ofRouters?.map((field) => this.#encodeField(field)) ?? null,
        isTaxRefused: refusal.isTaxRefused,
      },
    };
  }
}

/** A thread as controlled from here. */
export interface SearchThread {
  post(command: SearchCommand): void;
  /** Terminates it at once. */
  end(): Promise<void>;
}

export interface ThreadEvents {
  onMessage(message: SearchMessage): void;
  /** Called once, for any cause. */
  onEnd(cause: Error): void;
}

export interface SearchThreadsOptions {
  readonly startThread: (events: ThreadEvents) => SearchThread;
  readonly threadCountMax: number;
  readonly queue: FairQueueLimits;
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
}

export interface Searched {
  readonly search: TradeSearch;
  /** In evaluations. */
  readonly work: number;
}

interface SearchJob {
  readonly number: number;
  readonly plan: WholePlan;
  resolve(searched: Searched): void;
  reject(error: Error): void;
  refuse(): void;
}

interface Running {
  readonly thread: SearchThread;
  readonly sent: SentPools;
  job: SearchJob | null;
  timer: NodeJS.Timeout | null;
  /** Whether it has returned any result yet. */
  hasAnswered: boolean;
}

/** No search takes nearly this long; one that does will never end. */
const SEARCH_MS_MAX = 30_000;
/** After a thread failed at its first search, none is started for this long. */
const REST_MS = 1_000;

export class SearchThreads {
  readonly #options: SearchThreadsOptions;
  readonly #queue: FairQueue<SearchJob>;
  readonly #running = new Set<Running>();
  readonly #ending = new Set<Promise<void>>();
  #jobCount = 0;
  #restUntilMs = 0;
  #isStopped = false;

  constructor(options: SearchThreadsOptions) {
    this.#options = options;
    this.#queue = new FairQueue(options.queue);
  }

  /** Plans that wait for a thread. */
  get waiting(): number {
    return this.#queue.length;
  }

  get threadCountMax(): number {
    return this.#options.threadCountMax;
  }

  get queueLimits(): SearchThreadsOptions['queue'] {
    return this.#options.queue;
  }

  get threadCount(): number {
    return this.#running.size;
  }

  /**
   * Rejects with `OVERLOADED` if the queue is full, the thread fails, or the caller disconnects
   * before a thread starts. The caller is watched if the plan has to wait.
   */
  search(plan: WholePlan, caller: WatchedCaller): Promise<Searched> {
    if (this.#isStopped || this.#isResting) return Promise.reject(buildOverloadedError());
    return new Promise((resolve, reject) => {
      this.#jobCount += 1;
      const refuse = () => reject(buildOverloadedError());
      const job: SearchJob = { number: this.#jobCount, plan, resolve, reject, refuse };
      const running = this.#queue.length === 0 ? this.#findIdle() : null;
      if (running !== null) this.#begin(running, job);
      else if (this.#isResting) refuse();
      else this.#queue.push(caller, job);
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#refuseWaiting();
    for (const running of [...this.#running])
      this.#end(running, new Error('the service is stopping'));
    await Promise.all(this.#ending);
  }

  get #isResting(): boolean {
    return this.#options.clock.monotonicMs() < this.#restUntilMs;
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const running = this.#findIdle();
      if (running === null) return;
      const job = this.#queue.shift();
      if (job === undefined) return;
      this.#begin(running, job);
    }
  }

  #begin(running: Running, job: SearchJob): void {
    running.job = job;
    running.timer = setTimeout(() => {
      this.#end(running, new Error(`a search took longer than ${SEARCH_MS_MAX} ms`));
    }, SEARCH_MS_MAX);
    this.#send(running, running.sent.send(job.plan, job.number));
  }

  /** An idle thread, a new one, or null if all are busy. */
  #findIdle(): Running | null {
    for (const running of this.#running) if (running.job === null) return running;
    return this.#running.size < this.#options.threadCountMax ? this.#start() : null;
  }

  /** Null if the system cannot start another thread. */
  #start(): Running | null {
    try {
      const running: Running = {
        thread: this.#options.startThread({
          onMessage: (message) => this.#finish(running, message),
          onEnd: (cause) => this.#end(running, cause),
        }),
        ...{ sent: new SentPools(), job: null, timer: null, hasAnswered: false },
      };
      this.#running.add(running);
      return running;
    } catch (error) {
      this.#options.log.error({ err: error }, 'a search thread failed');
      this.#rest();
      return null;
    }
  }

  /** Piece by piece, with other work in between: copying pools with many ticks takes long. */
  #send(running: Running, commands: Iterator<SearchCommand>): void {
    if (!this.#running.has(running)) return;
    try {
      const { value, done } = commands.next();
      if (done === true) return;
      running.thread.post(value);
      if (value.kind === 'pools') setImmediate(() => this.#send(running, commands));
      else this.#send(running, commands);
    } catch (error) {
      // The state of the thread is unknown now.
      this.#end(running, error as Error);
    }
  }

  #finish(running: Running, { job: number, work, search }: SearchMessage): void {
    const { job, sent } = running;
    if (job === null || job.number !== number) return;
    running.hasAnswered = true;
    try {
      job.resolve({ work, search: receiveSearch(search, (one) => sent.findPool(one)) });
    } catch (error) {
      this.#end(running, error as Error);
      return;
    }
    this.#release(running);
    this.#dispatch();
  }

  #release(running: Running): void {
    if (running.timer !== null) clearTimeout(running.timer);
    running.timer = null;
    running.job = null;
  }

  /** Also called when it has ended by itself. */
  #end(running: Running, cause: Error): void {
    if (!this.#running.delete(running)) return;
    const { job } = running;
    this.#release(running);
    const ended = running.thread.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
    if (this.#isStopped) {
      job?.reject(buildOverloadedError());
      return;
    }
    this.#options.log.error({ err: cause }, 'a search thread failed');
    job?.reject(buildOverloadedError(cause));
    // A thread that cannot start must not be restarted in a loop.
    if (running.hasAnswered) this.#dispatch();
    else this.#rest();
  }

  #rest(): void {
    this.#restUntilMs = this.#options.clock.monotonicMs() + REST_MS;
    this.#refuseWaiting();
  }

  #refuseWaiting(): void {
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      job.refuse();
    }
  }
}
