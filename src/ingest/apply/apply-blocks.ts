// Applies the events of whole blocks, in log order, to the rows in memory.

import type { BlockEvents } from '../../model/block-events.ts';
import type { TransactionId } from '../../model/ids.ts';
import type { MarketState } from '../state/market-state.ts';
import { applyPoolChanged, applyPoolCreated } from './apply-pool-event.ts';
import { applySwap } from './apply-swap.ts';
import { applyTransfer } from './apply-transfer.ts';
import { examineBlock } from './examine-block.ts';
import { foldPositions } from './fold-positions.ts';
import { valuePools } from './value-pools.ts';

function applyBlock(state: MarketState, block: BlockEvents): void {
  const examination = examineBlock(state, block);
  const swapsOfTransaction = new Map<TransactionId, number>();
  for (const event of block.events) {
    switch (event.kind) {
      case 'transfer':
        applyTransfer(state, event);
        break;
      case 'swap': {
        const index = event.index ?? swapsOfTransaction.get(event.txHash) ?? 0;
        swapsOfTransaction.set(event.txHash, index + 1);
        applySwap(state, event, { index, examination });
        break;
      }
      case 'poolChanged':
        applyPoolChanged(state, event);
        break;
      case 'poolCreated':
        applyPoolCreated(state, event);
        break;
    }
  }
  valuePools(state);
}

/**
 * Requires that everything the blocks mention is loaded (`loadState`). Blocks above
 * `finalizedBlock` get undo images.
 */
export function applyBlocks(
  state: MarketState,
  blocks: readonly BlockEvents[],
  finalizedBlock: number,
): void {
  for (const block of blocks) {
    state.beginBlock(block.header, block.header.position > finalizedBlock);
    applyBlock(state, block);
    foldPositions(state);
  }
}

/** The same for blocks from before the index, whose rows are not kept: only their trades count. */
export function applyHistory(state: MarketState, blocks: readonly BlockEvents[]): void {
  for (const block of blocks) {
    state.beginBlock(block.header, false);
    applyBlock(state, block);
  }
}
