// What the process that indexes a chain tells the others about it, with its lease.

import type { IndexerStatus } from '../ingest/follow/indexer.ts';
import type { Clock } from '../lib/clock.ts';
import type { ChainReport } from './indexer-message.ts';

/** The parts of a report that hold for every process. */
export type IndexerReport = Pick<
  ChainReport,
  'status' | 'problems' | 'limitations' | 'slowed' | 'endpoints' | 'lastError' | 'backfill'
> & {
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
  /** Instead of `currentAtMs`, which means nothing in another process. */
  readonly currentAgoMs: number | null;
}

export function encodeSharedReport(report: ChainReport, clock: Clock): string {
  const { error: _, currentAtMs, ...status } = report.status;
  const { problems, limitations, slowed, endpoints, lastError, backfill, adoption } = report;
  const currentAgoMs = currentAtMs === null ? null : clock.monotonicMs() - currentAtMs;
  const shared: SharedReport = {
    ...{ status, problems, limitations, slowed, endpoints, lastError, backfill, currentAgoMs },
    adoption,
  };
  return JSON.stringify(shared);
}

/** Null for a report of a version that this one does not understand. */
export function parseSharedReport(text: string, reportedAtMs: number): IndexerReport | null {
  const { status, currentAgoMs, ...rest } = JSON.parse(text) as Partial<SharedReport>;
  const { problems, limitations, slowed = null } = rest;
  const { endpoints = [], lastError = null, backfill = null, adoption } = rest;
  if (status === undefined || problems === undefined || limitations === undefined) return null;
  const currentAtMs = currentAgoMs == null ? null : reportedAtMs - currentAgoMs;
  const work = { endpoints, lastError, backfill, ...(adoption === undefined ? {} : { adoption }) };
  return { status: { ...status, currentAtMs }, problems, limitations, slowed, ...work };
}
