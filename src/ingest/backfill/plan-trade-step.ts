// The steps of a job that fills in trades and candles.

import type { BackfillRecord } from '../../model/backfill.ts';
import type { PoolId } from '../../model/ids.ts';
import type { Checkpoint, TradeRecord } from '../../model/market-record.ts';
import type { MarketReader } from '../../store/store.ts';
import type { BackfillIndex, BackfillStep } from './backfill-step.ts';
import { decodeHistoryPools, encodeHistoryPools, listHistoryPoolIds } from './history-pool.ts';
import type { HistorySource } from './history-source.ts';
import { TradeHistory } from './trade-history.ts';

interface TradeStepsOptions {
  readonly source: HistorySource;
  readonly store: MarketReader;
  readonly adopt: ((pools: readonly PoolId[]) => void) | null;
}

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

export class TradeSteps {
  readonly #options: TradeStepsOptions;
  readonly #history: TradeHistory;

  constructor(options: TradeStepsOptions) {
    this.#options = options;
    this.#history = new TradeHistory(options.source, options.store);
  }

  plan(job: BackfillRecord, checkpoint: Checkpoint): Promise<BackfillStep | 'wait'> {
    return job.memory === '' ? this.#begin(job, checkpoint) : this.#continue(job, checkpoint);
  }

  async #begin(job: BackfillRecord, checkpoint: Checkpoint): Promise<BackfillStep | 'wait'> {
    const { source, store, adopt } = this.#options;
    const { chain, assets } = source.adapter;
    const anchors = await store.readPools(chain, assets.anchorPools);
    // Without an anchor there are no USD prices; the index meets one with its next event.
    if (assets.anchorPools.length > 0 && anchors.length === 0) return 'wait';
    const rows = await this.#history.findPools(job.token);
    // A rollback may have removed them for a while: they are found again.
    if (rows.length === 0) return 'wait';
    const { startBlock, finalizedBlock } = checkpoint;
    const at = { startBlock, finalizedBlock, mayWait: adopt !== null };
    const first = await this.#history.begin(rows, at);
    if (first.kind === 'wait') {
      adopt?.(first.incomplete);
      return 'wait';
    }
    const born = first.pools.map(({ bornBlock }) => bornBlock ?? 0);
    const fromBlock = Math.min(startBlock, ...born);
    if (fromBlock === startBlock) {
      return buildStep({ ...job, status: 'done', fromBlock: startBlock, fromMs: job.toMs });
    }
    const { timestampMs: fromMs } = await source.readHeader(fromBlock);
    const memory = encodeHistoryPools(first.pools);
    return buildStep({ ...job, status: 'running', fromBlock, fromMs, memory });
  }

  async #continue(job: BackfillRecord, checkpoint: Checkpoint): Promise<BackfillStep> {
    const { source, store } = this.#options;
    const { token, nextBlock, fromBlock, memory } = job;
    const rows = await store.readPools(source.adapter.chain, listHistoryPoolIds(memory));
    const place = { nextBlock, pools: decodeHistoryPools(memory, rows) };
    const step = await this.#history.step(token, place, fromBlock ?? 0);
    const { timestampMs } = await source.readHeader(step.nextBlock);
    const horizonMs = findHorizon(checkpoint);
    const isDone = step.nextBlock <= (fromBlock ?? 0) || timestampMs < horizonMs;
    const trades = step.trades.filter((trade) => trade.timestampMs >= horizonMs);
    return buildStep(
      {
        ...job,
        status: isDone ? 'done' : 'running',
        nextBlock: step.nextBlock,
        nextMs: Math.max(timestampMs, horizonMs),
        memory: encodeHistoryPools(step.pools),
      },
      trades,
    );
  }
}
