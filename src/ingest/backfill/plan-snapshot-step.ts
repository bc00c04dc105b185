// The steps of a job that replaces a token's balances by what the chain lists now, where the past
// cannot be read.
//
//   the journal records transfers after the last indexed block J ──▶ all holders at a block S, not
//   before J ──▶ the index reaches S, and has the same block ──▶ the journal's transfers after S
//   ──▶ joined at the last indexed block
//
// Nothing is stored before the join: after a crash or a rollback the holders are listed again.

import type { ChainAdapter, HoldersReading } from '../../chains/adapter.ts';
import type { Sleep } from '../../lib/retry.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { Address } from '../../model/ids.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { MarketReader } from '../../store/store.ts';
import type { ChainScope } from '../scope/chain-scope.ts';
import { type BackfillStep, buildSettleStep } from './backfill-step.ts';
import type { HistorySource } from './history-source.ts';
import { addTransfers, type JoinedHolders, NO_SUMS } from './holder-history.ts';
import type { PlacedTransfer, TransferJournal } from './transfer-journal.ts';

interface SnapshotStepsOptions {
  readonly source: HistorySource;
  readonly store: MarketReader;
  readonly journal: TransferJournal;
  /** Null if everything is indexed. */
  readonly scope?: Pick<ChainScope, 'findEntry'> | null | undefined;
  /** The hash of an indexed block that is not older than the final one; null if there is none. */
  readonly findHash: (position: number) => string | null;
  readonly onJoined: (token: Address) => void;
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
}

/** What a job remembers until its join is final: any text would do. */
const JOINED_MEMORY = 'snapshot';
/** How long a list waits for the index, before it is made again later. */
const POLL_MS = 50;
const POLL_COUNT_MAX = 200;

/** All holders at a block: those that were listed at an earlier one, and the transfers since. */
function addToSnapshot(
  balances: ReadonlyMap<Address, bigint>,
  transfers: readonly PlacedTransfer[],
  { row, adapter }: { readonly row: TokenRecord; readonly adapter: Pick<ChainAdapter, 'assets'> },
): JoinedHolders {
  const { token } = row;
  const sumRaw = [...balances.values()].reduce((sum, amountRaw) => sum + amountRaw, 0n);
  const sums = { ...NO_SUMS, balanceSumRaw: sumRaw, holders: balances.size };
  const owners = new Set(transfers.flatMap(({ event }) => [event.from, event.to]));
  const before = [...owners].flatMap((owner) => {
    const amountRaw = owner === null ? undefined : balances.get(owner);
    return owner === null || amountRaw === undefined ? [] : [{ token, owner, amountRaw }];
  });
  const { assets } = adapter;
  const added = addTransfers(transfers, { assets, row, sums, balances: before });
  const after = new Map(balances);
  for (const { owner, amountRaw } of added.changed) {
    if (amountRaw > 0n) after.set(owner, amountRaw);
    else after.delete(owner);
  }
  // When the token was first used is not known.
  return { token, sums: { ...added.sums, firstBlock: null }, balances: after };
}

export class SnapshotSteps {
  readonly #options: SnapshotStepsOptions;

  constructor(options: SnapshotStepsOptions) {
    this.#options = options;
  }

  async plan(job: BackfillRecord): Promise<BackfillStep | 'wait'> {
    if (job.joinBlock !== null) return buildSettleStep(job);
    const { token } = job;
    const { journal, scope, source } = this.#options;
    // The index reads no transfers of a token out of scope, so the journal would miss them.
    if (scope && scope.findEntry(token)?.leftBlock !== null) return 'wait';
    journal.watch(token);
    const minBlock = journal.findStart(token);
    if (minBlock === null) return 'wait';
    const reading = await source.readHolders({ token, minBlock });
    return (await this.#isReached(reading.at.position)) ? this.#join(job, reading) : 'wait';
  }

  /** Waits for the index, which is at most some blocks behind the node. */
  async #isReached(block: number): Promise<boolean> {
    const { store, source, sleep, signal } = this.#options;
    for (let count = 0; count < POLL_COUNT_MAX; count += 1) {
      const checkpoint = await store.readCheckpoint(source.adapter.chain);
      if ((checkpoint?.block ?? -1) >= block) return true;
      await sleep(POLL_MS, signal);
    }
    return false;
  }

  #join(job: BackfillRecord, { at, balances }: HoldersReading): BackfillStep {
    const { token } = job;
    const { journal, findHash, store, source, onJoined } = this.#options;
    return {
      commit: async (index) => {
        const indexed = findHash(at.position);
        const isOfBranch = indexed !== null && (at.hash === null || at.hash === indexed);
        const transfers = isOfBranch ? journal.read(token, at.position) : null;
        const [row] = await store.readTokens(source.adapter.chain, [token]);
        const { checkpoint } = index;
        // Otherwise the holders are listed again.
        if (checkpoint === null || transfers === null || row === undefined) return [job];
        const holders = addToSnapshot(balances, transfers, { row, adapter: source.adapter });
        const { block: joinBlock, timestampMs: nextMs } = checkpoint;
        const place = { nextBlock: at.position + 1, joinBlock, nextMs };
        const joined: BackfillRecord = { ...job, ...place, status: 'done', memory: JOINED_MEMORY };
        await index.joinHolders(holders, { token, jobs: [joined] });
        journal.forget(token);
        onJoined(token);
        return [joined];
      },
    };
  }
}
