// Single blocks of a node, by slot: whole, with signatures only, or the header alone.

import type { BlockHeader } from '../../../model/block-header.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import {
  parseBlockSignatures,
  parseBlockTransactions,
  parseSlotHeader,
  type ReplyOrigin,
  type SlotHeader,
  type SolanaBlockTransaction,
} from './parse-solana-block.ts';
import { CONFIRMED, type Commitment, refuseReply, type SolanaNode } from './solana-node.ts';
import { NEWEST_VERSION, type TransactionVersions } from './transaction-versions.ts';

/** What is asked of a block; `details` is the node's name for it. */
export interface BlockDetail<T> {
  readonly details: 'full' | 'signatures' | 'none';
  /** Whole transactions have versions. */
  readonly versions?: TransactionVersions;
  parse(reply: unknown, origin: ReplyOrigin): T;
}

export interface BlockWith<T> {
  readonly header: SlotHeader;
  readonly content: T;
}

interface WholeBlock {
  readonly transactions: readonly SolanaBlockTransaction[];
  /** Whether there is nothing in it, not even votes. */
  readonly isEmpty: boolean;
}

export function describeWhole(versions: TransactionVersions): BlockDetail<WholeBlock> {
  return {
    ...{ details: 'full', versions },
    parse(reply, origin) {
      const transactions = parseBlockTransactions(reply, { ...origin, versions });
      const all = (reply as { readonly transactions: readonly unknown[] }).transactions;
      return { transactions, isEmpty: all.length === 0 };
    },
  };
}

export const SIGNATURES: BlockDetail<string[]> = {
  details: 'signatures',
  parse: parseBlockSignatures,
};

export const HEADER: BlockDetail<null> = { details: 'none', parse: () => null };

/** How many blocks before one without a time are asked for theirs. */
const UNTIMED_MAX = 16;

interface SignalOption {
  readonly signal: AbortSignal | undefined;
}

interface SlotQuery<T> {
  readonly slot: number;
  readonly detail: BlockDetail<T>;
  /** `CONFIRMED` by default. */
  readonly commitment?: Commitment | undefined;
}

/** Mainnet has had epochs of this length from the first slot on. */
const EPOCH_SLOTS = 432_000;

/**
 * Old Faithful keeps epochs apart: the first block of one does not name the hash of its parent,
 * which is in another. The parent itself has it.
 */
async function addParentHash(
  node: SolanaNode,
  reply: unknown,
  { slot, commitment, signal }: Pick<SlotQuery<null>, 'slot' | 'commitment'> & SignalOption,
): Promise<unknown> {
  const { previousBlockhash, parentSlot } = (reply ?? {}) as Record<string, unknown>;
  if (previousBlockhash != null || !Number.isSafeInteger(parentSlot)) return reply;
  const epochOf = (one: number) => Math.floor(one / EPOCH_SLOTS);
  const parent = Number(parentSlot);
  if (parent < 0 || epochOf(parent) >= epochOf(slot)) return reply;
  const query = { slot: parent, detail: HEADER, commitment };
  const found = await readExistingBlock(node, query, signal);
  if (found === null) return reply;
  return { ...(reply as object), previousBlockhash: found.header.hash };
}

/** Null if the node does not have the block yet. Rejects if it calls the slot skipped. */
export async function readSlotBlock<T>(
  node: SolanaNode,
  query: SlotQuery<T>,
  signal?: AbortSignal,
): Promise<BlockWith<T> | null> {
  const { slot, detail, commitment = CONFIRMED } = query;
  const read = (maxSupportedTransactionVersion: number) => {
    const config = {
      ...{ encoding: 'json', transactionDetails: detail.details, rewards: false },
      ...{ maxSupportedTransactionVersion, ...commitment },
    };
    return node.request({ method: 'getBlock', params: [slot, config] }, signal);
  };
  try {
    const sent = await (detail.versions?.ask(read) ?? read(NEWEST_VERSION));
    // A node that has lost a block answers with null.
    if (sent === null) return null;
    const reply = await addParentHash(node, sent, { slot, commitment, signal });
    const origin = { node, slot };
    return { header: parseSlotHeader(reply, origin), content: detail.parse(reply, origin) };
  } catch (error) {
    if (isRpcError(error, 'lagging')) return null;
    throw error;
  }
}

/** The same for a slot that was listed, or is a parent: it cannot be skipped. */
export async function readExistingBlock<T>(
  node: SolanaNode,
  query: SlotQuery<T>,
  signal?: AbortSignal,
): Promise<BlockWith<T> | null> {
  try {
    return await readSlotBlock(node, query, signal);
  } catch (error) {
    if (!isRpcError(error, 'skipped')) throw error;
    return refuseReply(node, `slot ${query.slot} has a block and is called skipped`);
  }
}

/**
 * The hash of a block that something was just read at; null if the node does not serve it yet.
 * Rejects if the slot has none any more: the node has left that branch.
 */
export async function readBlockHash(
  node: SolanaNode,
  slot: number,
  signal?: AbortSignal,
): Promise<string | null> {
  try {
    const block = await readSlotBlock(node, { slot, detail: HEADER }, signal);
    return block?.header.hash ?? null;
  } catch (error) {
    if (!isRpcError(error, 'skipped')) throw error;
    throw new RpcError('unavailable', `slot ${slot} was replaced while accounts were read`);
  }
}

/**
 * A header with its time. Where the node does not know it, the time is that of the block before:
 * it depends on the chain alone, not on where a range begins.
 */
export async function addTime(
  node: SolanaNode,
  header: SlotHeader,
  signal?: AbortSignal,
): Promise<BlockHeader> {
  let { timestampMs, parentPosition } = header;
  for (let asked = 0; timestampMs === null && asked < UNTIMED_MAX; asked += 1) {
    if (parentPosition < 0) return { ...header, timestampMs: 0 };
    const query = { slot: parentPosition, detail: HEADER };
    const parent = await readExistingBlock(node, query, signal);
    if (parent === null) break;
    ({ timestampMs, parentPosition } = parent.header);
  }
  if (timestampMs !== null) return { ...header, timestampMs };
  const problem = `${node.name}: block ${header.position} and those before have no time`;
  throw new RpcError('lagging', problem, { endpoint: node.name });
}

/** The slots of a range that have a block, as the node lists them: it may leave some out. */
export async function listSlots(
  node: SolanaNode,
  range: {
    readonly fromSlot: number;
    readonly toSlot: number;
    readonly commitment?: Commitment | undefined;
  },
  signal?: AbortSignal,
): Promise<number[]> {
  const { fromSlot, toSlot, commitment = CONFIRMED } = range;
  const params = [fromSlot, toSlot, commitment];
  const reply = await node.request({ method: 'getBlocks', params }, signal);
  const isAscending = (slots: readonly unknown[]) =>
    slots.every((slot, index) => {
      const last = index === 0 ? fromSlot - 1 : Number(slots[index - 1]);
      return Number.isInteger(slot) && Number(slot) > last && Number(slot) <= toSlot;
    });
  if (Array.isArray(reply) && isAscending(reply)) return reply as number[];
  const problem = `slots ${fromSlot} to ${toSlot} are not ascending numbers of the range`;
  return refuseReply(node, problem);
}
