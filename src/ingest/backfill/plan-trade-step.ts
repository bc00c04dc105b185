// The steps of a job that fills in trades and candles.

import { kindOf } from '../../amm/pool-kinds.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { PoolId } from '../../model/ids.ts';
import type { Checkpoint, TradeRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketReader } from '../../store/store.ts';
import type { BackfillIndex, BackfillStep } from './backfill-step.ts';
import type { FollowedFrom } from './followed-from.ts';
import {
  decodeHistoryPools,
  encodeHistoryPools,
  hasHistoryPools,
  listHistoryPoolIds,
  NO_POOLS,
} from './history-pool.ts';
import type { HistorySource } from './history-source.ts';
import { TradeHistory } from './trade-history.ts';

interface TradeStepsOptions {
  readonly source: HistorySource;
  readonly store: MarketReader;
  readonly followed: FollowedFrom;
  readonly adopt: ((pools: readonly PoolId[]) => void) | null;
}

/** Pools that are known to be younger than the history of their tokens. */
const YOUNG_MAX = 10_000;

function buildStep(job: BackfillRecord, trades: readonly TradeRecord[] = []): BackfillStep {
  return {
    commit: async (index: BackfillIndex) => {
      await index.commitBackfill({ token: job.token, jobs: [job], trades });
      return [job];
    },
  };
}

/** Older rows are deleted again: the first time from which on both trades and candles are kept. */
function findHorizon({ tradesFromMs = 0, candlesFromMs = 0 }: Checkpoint): number {
  return Math.max(tradesFromMs, candlesFromMs);
}

/** Those that the index has not made itself. */
export function pickMissing(
  trades: readonly TradeRecord[],
  followed: ReadonlyMap<PoolId, number>,
): TradeRecord[] {
  return trades.filter(({ pool, block }) => block < (followed.get(pool) ?? 0));
}

export class TradeSteps {
  readonly #options: TradeStepsOptions;
  readonly #history: TradeHistory;
  readonly #young = new BoundedMap<PoolId, true>(YOUNG_MAX);

  constructor(options: TradeStepsOptions) {
    this.#options = options;
    this.#history = new TradeHistory(options.source, options.store);
  }

  plan(job: BackfillRecord, checkpoint: Checkpoint): Promise<BackfillStep | 'wait'> {
    const isBegun = hasHistoryPools(job.memory);
    return isBegun ? this.#continue(job, checkpoint) : this.#begin(job, checkpoint);
  }

  /**
   * The job as it begins again because pools were found that it lacks; null if there are none.
   * All trades are made once more: whether one is an outlier depends on the depths of all pools.
   */
  async planAgain(job: BackfillRecord): Promise<BackfillRecord | null> {
    const isBegun = job.status === 'done' || hasHistoryPools(job.memory);
    if (!isBegun) return null;
    const known = new Set(listHistoryPoolIds(job.memory));
    const rows = await this.#history.findPools(job.token);
    for (const row of rows.filter(({ pool }) => !known.has(pool))) {
      if (!(await this.#isOlder(row, job.toBlock))) continue;
      const place = { nextBlock: job.toBlock, nextMs: null, fromBlock: null, fromMs: null };
      return { ...job, ...place, status: 'queued', memory: NO_POOLS, reason: null };
    }
    return null;
  }

  /** Whether a pool has trades from before a block; false while that cannot be said yet. */
  async #isOlder(row: PoolRecord, toBlock: number): Promise<boolean> {
    const { store, source } = this.#options;
    if (kindOf(row).hasTicks) {
      // It is complete by its creation, which was indexed, or by an adoption, which says more.
      const adoption = await store.readAdoption(source.adapter.chain, row.pool);
      return row.complete && adoption !== null;
    }
    if (this.#young.has(row.pool)) return false;
    const isOlder = await this.#history.isOlder(row, toBlock);
    if (!isOlder) this.#young.set(row.pool, true);
    return isOlder;
  }

  async #begin(job: BackfillRecord, checkpoint: Checkpoint): Promise<BackfillStep | 'wait'> {
    const { source, store, followed, adopt } = this.#options;
    const { chain, assets } = source.adapter;
    const anchors = await store.readPools(chain, assets.anchorPools);
    // Without an anchor there are no USD prices; the index meets one with its next event.
    if (assets.anchorPools.length > 0 && anchors.length === 0) return 'wait';
    const start = followed.findToken(job.token, checkpoint);
    const rows = await this.#history.findPools(job.token);
    // A rollback may have removed them for a while: they are found again.
    if (start === null || rows.length === 0) return 'wait';
    // The node was asked for the events of some pools only after they had been found.
    const toBlock = Math.max(...(await followed.findPools(start, rows)).values());
    const { finalizedBlock } = checkpoint;
    if (toBlock - 1 > finalizedBlock) return 'wait';
    const first = await this.#history.begin(rows, {
      ...{ toBlock, finalizedBlock, mayWait: adopt !== null },
    });
    if (first.kind === 'wait') {
      adopt?.(first.incomplete);
      return 'wait';
    }
    const born = first.pools.map(({ bornBlock }) => bornBlock ?? 0);
    const fromBlock = Math.min(toBlock, ...born);
    const isLater = toBlock > start.fromBlock;
    const toMs = isLater ? (await source.readHeader(toBlock - 1)).timestampMs : start.fromMs;
    const memory = encodeHistoryPools(first.pools);
    const begun = { ...job, toBlock, toMs, nextBlock: toBlock, fromBlock, memory };
    if (fromBlock === toBlock) return buildStep({ ...begun, status: 'done', fromMs: toMs });
    const { timestampMs: fromMs } = await source.readHeader(fromBlock);
    return buildStep({ ...begun, status: 'running', fromMs });
  }

  async #continue(job: BackfillRecord, checkpoint: Checkpoint): Promise<BackfillStep | 'wait'> {
    const { source, store, followed } = this.#options;
    const { token, nextBlock, fromBlock, memory } = job;
    const ids = listHistoryPoolIds(memory);
    const rows = await store.readPools(source.adapter.chain, ids);
    const start = followed.findToken(token, checkpoint);
    // A rollback may have removed some for a while.
    if (start === null || rows.length < ids.length) return 'wait';
    const place = { nextBlock, pools: decodeHistoryPools(memory, rows) };
    const step = await this.#history.step(token, place, fromBlock ?? 0);
    const { timestampMs } = await source.readHeader(step.nextBlock);
    const horizonMs = findHorizon(checkpoint);
    const isDone = step.nextBlock <= (fromBlock ?? 0) || timestampMs < horizonMs;
    const isIndexed = nextBlock > start.fromBlock;
    const bounds = isIndexed ? await followed.findPools(start, rows) : null;
    const missing = bounds === null ? step.trades : pickMissing(step.trades, bounds);
    return buildStep(
      {
        ...job,
        status: isDone ? 'done' : 'running',
        nextBlock: step.nextBlock,
        nextMs: Math.max(timestampMs, horizonMs),
        memory: encodeHistoryPools(step.pools),
      },
      missing.filter((trade) => trade.timestampMs >= horizonMs),
    );
  }
}
