// Takes blocks back: rows from their undo images, candles from the trades that stay. What is gone
// is recorded in the same transaction, so that streams can tell whoever saw it.

import type { ChainSlug } from '../model/chain.ts';
import type { Checkpoint, TradeRecord } from '../model/market-record.ts';
import type { MarketStore } from '../store/store.ts';
import { rebuildCandles } from './rebuild-candles.ts';

/** `checkpoint` is the new one, at the block that stays. Tells the trades before it commits. */
export async function rollBack(
  store: MarketStore,
  rollback: {
    readonly chain: ChainSlug;
    readonly checkpoint: Checkpoint;
    /** The last block before, which is taken back with every other one above the new checkpoint. */
    readonly tip: Pick<Checkpoint, 'block' | 'timestampMs'>;
    readonly nowMs: number;
    /** For how long it is remembered what was taken back. */
    readonly keptMs: number;
    readonly onRemoved: (trades: readonly TradeRecord[]) => void;
  },
): Promise<void> {
  const { chain, checkpoint, tip, nowMs } = rollback;
  await store.transaction(chain, async (transaction) => {
    await transaction.setCheckpoint(checkpoint);
    const removed = await transaction.undoAbove(checkpoint.block);
    await rebuildCandles(transaction, chain, removed);
    const { version, block, timestampMs } = checkpoint;
    await transaction.pruneRollbacks(nowMs - rollback.keptMs);
    await transaction.putRollback(
      {
        ...{ version, block, timestampMs, recordedAtMs: nowMs },
        tipBlock: tip.block,
        tipTimestampMs: tip.timestampMs,
      },
      removed,
    );
    rollback.onRemoved(removed);
  });
}
