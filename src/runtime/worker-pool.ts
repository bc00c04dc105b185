// The worker processes of one port: starts them, replaces those that end, stops all.
//
// The workers accept from one socket, which Node's cluster module gives them. One of them starts
// first, because it upgrades the store.

import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import type { LedgerEntry, LedgerReply, StreamClaim } from '../access/limits/limit-ledger.ts';
import { MemoryLedger } from '../access/limits/memory-ledger.ts';
import { StartError } from '../errors/start-error.ts';
import type { Clock } from '../lib/clock.ts';
import { type Backoff, computeBackoffMs } from '../lib/retry.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { MetricsReading } from '../telemetry/metrics.ts';

// Messages between the supervisor and the workers that serve its port (`WORKERS`). What else they
// share is in the store.

/** What a worker is to do. */
export interface WorkerTask {
  /** Whether it starts before the others, because it upgrades the store. */
  readonly isFirst: boolean;
  /** Whether it replaces one that served: then it serves once it can answer everything. */
  readonly isReplacement: boolean;
}

/** What a worker asks about limits over all workers: as `LimitLedger` does. */
export interface Questions {
  readonly budgets: {
    readonly ask: readonly LedgerEntry[];
    readonly answer: readonly LedgerReply[];
  };
  readonly stream: { readonly ask: StreamClaim; readonly answer: boolean };
}

type Question = {
  [Of in keyof Questions]: { readonly of: Of; readonly ask: Questions[Of]['ask'] };
}[keyof Questions];

export type WorkerMessage =
  /** It listens to the supervisor, which sends nothing before. */
  | { readonly type: 'ready' }
  /** The store is open and upgraded: the other workers may start. */
  | { readonly type: 'opened' }
  | { readonly type: 'serving'; readonly url: string; readonly engine: Store['engine'] }
  /** It cannot serve, for this reason. */
  | { readonly type: 'failed'; readonly reason: string }
  /** Another process uses what only one may: all workers should stop. */
  | { readonly type: 'conflict'; readonly reason: string }
  | { readonly type: 'ask'; readonly id: number; readonly question: Question }
  /** As `LimitLedger.putStreams`. */
  | { readonly type: 'streams'; readonly counts: ReadonlyMap<string, number> }
  | { readonly type: 'metrics'; readonly id: number; readonly reading: MetricsReading };

export type PrimaryMessage =
  | ({ readonly type: 'begin' } & WorkerTask)
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'readMetrics'; readonly id: number }
  | { readonly type: 'stop' };

// The supervisor's ledger of what its workers spend: budgets and streams over all of them.

/** A worker, as the supervisor reaches it. */
export interface WorkerPort {
  send(message: PrimaryMessage): void;
}

export class WorkerHub {
  readonly #ledger: MemoryLedger<WorkerPort>;

  /** `identitiesMax`: of each policy. */
  constructor(options: { readonly identitiesMax: number; readonly clock: Clock }) {
    this.#ledger = new MemoryLedger(options);
  }

  leave(port: WorkerPort): void {
    this.#ledger.leave(port);
  }

  onMessage(port: WorkerPort, message: WorkerMessage): void {
    if (message.type === 'streams') this.#ledger.putStreams(port, message.counts);
    if (message.type !== 'ask') return;
    const { of, ask } = message.question;
    const answer = of === 'budgets' ? this.#ledger.settle(ask) : this.#ledger.takeStream(port, ask);
    port.send({ type: 'answer', id: message.id, answer });
  }
}

interface WorkerPoolOptions {
  readonly count: number;
  readonly hub: WorkerHub;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onReady: (worker: WorkerPort) => void;
  readonly onMessage: (worker: WorkerPort, message: WorkerMessage) => void;
  readonly onEnd: (worker: WorkerPort) => void;
  /** How long a worker that was told to stop may take. */
  readonly stopMaxMs: number;
}

interface Serving {
  readonly url: string;
  readonly engine: Extract<WorkerMessage, { type: 'serving' }>['engine'];
}

interface RunningWorker {
  readonly place: number;
  readonly process: Worker;
  readonly port: WorkerPort;
  readonly startedAtMs: number;
  /** Whether it listens: messages that come earlier are lost. */
  isReady: boolean;
  isServing: boolean;
}

/** A worker that lived this long counts as healthy. */
const HEALTHY_MS = 30_000;
const RESTART_BACKOFF: Backoff = { baseMs: 200, maxMs: 30_000 };

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  /** By place; null while a worker is about to be started. */
  readonly #running: (RunningWorker | null)[];
  /** How often the worker of a place has ended soon after its start. */
  readonly #failures: number[];
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #serving = Promise.withResolvers<Serving>();
  #hasServed = false;
  #isStopping = false;
  #onAllEnded: (() => void) | null = null;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#running = new Array<RunningWorker | null>(options.count).fill(null);
    this.#failures = new Array<number>(options.count).fill(0);
    // If the primary accepted, connections on their way to a worker that is killed would hang.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ serialization: 'advanced' });
    this.#start(0);
  }

  /** How many workers serve now. */
  get servingCount(): number {
    return this.#running.filter((one) => one?.isServing).length;
  }

  /** Resolves once every worker serves; rejects if one ends before. */
  get serving(): Promise<Serving> {
    return this.#serving.promise;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const running = this.#running.filter((one) => one !== null);
    if (running.length === 0) return;
    const ended = new Promise<void>((resolve) => {
      this.#onAllEnded = resolve;
    });
    for (const one of running) {
      if (one.isReady) one.port.send({ type: 'stop' });
      else one.process.process.kill();
    }
    const cut = setTimeout(() => {
      for (const one of this.#running) one?.process.process.kill('SIGKILL');
    }, this.#options.stopMaxMs);
    await ended;
    clearTimeout(cut);
  }

  #start(place: number): void {
    const startedAtMs = this.#options.clock.monotonicMs();
    let worker: Worker;
    try {
      worker = cluster.fork();
    } catch (error) {
      this.#replace(place, { startedAtMs }, { err: error });
      return;
    }
    const port: WorkerPort = {
      send: (message: PrimaryMessage) => {
        // It may be ending; then its exit says so.
        if (worker.isConnected()) worker.send(message, ignore);
      },
    };
    const running = {
      ...{ place, process: worker, port, startedAtMs },
      ...{ isReady: false, isServing: false },
    };
    this.#running[place] = running;
    worker.on('message', (message: WorkerMessage) => this.#onMessage(running, message));
    worker.on('error', (error) => {
      // The system could not create the process: no exit will follow.
      if (worker.process.pid === undefined) this.#end(running, { err: error });
    });
    worker.once('exit', (code, signal) => this.#end(running, { code, signal }));
  }

  #noteReady(running: RunningWorker): void {
    const { place, port } = running;
    running.isReady = true;
    if (this.#isStopping) {
      port.send({ type: 'stop' });
      return;
    }
    port.send({ type: 'begin', isFirst: place === 0, isReplacement: this.#hasServed });
    this.#options.onReady(port);
  }

  #onMessage(running: RunningWorker, message: WorkerMessage): void {
    if (message.type === 'ready') this.#noteReady(running);
    else if (message.type === 'opened') this.#startOthers();
    else if (message.type === 'serving') this.#noteServing(running, message);
    else if (message.type === 'failed') this.#noteFailed(message.reason);
    else {
      this.#options.hub.onMessage(running.port, message);
      this.#options.onMessage(running.port, message);
    }
  }

  #startOthers(): void {
    if (this.#hasServed || this.#isStopping) return;
    for (const [place, one] of this.#running.entries()) if (one === null) this.#start(place);
  }

  #noteServing(running: RunningWorker, { url, engine }: Serving): void {
    running.isServing = true;
    if (this.#hasServed || !this.#running.every((one) => one?.isServing)) return;
    this.#hasServed = true;
    this.#serving.resolve({ url, engine });
  }

  #noteFailed(reason: string): void {
    if (this.#hasServed) this.#options.logger.error({}, `a worker cannot serve: ${reason}`);
    else this.#serving.reject(new StartError(reason));
  }

  #end(running: RunningWorker, why: object): void {
    const { place, port } = running;
    if (this.#running[place] !== running) return;
    this.#running[place] = null;
    this.#options.hub.leave(port);
    this.#options.onEnd(port);
    if (!this.#isStopping) this.#replace(place, running, why);
    else if (this.#running.every((one) => one === null)) this.#onAllEnded?.();
  }

  #replace(place: number, { startedAtMs }: Pick<RunningWorker, 'startedAtMs'>, why: object): void {
    const { clock, logger } = this.#options;
    if (!this.#hasServed) {
      this.#serving.reject(new StartError('A worker ended; its output says why.'));
      return;
    }
    const isHealthy = clock.monotonicMs() - startedAtMs >= HEALTHY_MS;
    this.#failures[place] = isHealthy ? 0 : (this.#failures[place] ?? 0) + 1;
    const failures = this.#failures[place] ?? 0;
    const waitMs = failures === 0 ? 0 : computeBackoffMs(failures, RESTART_BACKOFF, Math.random);
    logger.error({ ...why, waitMs }, 'a worker ended and is replaced');
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#start(place);
    }, waitMs);
    this.#timers.add(timer);
  }
}

function ignore(): void {}
