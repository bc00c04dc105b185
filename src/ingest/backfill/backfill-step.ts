// One step of a job, ready to be committed.

import type { BackfillRecord } from '../../model/backfill.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { BackfillChanges } from '../commit/put-backfill.ts';
import type { JoinedHolders } from './holder-history.ts';

/** What backfill writes to. */
export interface BackfillIndex {
  readonly checkpoint: Checkpoint | null;
  /** Writes rows of old blocks; those of the index do not change. */
  commitBackfill(changes: BackfillChanges): Promise<void>;
  /** Replaces the balances of a token as of the last indexed block. */
  joinHolders(holders: JoinedHolders, changes: BackfillChanges): Promise<void>;
}

export interface BackfillStep {
  /** Returns the jobs as they are stored then. */
  commit(index: BackfillIndex): Promise<readonly BackfillRecord[]>;
  /** The token whose request it answers: without a commit it is requested again. */
  readonly requested?: Address;
}

/** The join is final: what it was made from is no longer needed. */
export function buildSettleStep(job: BackfillRecord): BackfillStep {
  const { token } = job;
  const settled: BackfillRecord = { ...job, memory: '' };
  return {
    commit: async (index) => {
      await index.commitBackfill({ token, jobs: [settled], settled: [token] });
      return [settled];
    },
  };
}
