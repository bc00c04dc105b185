// Fills in the history of tokens whose pools are older than the index, in the background and within
// a budget of calls: trades newest first, and transfers for holders.
//
//   request ─▶ two jobs in the store ─▶ steps, one job after the other ─▶ each commits between two
//   batches of the index: its rows and how far it has come, together
//
// A job is known by its row alone: killed at any moment, it goes on from its last commit.

import type { ChainAdapter } from '../../chains/adapter.ts';
import { HistoryUnavailableError } from '../../chains/chain-history.ts';
import { findRank, RANK_TOKEN } from '../../chains/quote-rule.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Random, Sleep } from '../../lib/retry.ts';
import { runSteps } from '../../lib/run-steps.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';
import { CallBudget } from '../read/call-budget.ts';
import { BackfillError } from './backfill-error.ts';
import type { BackfillIndex, BackfillStep } from './backfill-step.ts';
import { HistorySource } from './history-source.ts';
import { JobList } from './job-list.ts';
import { HolderSteps } from './plan-holder-step.ts';
import { TradeSteps } from './plan-trade-step.ts';
import type { TransferJournal } from './transfer-journal.ts';

interface BackfillerOptions {
  readonly adapter: ChainAdapter;
  readonly store: MarketStore;
  readonly journal: TransferJournal;
  /** Average requests to the node per minute. */
  readonly callsPerMinute: number;
  /** The maximum number of tokens whose history is waiting or being read. */
  readonly tokensMax: number;
  /** Whether the index is near the chain's head, which comes first. */
  readonly isAtHead: () => boolean;
  /** Has pools adopted; null if none ever are. */
  readonly adopt: ((pools: readonly PoolId[]) => void) | null;
  /** The balances of a token were replaced, so its supply must be read again. */
  readonly onJoined: (token: Address) => void;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: { warn(fields: object, message: string): void };
  /** How often to look for work while there is none. */
  readonly idleMs?: number;
}

export interface BackfillProgress {
  readonly waiting: number;
  readonly done: number;
  readonly failed: number;
  readonly calls: number;
}

/** Requests in memory; the newest stay. */
const REQUEST_COUNT_MAX = 1_000;

export class Backfiller {
  readonly #options: BackfillerOptions;
  readonly #budget: CallBudget;
  readonly #trades: TradeSteps;
  readonly #holders: HolderSteps;
  readonly #requests = new BoundedMap<Address, true>(REQUEST_COUNT_MAX);
  readonly #abort = new AbortController();
  /** The jobs in the store that are not done; null until they are read. */
  #jobs: JobList | null = null;
  #ready: BackfillStep[] = [];
  #done = 0;
  #failed = 0;
  #running: Promise<void> | null = null;

  constructor(options: BackfillerOptions) {
    this.#options = options;
    this.#budget = new CallBudget(options);
    const source = new HistorySource(options.adapter, this.#budget, this.#abort.signal);
    this.#trades = new TradeSteps({ ...options, source });
    this.#holders = new HolderSteps({ ...options, source });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  status(): BackfillProgress {
    return {
      waiting: this.#requests.size + (this.#jobs?.tokenCount ?? 0),
      done: this.#done,
      failed: this.#failed,
      calls: this.#budget.spent,
    };
  }

  /** Fills in the token's history; the newest request comes first. */
  request(token: Address): void {
    this.#requests.delete(token);
    this.#requests.set(token, true);
  }

  /** Joined balances above the new tip have gone back: the jobs are read again. */
  noteRollback(): void {
    this.#jobs = null;
    this.#ready = [];
  }

  /** Must be called between two commits; false if there was nothing to commit. */
  async commit(index: BackfillIndex): Promise<boolean> {
    const steps = this.#ready;
    this.#ready = [];
    if (steps.length === 0) return false;
    try {
      for (const step of steps) {
        const jobs = await step.commit(index);
        for (const job of jobs) this.#note(job);
        for (const token of step.forgotten ?? []) this.#jobs?.forget(token);
      }
    } catch (error) {
      this.#jobs = null;
      throw error;
    }
    return true;
  }

  #note(job: BackfillRecord): void {
    if (job.status === 'done' && job.joinBlock === null) this.#done += 1;
    if (job.status === 'done' && job.joinBlock !== null && job.memory !== '') this.#done += 1;
    if (job.status === 'failed') this.#failed += 1;
    this.#jobs?.set(job);
  }

  #run(): Promise<void> {
    const { log, adapter } = this.#options;
    return runSteps(() => this.#step(), {
      ...this.#options,
      signal: this.#abort.signal,
      onError: (error) =>
        log.warn({ chain: adapter.chain, err: error }, 'history could not be read'),
    });
  }

  /** True if there may be more to do at once. */
  async #step(): Promise<boolean> {
    const { store, adapter, isAtHead, clock } = this.#options;
    if (!isAtHead()) return false;
    const checkpoint = await store.readCheckpoint(adapter.chain);
    // A block before the first may still be reorganised away as long as it is not final.
    if (checkpoint === null || checkpoint.startBlock <= 1) return false;
    if (checkpoint.finalizedBlock < checkpoint.startBlock - 1) return false;
    this.#jobs ??= await JobList.load(store, adapter.chain);
    const jobs = this.#jobs;
    if (await this.#takeRequest(jobs, checkpoint)) return true;
    const job = jobs.take(clock.nowMs(), checkpoint);
    if (job === null) return false;
    const step = await this.#planStep(job, checkpoint).catch((error: unknown) => {
      jobs.postpone(job, clock.nowMs());
      throw error;
    });
    // A rollback has replaced the list meanwhile: the step may build on what it took back.
    if (jobs !== this.#jobs) return true;
    if (step === 'wait') jobs.postpone(job, clock.nowMs());
    else this.#ready.push(step);
    return true;
  }

  async #planStep(job: BackfillRecord, checkpoint: Checkpoint): Promise<BackfillStep | 'wait'> {
    const { log, adapter } = this.#options;
    try {
      const steps = job.kind === 'trades' ? this.#trades : this.#holders;
      return await steps.plan(job, checkpoint);
    } catch (error) {
      const isFinal = error instanceof BackfillError || error instanceof HistoryUnavailableError;
      if (!isFinal) throw error;
      const { token, kind } = job;
      const reason = error.message;
      log.warn({ chain: adapter.chain, token, kind, reason }, 'history cannot be filled in');
      const failed: BackfillRecord = { ...job, status: 'failed', reason };
      const commit = async (index: BackfillIndex) => {
        await index.commitBackfill({ token, jobs: [failed] });
        return [failed];
      };
      return { commit };
    }
  }

  /** Makes jobs of the newest request; false if there was none. */
  async #takeRequest(jobs: JobList, checkpoint: Checkpoint): Promise<boolean> {
    const token = [...this.#requests.keys()].at(-1);
    if (token === undefined) return false;
    this.#requests.delete(token);
    const { store, adapter, tokensMax, clock } = this.#options;
    // The assets that price others are traded in most pools of the chain.
    if (jobs.has(token) || findRank(adapter.assets, token) !== RANK_TOKEN) return true;
    const [row] = await store.readTokens(adapter.chain, [token]);
    const stored = await store.readBackfills(adapter.chain, [token]);
    const created = row === undefined ? [] : jobs.plan(row, stored, { checkpoint, clock });
    if (created.length === 0) return true;
    const dropped = jobs.findRoom(tokensMax);
    if (dropped === 'none') return true;
    const forgotten = dropped === null ? [] : [dropped];
    this.#ready.push({
      forgotten,
      commit: async (index) => {
        await index.commitBackfill({ token, jobs: created, forgotten });
        return created;
      },
    });
    // Until the commit the list does not know of them.
    for (const job of created) jobs.set(job, true);
    return true;
  }
}
