// The jobs that are not done: a few tokens at a time take turns; of those that wait, the one that
// was requested last comes first.

import type { Clock } from '../../lib/clock.ts';
import type { BackfillKind, BackfillRecord } from '../../model/backfill.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint, TokenRecord } from '../../model/market-record.ts';
import type { MarketScanner } from '../../store/store.ts';

interface ListedJob {
  readonly record: BackfillRecord;
  /** A step of it waits for its commit. */
  isReady: boolean;
  notBeforeMs: number;
  /** When it had its last turn, as a count. */
  turn: number;
}

/** Tokens that take turns. */
const ACTIVE_MAX = 8;
/** A job that waits for an adoption or for finality looks again after this time. */
const POSTPONED_MS = 2_000;
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

export class JobList {
  readonly #jobs = new Map<string, ListedJob>();
  #turns = 0;

  static async load(store: MarketScanner, chain: ChainSlug): Promise<JobList> {
    const list = new JobList();
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
    return KINDS.some((kind) => this.#jobs.has(`${kind} ${token}`));
  }

  /** Jobs that are done or have failed are not kept. */
  set(record: BackfillRecord, isReady = false): void {
    const key = `${record.kind} ${record.token}`;
    const isOpen = record.status === 'queued' || record.status === 'running';
    if (!isOpen && !isUnsettled(record)) {
      this.#jobs.delete(key);
      return;
    }
    const turn = this.#jobs.get(key)?.turn ?? 0;
    this.#jobs.set(key, { record, isReady, notBeforeMs: 0, turn });
  }

  forget(token: Address): void {
    for (const kind of KINDS) this.#jobs.delete(`${kind} ${token}`);
  }

  postpone({ kind, token }: BackfillRecord, nowMs: number): void {
    const job = this.#jobs.get(`${kind} ${token}`);
    if (job === undefined) return;
    job.isReady = false;
    job.notBeforeMs = nowMs + POSTPONED_MS;
  }

  /** The job whose turn it is; it gets no other before its step is committed or postponed. */
  take(nowMs: number, checkpoint: Checkpoint): BackfillRecord | null {
    const active = this.#findActive();
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

  /** The jobs that a request creates or opens again; none if they exist. */
  plan(
    row: TokenRecord,
    stored: readonly BackfillRecord[],
    at: { readonly checkpoint: Checkpoint; readonly clock: Pick<Clock, 'nowMs'> },
  ): BackfillRecord[] {
    const nowMs = at.clock.nowMs();
    const { startBlock, startAtMs } = at.checkpoint;
    return KINDS.flatMap((kind): BackfillRecord[] => {
      const known = stored.find((job) => job.kind === kind);
      if (known !== undefined) {
        const isDue = known.status === 'failed' && nowMs - known.requestedAtMs > FAILED_RETRY_MS;
        return isDue ? [{ ...known, status: 'queued', requestedAtMs: nowMs, reason: null }] : [];
      }
      if (kind === 'holders' && hasAllHolders(row)) return [];
      return [
        {
          ...{ token: row.token, kind, status: 'queued', requestedAtMs: nowMs },
          ...{ fromBlock: null, fromMs: null, toBlock: startBlock, toMs: startAtMs ?? null },
          ...{ nextBlock: kind === 'trades' ? startBlock : 0, nextMs: null },
          ...{ joinBlock: null, memory: '', reason: null },
        },
      ];
    });
  }

  /**
   * Whether another token has room: null if so; otherwise the token to drop for it, the one that
   * has waited longest; `none` if all are being read.
   */
  findRoom(tokensMax: number): Address | null | 'none' {
    if (this.tokenCount < tokensMax) return null;
    const active = this.#findActive();
    // A token whose trades are partly stored keeps its jobs: they say which ones.
    const begun = new Set(
      [...this.#jobs.values()].flatMap(({ record: { token, memory, status } }) =>
        memory !== '' || status === 'done' ? [token] : [],
      ),
    );
    const waiting = this.#listOpen().filter(
      ({ record: { token } }) => !active.has(token) && !begun.has(token),
    );
    const oldest = waiting.toSorted((a, b) => a.record.requestedAtMs - b.record.requestedAtMs)[0];
    return oldest?.record.token ?? 'none';
  }

  #listOpen(): ListedJob[] {
    return [...this.#jobs.values()].filter(({ record }) => !isUnsettled(record));
  }

  /** Those that have begun, then those that were requested last. */
  #findActive(): ReadonlySet<Address> {
    const open = this.#listOpen().map(({ record }) => record);
    const begun = open.filter(({ status }) => status === 'running');
    const waiting = open.filter(({ status }) => status === 'queued');
    waiting.sort((a, b) => b.requestedAtMs - a.requestedAtMs);
    const tokens = new Set([...begun, ...waiting].map(({ token }) => token));
    return new Set([...tokens].slice(0, ACTIVE_MAX));
  }
}
