// The steps of a job that replaces a token's balances by what the chain lists now, where the past
// cannot be read.
//
//   the journal records transfers after the last indexed block J ──▶ all holders at a block S, not
//   before J ──▶ the index reaches S, and has the same block ──▶ some owners are read again and
//   compared ──▶ the journal's transfers after S ──▶ joined at the last indexed block
//
// Nothing is stored before the join: after a crash or a rollback the holders are listed again.

import type { ChainAdapter, HoldersReading } from '../../chains/adapter.ts';
import { HistoryUnavailableError } from '../../chains/chain-history.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Sleep } from '../../lib/retry.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { Address } from '../../model/ids.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { MarketReader } from '../../store/store.ts';
import type { ChainScope } from '../scope/chain-scope.ts';
import { ChainInconsistentError } from '../state/chain-errors.ts';
import { BackfillError } from './backfill-error.ts';
import { type BackfillStep, buildSettleStep } from './backfill-step.ts';
import { findContradiction, pickWitnesses } from './check-holders.ts';
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

/** Marks a joined job as one that is not final yet; the text itself has no meaning. */
const JOINED_MEMORY = 'snapshot';
/** How long a list waits for the index, before it is made again later. */
const POLL_MS = 50;
const POLL_COUNT_MAX = 200;
/** A job whose list fails this often in a row fails, too: scans that time out always would. */
const FAILURES_MAX = 8;
const COUNTED_MAX = 1_000;

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
  /** How often in a row a token's holders could not be listed. */
  readonly #failures = new BoundedMap<Address, number>(COUNTED_MAX);

  constructor(options: SnapshotStepsOptions) {
    this.#options = options;
  }

  async plan(job: BackfillRecord): Promise<BackfillStep | 'wait'> {
    if (job.joinBlock !== null) return buildSettleStep(job);
    const { token } = job;
    const { journal, scope } = this.#options;
    // The index reads no transfers of a token out of scope, so the journal would miss them.
    if (scope && scope.findEntry(token)?.leftBlock !== null) return 'wait';
    journal.watch(token);
    const minBlock = journal.findStart(token);
    if (minBlock === null) return 'wait';
    try {
      const reading = await this.#list(token, minBlock);
      this.#failures.delete(token);
      if (reading !== null) return this.#join(job, reading);
      journal.forget(token);
      return 'wait';
    } catch (error) {
      // It is listed again later. Until then other tokens may be recorded.
      journal.forget(token);
      this.#countFailure(token, error);
      throw error;
    }
  }

  /** Null if the index does not get there. Rejects if a node contradicts the list. */
  async #list(token: Address, minBlock: number): Promise<HoldersReading | null> {
    const { source, journal } = this.#options;
    const reading = await source.readHolders({ token, minBlock });
    const { balances, at } = reading;
    if (!(await this.#isReached(at.position))) return null;
    const moved = journal.read(token, minBlock)?.filter(({ block }) => block <= at.position);
    const owners = pickWitnesses(balances, moved ?? []);
    const again = await source.readHeldNow({ token, owners, minBlock: at.position });
    const { readings } = again;
    const lastBlock = readings.reduce((last, { block }) => Math.max(last, block), at.position);
    if (!(await this.#isReached(lastBlock))) return null;
    // Without a journal from there on, nothing is joined either.
    const since = journal.read(token, at.position);
    const wrong = since && findContradiction(balances, since, readings);
    if (!wrong) return reading;
    throw new ChainInconsistentError(
      `${wrong.owner} holds ${wrong.amountRaw} of ${token} at block ${wrong.block}, which is not ` +
        `what was listed as of block ${at.position}`,
    );
  }

  /** Throws if there were too many in a row: the job fails, and may be requested again later. */
  #countFailure(token: Address, error: unknown): void {
    if (this.#options.signal.aborted) return;
    const isFinal = error instanceof BackfillError || error instanceof HistoryUnavailableError;
    const count = (this.#failures.get(token) ?? 0) + 1;
    if (!isFinal && count < FAILURES_MAX) {
      this.#failures.set(token, count);
      return;
    }
    this.#failures.delete(token);
    if (isFinal) return;
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `its holders could not be listed ${count} times in a row: ${reason}`;
    throw new BackfillError(problem, { cause: error });
  }

  /** Waits for the index, which is at most some blocks behind the node. */
  async #isReached(block: number): Promise<boolean> {
    const { journal, sleep, signal } = this.#options;
    for (let count = 0; count < POLL_COUNT_MAX; count += 1) {
      if (journal.tipBlock >= block) return true;
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
