// Takes blocks back: rows from their undo images, candles from the trades that stay.

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
    readonly onRemoved: (trades: readonly TradeRecord[]) => void;
  },
): Promise<void> {
  const { chain, checkpoint } = rollback;
  await store.transaction(chain, async (transaction) => {
    await transaction.setCheckpoint(checkpoint);
    const removed = await transaction.undoAbove(checkpoint.block);
    await rebuildCandles(transaction, chain, removed);
    rollback.onRemoved(removed);
  });
}
