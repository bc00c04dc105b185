// The jobs that are not done: a few tokens at a time take turns. Those that clients requested come
// first: callers in turn, each caller's last request before its others. Then those that nobody
// asked for.

import { orderInTurns } from '../../lib/order-in-turns.ts';
import type { BackfillKind, BackfillRecord } from '../../model/backfill.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint, TokenRecord } from '../../model/market-record.ts';
import type { MarketScanner } from '../../store/store.ts';
import type { FollowStart } from './followed-from.ts';

interface ListedJob {
  readonly record: BackfillRecord;
  /** When a client asked for it; 0 if none did. */
  askedAtMs: number;
  /** A step of it waits for its commit. */
  isReady: boolean;
  notBeforeMs: number;
  /** How often in a row it was postponed. */
  waits: number;
  /** When it had its last turn, as a count. */
  turn: number;
}

/** A request for a token's history. */
interface JobRequest {
  readonly start: FollowStart;
  readonly nowMs: number;
  /** Whether a client asked for it. */
  readonly isAsked: boolean;
}

/** Who asked for a token; the same for all of whom that is not known. */
type FindCaller = (token: Address) => string;

/** Tokens that take turns. */
const ACTIVE_MAX = 8;
/** How long a job is left alone that waits for an adoption or for finality, or failed to read. */
const POSTPONED_MS = { first: 2_000, max: 60_000 } as const;
/** A failed job may be requested again after this time. */
const FAILED_RETRY_MS = 3_600_000;

const KINDS: readonly BackfillKind[] = ['trades', 'holders'];

/** Joined, but not final yet: a rollback would open it again. */
function isUnsettled({ kind, joinBlock, memory }: BackfillRecord): boolean {
  return kind === 'holders' && joinBlock !== null && memory !== '';
}

/** The same rule as for the answers: the balances add up to the supply. */
function hasAllHolders(row: TokenRecord): boolean {
  const { balanceSumRaw, supplyRaw, supplyBalanceSumRaw, balancesBroken } = row;
  return !balancesBroken && supplyRaw === balanceSumRaw && supplyBalanceSumRaw === supplyRaw;
}

/** Whether a job is of an earlier time in scope: its token has come back since. */
export function isOutdated({ toBlock }: BackfillRecord, start: FollowStart): boolean {
  return toBlock < start.fromBlock;
}

function createJob(token: Address, kind: BackfillKind, request: JobRequest): BackfillRecord {
  const { fromBlock: toBlock, fromMs: toMs } = request.start;
  return {
    ...{ token, kind, status: 'queued', requestedAtMs: request.isAsked ? request.nowMs : 0 },
    ...{ fromBlock: null, fromMs: null, toBlock, toMs },
    ...{ nextBlock: kind === 'trades' ? toBlock : 0, nextMs: null },
    ...{ joinBlock: null, memory: '', reason: null },
  };
}

/** The jobs that a request creates or opens again; none if they exist. */
export function planJobs(
  row: TokenRecord,
  stored: readonly BackfillRecord[],
  request: JobRequest & { readonly kinds?: readonly BackfillKind[] },
): BackfillRecord[] {
  const { start, nowMs, kinds = KINDS } = request;
  return kinds.flatMap((kind): BackfillRecord[] => {
    const known = stored.find((job) => job.kind === kind && !isOutdated(job, start));
    if (known !== undefined) {
      const isDue = known.status === 'failed' && nowMs - known.requestedAtMs > FAILED_RETRY_MS;
      const requestedAtMs = request.isAsked ? nowMs : 0;
      return isDue ? [{ ...known, status: 'queued', requestedAtMs, reason: null }] : [];
    }
    if (kind === 'holders' && hasAllHolders(row)) return [];
    return [createJob(row.token, kind, request)];
  });
}

export class JobList {
  readonly #jobs = new Map<string, ListedJob>();
  readonly #findCaller: FindCaller;
  #turns = 0;

  constructor(findCaller: FindCaller) {
    this.#findCaller = findCaller;
  }

  static async load(
    store: MarketScanner,
    chain: ChainSlug,
    findCaller: FindCaller,
  ): Promise<JobList> {
    const list = new JobList(findCaller);
    for await (const records of store.scanBackfills(chain)) {
      for (const record of records) list.set(record);
    }
    return list;
  }

  /** How many tokens have a job that is not done. */
  get tokenCount(): number {
    return new Set(this.#listOpen().map(({ record }) => record.token)).size;
  }

  has(token: Address): boolean {
    return this.#listOf(token).length > 0;
  }

  /** Whether a step of one of its jobs waits for its commit. */
  isBusy(token: Address): boolean {
    return this.#listOf(token).some(({ isReady }) => isReady);
  }

  /** Jobs that are done or have failed are not kept. */
  set(record: BackfillRecord, isReady = false): void {
    const key = `${record.kind} ${record.token}`;
    const isOpen = record.status === 'queued' || record.status === 'running';
    if (!isOpen && !isUnsettled(record)) {
      this.#jobs.delete(key);
      return;
    }
    const known = this.#jobs.get(key);
    const askedAtMs = Math.max(known?.askedAtMs ?? 0, record.requestedAtMs);
    const turn = known?.turn ?? 0;
    this.#jobs.set(key, { record, askedAtMs, isReady, notBeforeMs: 0, waits: 0, turn });
  }

  /** A client asks for a token that has jobs already. */
  promote(token: Address, nowMs: number): void {
    for (const job of this.#listOf(token)) if (job.askedAtMs === 0) job.askedAtMs = nowMs;
  }

  forget(token: Address): void {
    for (const kind of KINDS) this.#jobs.delete(`${kind} ${token}`);
  }

  /** Longer each time, so that a job that waits for ever costs next to nothing. */
  postpone({ kind, token }: BackfillRecord, nowMs: number): void {
    const job = this.#jobs.get(`${kind} ${token}`);
    if (job === undefined) return;
    const { first, max } = POSTPONED_MS;
    job.isReady = false;
    job.notBeforeMs = nowMs + Math.min(max, first * 2 ** Math.min(job.waits, 10));
    job.waits += 1;
  }

  /**
   * The job whose turn it is; it gets no other before its step is committed or postponed. Those of
   * tokens that are not in scope rest.
   */
  take(
    nowMs: number,
    checkpoint: Checkpoint,
    isInScope: (token: Address) => boolean = () => true,
  ): BackfillRecord | null {
    const active = this.#findActive(nowMs, isInScope);
    let next: ListedJob | null = null;
    for (const job of this.#jobs.values()) {
      const { record } = job;
      if (job.isReady || job.notBeforeMs > nowMs) continue;
      const isDue = isUnsettled(record)
        ? (record.joinBlock ?? 0) <= checkpoint.finalizedBlock
        : active.has(record.token);
      if (isDue && (next === null || job.turn < next.turn)) next = job;
    }
    if (next === null) return null;
    this.#turns += 1;
    next.turn = this.#turns;
    next.isReady = true;
    return next.record;
  }

  /**
   * Whether another token has room: null if so; otherwise the token to drop for it, the one that
   * has waited longest of the caller with the most that wait; `none` if all are being read, `later`
   * if steps of the others wait for their commit. None is dropped for a token that no client asked
   * for, and those first.
   */
  findRoom(
    token: Address,
    { tokensMax, nowMs, isAsked }: Pick<JobRequest, 'nowMs' | 'isAsked'> & { tokensMax: number },
  ): Address | null | 'none' | 'later' {
    if (this.tokenCount < tokensMax) return null;
    if (!isAsked) return 'none';
    const active = this.#findActive(nowMs, () => true);
    // A token whose trades are partly stored keeps its jobs: they say which ones.
    const begun = new Set(
      [...this.#jobs.values()].flatMap(({ record: { token, memory, status } }) =>
        memory !== '' || status === 'done' ? [token] : [],
      ),
    );
    const waiting = this.#listOpen().filter(
      ({ record: { token }, askedAtMs }) =>
        !begun.has(token) && (askedAtMs === 0 || !active.has(token)),
    );
    const idle = this.#listOfMost(waiting, token).filter(
      ({ record }) => !this.isBusy(record.token),
    );
    const [oldest] = idle.toSorted((a, b) => a.askedAtMs - b.askedAtMs);
    return oldest?.record.token ?? (waiting.length > 0 ? 'later' : 'none');
  }

  /** Those that nobody asked for; without any, those of the callers with the most tokens. */
  #listOfMost(waiting: readonly ListedJob[], added: Address): readonly ListedJob[] {
    const unasked = waiting.filter(({ askedAtMs }) => askedAtMs === 0);
    if (unasked.length > 0) return unasked;
    const tokens = new Set([added, ...waiting.map(({ record }) => record.token)]);
    const counts = Map.groupBy(tokens, this.#findCaller);
    const most = Math.max(...Array.from(counts.values(), ({ length }) => length));
    return waiting.filter(
      ({ record }) => counts.get(this.#findCaller(record.token))?.length === most,
    );
  }

  #listOf(token: Address): ListedJob[] {
    return KINDS.flatMap((kind) => this.#jobs.get(`${kind} ${token}`) ?? []);
  }

  #listOpen(): ListedJob[] {
    return [...this.#jobs.values()].filter(({ record }) => !isUnsettled(record));
  }

  /**
   * Those that clients asked for before the others, callers in turn; of each, those that have
   * begun, then those that were requested last. A job that waits takes no turn from another.
   */
  #findActive(nowMs: number, isInScope: (token: Address) => boolean): ReadonlySet<Address> {
    const open = this.#listOpen().filter(
      ({ record, notBeforeMs }) => notBeforeMs <= nowMs && isInScope(record.token),
    );
    const rank = ({ askedAtMs, record }: ListedJob) =>
      (askedAtMs > 0 ? 0 : 2) + (record.status === 'running' ? 0 : 1);
    open.sort((a, b) => rank(a) - rank(b) || b.askedAtMs - a.askedAtMs);
    const listTokens = (jobs: readonly ListedJob[]) => [
      ...new Set(jobs.map(({ record }) => record.token)),
    ];
    const asked = listTokens(open.filter(({ askedAtMs }) => askedAtMs > 0));
    const tokens = new Set([...orderInTurns(asked, this.#findCaller), ...listTokens(open)]);
    return new Set([...tokens].slice(0, ACTIVE_MAX));
  }
}
