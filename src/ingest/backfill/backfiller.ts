// Fills in the history of tokens whose pools are older than the index, in the background and within
// a budget of calls: trades newest first, and transfers for holders.
//
//   request ─▶ two jobs in the store ─▶ steps, one job after the other ─▶ each commits between two
//   batches of the index: its rows and how far it has come, together
//
// A job is known by its row alone: killed at any moment, it goes on from its last commit.

import type { ChainAdapter } from '../../chains/adapter.ts';
import { HistoryUnavailableError } from '../../chains/chain-history.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { orderInTurns } from '../../lib/order-in-turns.ts';
import type { Random, Sleep } from '../../lib/retry.ts';
import { runSteps } from '../../lib/run-steps.ts';
import type { BackfillKind, BackfillRecord } from '../../model/backfill.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';
import { CallBudget } from '../read/call-budget.ts';
import type { ChainScope } from '../scope/chain-scope.ts';
import { BackfillError } from './backfill-error.ts';
import type { BackfillIndex, BackfillStep } from './backfill-step.ts';
import { FollowedFrom } from './followed-from.ts';
import { HistorySource } from './history-source.ts';
import { isOutdated, JobList, planJobs } from './job-list.ts';
import { HolderSteps } from './plan-holder-step.ts';
import { SnapshotSteps } from './plan-snapshot-step.ts';
import { keepsOlder, TradeSteps } from './plan-trade-step.ts';
import type { TransferJournal } from './transfer-journal.ts';

interface BackfillerOptions {
  readonly adapter: ChainAdapter;
  readonly store: MarketStore;
  readonly journal: TransferJournal;
  /** Average requests to the node per minute. */
  readonly callsPerMinute: number;
  /** Which tokens are indexed; all by default. */
  readonly scope?: ChainScope | null;
  /** The maximum number of tokens whose history is waiting or being read. */
  readonly tokensMax: number;
  /** Whether the index is near the chain's head, which comes first. */
  readonly isAtHead: () => boolean;
  /** Has pools adopted; null if none ever are. */
  readonly adopt: ((pools: readonly PoolId[]) => void) | null;
  /** The hash of an indexed block that is not older than the final one; null if there is none. */
  readonly findHash: (position: number) => string | null;
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

/**
 * Why history is requested: a client asks for the token, which may be often; it was looked up for
 * one; or a pool of it was adopted, or its decimals are known now, which nobody waits for.
 */
type HistoryCause = 'asked' | 'found' | 'adopted' | 'named';

/** Requests in memory; the newest stay. */
const REQUEST_COUNT_MAX = 1_000;
/** Those of one caller, so that a few callers cannot displace the requests of all others. */
const CALLER_REQUESTS_MAX = 32;
/** Steps that wait for their commit; fewer if each may hold a list of all holders. */
const READY_MAX = 16;
const READY_LISTS_MAX = 2;
/** Steps that are committed in a row: a new block comes before the others. */
const COMMITTED_MAX = 4;
/** How often a token whose jobs exist is checked again because clients ask for it. */
const CHECK_AGAIN_MS = 600_000;
const CHECKED_MAX = 10_000;
/** Of all requests whose caller is not known. */
const NO_CALLER = '';

export class Backfiller {
  readonly #options: BackfillerOptions;
  readonly #budget: CallBudget;
  readonly #followed: FollowedFrom;
  readonly #trades: TradeSteps;
  /** By transfers or, without history, by a list of them. */
  readonly #holders: HolderSteps | SnapshotSteps;
  readonly #kinds: readonly BackfillKind[];
  readonly #readyMax: number;
  /** Whether a client asked, by token. */
  readonly #requests = new BoundedMap<Address, boolean>(REQUEST_COUNT_MAX);
  /** Who asked for tokens: clients by their address group. */
  readonly #callers = new BoundedMap<Address, string>(CHECKED_MAX);
  /** When tokens were found to need nothing. */
  readonly #checkedAtMs = new BoundedMap<Address, number>(CHECKED_MAX);
  readonly #abort = new AbortController();
  /** The jobs in the store that are not done; null until they are read. */
  #jobs: JobList | null = null;
  /** Changes with every rollback: what was read before may be void. */
  #generation = 0;
  #ready: BackfillStep[] = [];
  /** Tokens out of scope whose jobs are deleted already. */
  readonly #left = new Set<Address>();
  #done = 0;
  #failed = 0;
  #running: Promise<void> | null = null;

  constructor(options: BackfillerOptions) {
    this.#options = options;
    this.#budget = new CallBudget(options);
    this.#followed = new FollowedFrom(options);
    const source = new HistorySource(options.adapter, this.#budget, this.#abort.signal);
    this.#trades = new TradeSteps({ ...options, source, followed: this.#followed });
    const hasHistory = options.adapter.history !== undefined;
    const holderOptions = { ...options, source, signal: this.#abort.signal };
    this.#holders = hasHistory ? new HolderSteps(holderOptions) : new SnapshotSteps(holderOptions);
    this.#readyMax = hasHistory ? READY_MAX : READY_LISTS_MAX;
    this.#kinds = hasHistory ? ['trades', 'holders'] : ['holders'];
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

  /** Fills in the token's history; clients come first, each one's newest request first. */
  request(token: Address, cause: HistoryCause = 'asked', caller = NO_CALLER): void {
    const checkedAtMs = this.#checkedAtMs.get(token) ?? Number.NEGATIVE_INFINITY;
    const isRecent = this.#options.clock.nowMs() - checkedAtMs < CHECK_AGAIN_MS;
    if (cause === 'asked' && isRecent) return;
    const isAsked = cause === 'asked' || cause === 'found';
    if (!isAsked && this.#requests.size >= REQUEST_COUNT_MAX) return;
    const wasAsked = this.#requests.get(token) ?? false;
    if (cause === 'asked') this.#noteCaller(token, caller);
    this.#requests.delete(token);
    this.#requests.set(token, isAsked || wasAsked);
  }

  /** The first caller stays until the token is done. */
  #noteCaller(token: Address, caller: string): void {
    if (!this.#requests.get(token) && !this.#jobs?.has(token)) this.#callers.delete(token);
    if (caller === NO_CALLER || this.#callers.has(token)) return;
    this.#callers.set(token, caller);
    const own = [...this.#requests.keys()].filter((one) => this.#findCaller(one) === caller);
    const [oldest] = own;
    if (oldest !== undefined && own.length >= CALLER_REQUESTS_MAX) this.#requests.delete(oldest);
  }

  readonly #findCaller = (token: Address): string => this.#callers.get(token) ?? NO_CALLER;

  /** Joined balances above the new tip have gone back: the jobs are read again. */
  noteRollback(): void {
    this.#reset(this.#ready);
  }

  /** Nothing that was planned is committed. */
  #reset(lost: readonly BackfillStep[]): void {
    this.#generation += 1;
    this.#jobs = null;
    this.#ready = [];
    for (const { requested } of lost) if (requested !== undefined) this.request(requested, 'found');
  }

  /** Must be called between two commits; false if there was nothing to commit. */
  async commit(index: BackfillIndex): Promise<boolean> {
    const steps = this.#ready.splice(0, COMMITTED_MAX);
    try {
      for (const step of steps) {
        const jobs = await step.commit(index);
        for (const job of jobs) this.#note(job);
      }
    } catch (error) {
      this.#reset([...steps, ...this.#ready]);
      throw error;
    }
    return steps.length > 0;
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
    if (!isAtHead() || this.#ready.length >= this.#readyMax) return false;
    const generation = this.#generation;
    const checkpoint = await store.readCheckpoint(adapter.chain);
    if (checkpoint === null) return false;
    const jobs = this.#jobs ?? (await JobList.load(store, adapter.chain, this.#findCaller));
    // A rollback meanwhile: what was read may be void.
    if (generation !== this.#generation) return true;
    this.#jobs = jobs;
    const at = { jobs, checkpoint };
    const request = await (this.#planForgetting(at) ?? this.#takeRequest(at));
    if (generation !== this.#generation) return true;
    if (request !== null) {
      if (request !== 'nothing') this.#ready.push(request);
      return true;
    }
    const isInScope = (token: Address) => this.#followed.findToken(token, checkpoint) !== null;
    const job = jobs.take(clock.nowMs(), checkpoint, isInScope);
    if (job === null) return false;
    const step = await this.#planStep(job, checkpoint).catch((error: unknown) => {
      jobs.postpone(job, clock.nowMs());
      throw error;
    });
    if (generation !== this.#generation) return true;
    if (step === 'wait') jobs.postpone(job, clock.nowMs());
    else this.#ready.push(step);
    return true;
  }

  async #planStep(job: BackfillRecord, checkpoint: Checkpoint): Promise<BackfillStep | 'wait'> {
    const { log, adapter, clock, journal } = this.#options;
    try {
      const steps = job.kind === 'trades' ? this.#trades : this.#holders;
      return await steps.plan(job, checkpoint);
    } catch (error) {
      const isFinal = error instanceof BackfillError || error instanceof HistoryUnavailableError;
      if (!isFinal) throw error;
      const { token, kind } = job;
      const reason = error.message;
      log.warn({ chain: adapter.chain, token, kind, reason }, 'history cannot be filled in');
      if (kind === 'holders') journal.forget(token);
      // It may be requested again some time after this one.
      const requestedAtMs = clock.nowMs();
      return this.#buildStep(token, [{ ...job, status: 'failed', reason, requestedAtMs }]);
    }
  }

  #buildStep(
    token: Address,
    jobs: readonly BackfillRecord[],
    forgotten: readonly Address[] = [],
  ): BackfillStep {
    return {
      commit: async (index) => {
        await index.commitBackfill({ token, jobs, forgotten });
        return jobs;
      },
    };
  }

  /** Deletes the jobs of a token that left the scope for good; null if there is none. */
  #planForgetting({ jobs, checkpoint }: PlanContext): Promise<BackfillStep | 'nothing'> | null {
    const { scope } = this.#options;
    for (const token of scope?.listLeft() ?? []) {
      if (this.#left.has(token) || jobs.isBusy(token)) continue;
      const leftBlock = scope?.findEntry(token)?.leftBlock ?? null;
      // A rollback could bring it back, with what its jobs have stored.
      if (leftBlock === null || leftBlock > checkpoint.finalizedBlock) continue;
      return this.#forget(token, jobs);
    }
    return null;
  }

  async #forget(token: Address, jobs: JobList): Promise<BackfillStep | 'nothing'> {
    const { store, adapter } = this.#options;
    const generation = this.#generation;
    const stored = await store.readBackfills(adapter.chain, [token]);
    if (generation !== this.#generation) return 'nothing';
    this.#left.add(token);
    this.#drop(token, jobs);
    return stored.length === 0 ? 'nothing' : this.#buildStep(token, [], [token]);
  }

  #drop(token: Address, jobs: JobList): void {
    jobs.forget(token);
    this.#options.journal.forget(token);
    this.#checkedAtMs.delete(token);
  }

  /** The next request that can be decided on; null if there is none. */
  #pickRequest({ jobs, checkpoint }: PlanContext): Address | null {
    const tokens = [...this.#requests.keys()].reverse();
    const asked = tokens.filter((token) => this.#requests.get(token));
    for (const token of [...orderInTurns(asked, this.#findCaller), ...tokens]) {
      const start = this.#followed.findToken(token, checkpoint);
      // The block before may still be reorganised away as long as it is not final.
      if (start !== null && start.fromBlock - 1 > checkpoint.finalizedBlock) continue;
      if (!jobs.isBusy(token)) return token;
    }
    return null;
  }

  /** Makes jobs of the next request; null if there was none. */
  async #takeRequest(at: PlanContext): Promise<BackfillStep | 'nothing' | null> {
    const token = this.#pickRequest(at);
    if (token === null) return null;
    const isAsked = this.#requests.get(token) ?? false;
    this.#requests.delete(token);
    const { jobs, checkpoint } = at;
    const { store, adapter, clock, tokensMax, journal } = this.#options;
    const start = this.#followed.findToken(token, checkpoint);
    if (start === null) return 'nothing';
    const hasOlder = keepsOlder(adapter.assets, token, start);
    const kinds = this.#kinds.filter((kind) => kind === 'trades' || hasOlder);
    const nowMs = clock.nowMs();
    if (isAsked) jobs.promote(token, nowMs);
    const generation = this.#generation;
    const [row] = await store.readTokens(adapter.chain, [token]);
    const stored = await store.readBackfills(adapter.chain, [token]);
    if (row === undefined) return 'nothing';
    const request = { start, nowMs, isAsked };
    const current = stored.filter((job) => !isOutdated(job, start));
    // An index of the whole chain lacks nothing but prices.
    const isWhole = start.fromBlock <= 1;
    const again = await this.#planAgain(current);
    const isLacking = !isWhole || (await this.#trades.findPriced(token)) > 0;
    const created = planJobs(row, stored, { ...request, kinds: isLacking ? kinds : [] }).filter(
      ({ kind }) => kind !== again?.kind,
    );
    if (again !== null) created.push({ ...again, requestedAtMs: isAsked ? nowMs : 0 });
    if (generation !== this.#generation) {
      this.request(token, isAsked ? 'found' : 'adopted');
      return 'nothing';
    }
    if (created.length === 0) {
      if (stored.length > 0 || isWhole) this.#checkedAtMs.set(token, nowMs);
      return 'nothing';
    }
    const dropped = jobs.has(token) ? null : jobs.findRoom(token, { ...request, tokensMax });
    if (dropped === 'none') return 'nothing';
    if (dropped === 'later') {
      this.request(token, isAsked ? 'found' : 'adopted');
      return null;
    }
    const forgotten = stored.some((job) => isOutdated(job, start)) ? [token] : [];
    for (const outdated of forgotten) journal.forget(outdated);
    if (dropped !== null) {
      forgotten.push(dropped);
      this.#drop(dropped, jobs);
    }
    this.#left.delete(token);
    // Until the commit the list does not know of them.
    for (const job of created) jobs.set(job, true);
    return { ...this.#buildStep(token, created, forgotten), requested: token };
  }

  /** The job of a token's trades, if it has to begin again. */
  async #planAgain(stored: readonly BackfillRecord[]): Promise<BackfillRecord | null> {
    const trades = stored.find(({ kind }) => kind === 'trades');
    if (trades === undefined) return null;
    return await this.#trades.planAgain(trades).catch((error: unknown) => {
      if (error instanceof BackfillError) return null;
      throw error;
    });
  }
}

interface PlanContext {
  readonly jobs: JobList;
  readonly checkpoint: Checkpoint;
}
