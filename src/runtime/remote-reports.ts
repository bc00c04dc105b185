// What other processes on the same store report about the chains that they index.

import type { Clock } from '../lib/clock.ts';
import { startPolling } from '../lib/start-polling.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { LeaseStore } from '../store/lease-store.ts';
import { type IndexerReport, parseSharedReport } from './shared-report.ts';

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
