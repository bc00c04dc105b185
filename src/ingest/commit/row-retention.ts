// How long trades and fine candles are kept, by the chain's own time.
//
// A floor is the start of a day: rows below it are first hidden from reads, then deleted. Floors
// follow the finalized block, so no rollback ever needs deleted rows: it folds the candles of days
// that are kept whole. A floor is committed before the first row below it is deleted, so a read at
// one commit sees either all rows or the floor that hides them.
//
// Where the engine has partitions, whole ones are dropped; rows are deleted only outside of them.

import { computeOpenTime } from '../../candles/interval.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Checkpoint, KeptFrom } from '../../model/market-record.ts';
import type { CandleSeries } from '../../store/market-reads.ts';
import type { MarketStore } from '../../store/store.ts';
import { PartitionRotation } from './partition-rotation.ts';

export interface RetentionDays {
  /** Null keeps all of them. */
  readonly trades: number | null;
  /** Candles shorter than a day; those of a day are kept forever. */
  readonly fineCandles: number | null;
}

const DAY_MS = 86_400_000;

/** Rows deleted in one transaction; limits how long other writers wait. */
const ROWS_PER_TRANSACTION = 2000;
/** Each may have some thousand ticks. */
const ADOPTIONS_PER_TRANSACTION = 200;
/** Transactions after each commit, in addition to those that offset the commit's own rows. */
const TRANSACTIONS_PER_STEP = 5;
/** Roughly the most rows a trade adds: itself, and candles of its token and of its pool. */
const ROWS_PER_TRADE = 9;

function computeFloor(
  days: number | null,
  stored: number | undefined,
  finalizedMs: number,
): number | undefined {
  if (days === null) return stored;
  return Math.max(stored ?? 0, computeOpenTime('1d', Math.max(0, finalizedMs - days * DAY_MS)));
}

/** The fields that a later commit copies: from when on there are rows. */
export function pickKeptFrom(
  stored: Checkpoint,
): Pick<Checkpoint, 'startAtMs' | 'positionsFromMs' | 'archived'> & KeptFrom {
  const { startAtMs, tradesFromMs, candlesFromMs, positionsFromMs, archived } = stored;
  return {
    ...(startAtMs === undefined ? {} : { startAtMs }),
    ...(tradesFromMs === undefined ? {} : { tradesFromMs }),
    ...(candlesFromMs === undefined ? {} : { candlesFromMs }),
    ...(positionsFromMs === undefined ? {} : { positionsFromMs }),
    ...(archived === undefined ? {} : { archived }),
  };
}

export class RowRetention {
  readonly #store: MarketStore;
  readonly #chain: ChainSlug;
  readonly #days: RetentionDays;
  readonly #onError: (error: unknown) => void;
  /** The floor below which all trades have been deleted. */
  #tradesDoneMs = 0;
  #candlesDoneMs = 0;
  #adoptionsDoneMs = 0;
  /** The last series whose candles were checked; the next step continues after it. */
  #candlesAfter: CandleSeries | null = null;
  readonly #tradeParts: PartitionRotation;
  readonly #candleParts: PartitionRotation;

  constructor(options: {
    readonly store: MarketStore;
    readonly chain: ChainSlug;
    readonly days: RetentionDays;
    /** Called when rows could not be deleted. */
    readonly onError: (error: unknown) => void;
    readonly monotonicMs?: () => number;
  }) {
    this.#onError = options.onError;
    this.#store = options.store;
    this.#chain = options.chain;
    this.#days = options.days;
    const { monotonicMs = () => performance.now() } = options;
    const of = { ...options, monotonicMs };
    this.#tradeParts = new PartitionRotation({ ...of, table: 'trades' });
    this.#candleParts = new PartitionRotation({ ...of, table: 'candles' });
  }

  /** Before the chain's first rows, which are of this time: an empty table is divided. */
  async begin(nowMs: number): Promise<void> {
    await this.#rotate({ timestampMs: nowMs });
  }

  /** The new floors; null if they have not changed. They never go down. */
  planFloors(checkpoint: Checkpoint, finalizedMs: number): KeptFrom | null {
    const tradesFromMs = computeFloor(this.#days.trades, checkpoint.tradesFromMs, finalizedMs);
    const candlesFromMs = computeFloor(
      this.#days.fineCandles,
      checkpoint.candlesFromMs,
      finalizedMs,
    );
    const isSame =
      (tradesFromMs ?? 0) === (checkpoint.tradesFromMs ?? 0) &&
      (candlesFromMs ?? 0) === (checkpoint.candlesFromMs ?? 0);
    if (isSame) return null;
    return {
      ...(tradesFromMs === undefined ? {} : { tradesFromMs }),
      ...(candlesFromMs === undefined ? {} : { candlesFromMs }),
    };
  }

  /**
   * Deletes some rows below the floors; more if the last commit added many. A failure is reported
   * and retried after the next commit: it must not delay the blocks.
   */
  async deleteSome(checkpoint: Checkpoint, tradesAdded: number): Promise<void> {
    try {
      await this.#deleteSome(checkpoint, tradesAdded);
    } catch (error) {
      this.#onError(error);
    }
  }

  async #deleteSome(checkpoint: Checkpoint, tradesAdded: number): Promise<void> {
    const canDelete = await this.#rotate(checkpoint);
    const added = Math.ceil((tradesAdded * ROWS_PER_TRADE) / ROWS_PER_TRANSACTION);
    for (let count = 0; count < TRANSACTIONS_PER_STEP + added; count += 1) {
      const isDone =
        (!canDelete.trades || (await this.#deleteTrades(checkpoint))) &&
        (!canDelete.candles || (await this.#deleteCandles(checkpoint))) &&
        (await this.#deleteAdoptions(checkpoint));
      if (isDone) return;
    }
  }

  /** Drops what it can; says of which table rows have to be deleted. */
  async #rotate(of: Pick<Checkpoint, 'timestampMs'> & KeptFrom) {
    const { timestampMs: nowMs, tradesFromMs, candlesFromMs } = of;
    const { partitions } = this.#store;
    if (partitions === undefined) return { trades: true, candles: true };
    const { trades, fineCandles } = this.#days;
    return {
      trades: await this.#tradeParts.run(partitions, {
        days: trades,
        nowMs,
        floorMs: tradesFromMs,
      }),
      candles: await this.#candleParts.run(partitions, {
        ...{ days: fineCandles, nowMs, floorMs: candlesFromMs },
      }),
    };
  }

  /** True when nothing is left to delete. */
  async #deleteTrades(checkpoint: Checkpoint): Promise<boolean> {
    const beforeMs = checkpoint.tradesFromMs ?? 0;
    if (this.#tradesDoneMs >= beforeMs) return true;
    const deleted = await this.#store.deleteOldTrades(this.#chain, {
      beforeMs,
      upToBlock: checkpoint.finalizedBlock,
      limit: ROWS_PER_TRANSACTION,
    });
    if (deleted < ROWS_PER_TRANSACTION) this.#tradesDoneMs = beforeMs;
    return false;
  }

  /** Those that only trades below the floor depended on. */
  async #deleteAdoptions({ tradesFromMs = 0 }: Checkpoint): Promise<boolean> {
    if (this.#adoptionsDoneMs >= tradesFromMs) return true;
    const deleted = await this.#store.deleteOldAdoptions(this.#chain, ADOPTIONS_PER_TRANSACTION);
    if (deleted < ADOPTIONS_PER_TRANSACTION) this.#adoptionsDoneMs = tradesFromMs;
    return false;
  }

  async #deleteCandles(checkpoint: Checkpoint): Promise<boolean> {
    const beforeMs = checkpoint.candlesFromMs ?? 0;
    if (this.#candlesDoneMs >= beforeMs) return true;
    const { next, isDone } = await this.#store.deleteOldCandles(this.#chain, {
      beforeMs,
      after: this.#candlesAfter,
      limit: ROWS_PER_TRANSACTION,
    });
    this.#candlesAfter = next;
    if (isDone) this.#candlesDoneMs = beforeMs;
    return false;
  }
}
