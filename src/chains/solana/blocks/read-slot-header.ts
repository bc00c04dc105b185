// The header at a slot, or of the last block before it.

import type { BlockHeader } from '../../../model/block-header.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import type { SlotHeader } from '../rpc/parse-solana-block.ts';
import {
  addTime,
  HEADER,
  listSlots,
  readExistingBlock,
  readSlotBlock,
} from '../rpc/slot-blocks.ts';
import { refuseReply, type SolanaNode } from '../rpc/solana-node.ts';

/** How far after a slot its next block is searched for, first and at most. */
const SEARCHED_SLOTS = [64, 500_000] as const;
/** How many blocks a node may have left out of its list. */
const LEFT_OUT_MAX = 32;

async function findNextBlock(
  node: SolanaNode,
  slot: number,
  signal?: AbortSignal,
): Promise<number | null> {
  for (const count of SEARCHED_SLOTS) {
    const range = { fromSlot: slot + 1, toSlot: slot + count };
    const [first] = await listSlots(node, range, signal);
    if (first !== undefined) return first;
  }
  return null;
}

async function readSlotAt(
  node: SolanaNode,
  slot: number,
  signal?: AbortSignal,
): Promise<SlotHeader | null> {
  return (await readExistingBlock(node, { slot, detail: HEADER }, signal))?.header ?? null;
}

/**
 * That a slot was skipped is proved by the next block, whose parent is before the slot. Null if the
 * node has neither the block nor a later one.
 */
export async function readSlotHeader(
  node: SolanaNode,
  slot: number,
  signal?: AbortSignal,
): Promise<BlockHeader | null> {
  try {
    const own = await readSlotBlock(node, { slot, detail: HEADER }, signal);
    if (own !== null) return await addTime(node, own.header, signal);
  } catch (error) {
    if (!isRpcError(error, 'skipped')) throw error;
  }
  const next = await findNextBlock(node, slot, signal);
  let above = next === null ? null : await readSlotAt(node, next, signal);
  for (let count = 0; above !== null && above.parentPosition > slot; count += 1) {
    if (count >= LEFT_OUT_MAX) refuseReply(node, `blocks after ${slot} are missing in its list`);
    above = await readSlotAt(node, above.parentPosition, signal);
  }
  if (above === null || above.parentPosition < 0) return null;
  const found = await readSlotAt(node, above.parentPosition, signal);
  if (found === null) return null;
  if (found.hash !== above.parentHash) {
    refuseReply(node, `block ${above.position} does not follow block ${found.position}`);
  }
  return await addTime(node, found, signal);
}
