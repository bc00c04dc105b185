// Applies the events of whole blocks, in log order, to the rows in memory.

import type { BlockEvents } from '../../model/block-events.ts';
import type { TransactionId } from '../../model/ids.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { PositionKey } from '../../model/position.ts';
import { createPosition, foldTrade, settlePosition } from '../../positions/position-fold.ts';
import type { MarketState } from '../state/market-state.ts';
import type { PositionEntry } from '../state/position-cache.ts';
import { applyPoolChanged, applyPoolCreated } from './apply-pool-event.ts';
import { applySwap } from './apply-swap.ts';
import { applyTransfer } from './apply-transfer.ts';
import { examineBlock } from './examine-block.ts';
import { valuePools } from './value-pools.ts';

// Folds a block's trades into the positions of the wallets that made them.
//
// Transfers do not tell which transaction they belong to, so they are told from trades by the
// wallet's balance before and after the block: what it does not explain came or went without a
// trade. Transfers in blocks without a trade are seen with the next trade, by their net effect.

function findEntry(state: MarketState, { token, wallet }: PositionKey): PositionEntry {
  const entry = state.positions.find(token, wallet);
  if (entry !== undefined) return entry;
  throw new Error(`position of ${wallet} in ${token} was not loaded`);
}

/** Applies the trades of one wallet with one token. */
function foldGroup(state: MarketState, entry: PositionEntry, trades: readonly TradeRecord[]): void {
  const { token, wallet } = entry;
  let row = entry.row ?? createPosition(entry, trades[0]?.timestampMs ?? 0);
  // Nobody announces transfers of the native coin, so its trades are all that is known.
  const balance = token === state.assets.coin ? undefined : state.balances.get(token, wallet);
  if (balance === undefined) {
    row = { ...row, isCostKnown: false };
  } else {
    const isChanged = balance.changedBlock === state.header.position;
    row = settlePosition(row, isChanged ? balance.beforeRaw : balance.row.amountRaw);
  }
  for (const trade of trades) row = foldTrade(row, trade);
  if (balance !== undefined) row = settlePosition(row, balance.row.amountRaw);
  state.setPosition(entry, row);
}

/** Call it when all events of the block have been applied. */
function foldPositions(state: MarketState): void {
  const groups = Map.groupBy(state.tradesOfBlock, (trade) => findEntry(state, trade));
  for (const [entry, trades] of groups) foldGroup(state, entry, trades);
}

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
