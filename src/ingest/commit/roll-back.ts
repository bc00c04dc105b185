// Removes blocks: restores rows from their undo images and rebuilds candles from the remaining
// trades. The removed trades are recorded in the same transaction, so that streams can send
// reverts.

import type { ChainSlug } from '../../model/chain.ts';
import type { Checkpoint, TradeRecord } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';
import { buildFeedRow, type CommittedEvent } from './commit-batch.ts';
import { rebuildCandles } from './rebuild-candles.ts';

/** `checkpoint` is the new one, at the block that stays. */
export async function rollBack(
  store: MarketStore,
  rollback: {
    readonly chain: ChainSlug;
    readonly checkpoint: Checkpoint;
    /** The last block before the rollback. */
    readonly tip: Pick<Checkpoint, 'block' | 'timestampMs'>;
    readonly nowMs: number;
    /** How long rollback records are kept. */
    readonly keptMs: number;
    /** Called with the removed trades before it commits; returns what is published. */
    readonly onRemoved: (trades: readonly TradeRecord[]) => CommittedEvent;
  },
): Promise<void> {
  const { chain, checkpoint, tip, nowMs } = rollback;
  await store.transaction(chain, async (transaction) => {
    await transaction.setCheckpoint(checkpoint);
    const removed = await transaction.undoAbove(checkpoint.block);
    await rebuildCandles(transaction, chain, removed);
    const { version, block, timestampMs } = checkpoint;
    await transaction.revertNews({ block, version });
    await transaction.pruneRollbacks(nowMs - rollback.keptMs);
    await transaction.putRollback(
      {
        ...{ version, block, timestampMs, recordedAtMs: nowMs },
        tipBlock: tip.block,
        tipTimestampMs: tip.timestampMs,
      },
      removed,
    );
    const event = rollback.onRemoved(removed);
    await transaction.putFeedRow(() => buildFeedRow(event));
  });
}
