// What the process that indexes a chain tells the others about it, with its lease.

import type { IndexerStatus } from '../ingest/follow/indexer.ts';
import type { Clock } from '../lib/clock.ts';
import { startPolling } from '../lib/start-polling.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { LeaseStore } from '../store/feed-store.ts';
import type { ChainReport } from './indexer-message.ts';

/** The parts of a report that hold for every process. */
export type IndexerReport = Pick<
  ChainReport,
  'status' | 'problems' | 'limitations' | 'slowed' | 'endpoints' | 'lastError' | 'backfill'
> & {
  /** Absent in reports of earlier versions. */
  readonly undecoded?: ChainReport['undecoded'];
  /** Absent in reports of earlier versions. */
  readonly adoption?: ChainReport['adoption'];
  /** Whether the process that reported it has been silent for too long. */
  readonly isAbandoned?: boolean;
};

interface SharedReport
  extends Pick<
    ChainReport,
    'problems' | 'limitations' | 'slowed' | 'endpoints' | 'lastError' | 'backfill'
  > {
  readonly status: Omit<IndexerStatus, 'error' | 'currentAtMs'>;
  readonly adoption?: ChainReport['adoption'];
  readonly undecoded?: ChainReport['undecoded'];
  /** Instead of `currentAtMs`, which means nothing in another process. */
  readonly currentAgoMs: number | null;
}

/** A report is stored with every renewal of a lease. */
const UNDECODED_MAX = 20;

/** The most frequent ones. */
export function pickUndecoded({ undecoded = [] }: Pick<IndexerReport, 'undecoded'>) {
  return undecoded.toSorted((a, b) => b.count - a.count).slice(0, UNDECODED_MAX);
}

export function encodeSharedReport(report: ChainReport, clock: Clock): string {
  const { error: _, currentAtMs, ...status } = report.status;
  const { problems, limitations, slowed, endpoints, lastError, backfill, adoption } = report;
  const currentAgoMs = currentAtMs === null ? null : clock.monotonicMs() - currentAtMs;
  const shared: SharedReport = {
    ...{ status, problems, limitations, slowed, endpoints, lastError, backfill, currentAgoMs },
    ...{ adoption, undecoded: pickUndecoded(report) },
  };
  return JSON.stringify(shared);
}

/** Null for a report of a version that this one does not understand. */
function parseSharedReport(text: string, reportedAtMs: number): IndexerReport | null {
  const { status, currentAgoMs, ...rest } = JSON.parse(text) as Partial<SharedReport>;
  const { problems, limitations, slowed = null } = rest;
  const { endpoints = [], lastError = null, backfill = null, adoption, undecoded = [] } = rest;
  if (status === undefined || problems === undefined || limitations === undefined) return null;
  const currentAtMs = currentAgoMs == null ? null : reportedAtMs - currentAgoMs;
  const known = { endpoints, lastError, backfill, undecoded };
  const work = { ...known, ...(adoption === undefined ? {} : { adoption }) };
  return { status: { ...status, currentAtMs }, problems, limitations, slowed, ...work };
}

// What other processes on the same store report about the chains that they index.

interface RemoteReportsOptions {
  readonly leases: Pick<LeaseStore, 'list'> | null;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

interface Heard {
  readonly report: IndexerReport;
  /** By our monotonic clock. */
  readonly reportedAtMs: number;
}

const POLL_MS = 500;
/** A report older than this says nothing about the present. */
const REPORT_AGE_MAX_MS = 3000;
/** A chain whose indexer is silent for this long is not ready. */
const SILENCE_MAX_MS = 15_000;

export class RemoteReports {
  readonly #options: RemoteReportsOptions;
  readonly #heard = new Map<ChainSlug, Heard>();
  readonly #stopPolling: (() => Promise<void>) | null;

  constructor(options: RemoteReportsOptions) {
    this.#options = options;
    const { leases, onError } = options;
    this.#stopPolling =
      leases === null ? null : startPolling(() => this.poll(), { everyMs: POLL_MS, onError });
  }

  find(chain: ChainSlug): IndexerReport | undefined {
    const heard = this.#heard.get(chain);
    if (heard === undefined) return undefined;
    const { report, reportedAtMs } = heard;
    const ageMs = this.#options.clock.monotonicMs() - reportedAtMs;
    if (ageMs <= REPORT_AGE_MAX_MS) return report;
    const { lagMs } = report.status;
    // Nobody knows the head: it may have moved on all the time.
    const status = { ...report.status, lagMs: lagMs === null ? null : lagMs + Math.round(ageMs) };
    return { ...report, status, isAbandoned: ageMs > SILENCE_MAX_MS };
  }

  async stop(): Promise<void> {
    await this.#stopPolling?.();
  }

  async poll(): Promise<void> {
    const { leases, clock } = this.#options;
    const startedAtMs = clock.monotonicMs();
    for (const { chain, report, reportAgeMs } of (await leases?.list()) ?? []) {
      // The age was measured after this time, so this is the earliest that it can be.
      const reportedAtMs = startedAtMs - reportAgeMs;
      const seen = report === null ? null : parseSharedReport(report, reportedAtMs);
      if (seen === null) continue;
      // The next holder has yet to read the head; what the last one saw is newer than nothing.
      const isStarting = seen.status.head === null && seen.problems.length === 0;
      if (isStarting && this.#heard.has(chain)) continue;
      this.#heard.set(chain, { report: seen, reportedAtMs });
    }
  }
}
