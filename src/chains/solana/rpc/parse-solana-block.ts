// A block as `getBlock` sends it, with its votes dropped before anything of them is decoded.

import type { BlockHeader } from '../../../model/block-header.ts';
import { isVote, type RawTransaction } from '../data/raw-transaction.ts';
import { refuseReply, type SolanaNode } from './solana-node.ts';
import type { TransactionVersions } from './transaction-versions.ts';

/** A header whose time the node may not know. */
export interface SlotHeader extends Omit<BlockHeader, 'timestampMs'> {
  readonly timestampMs: number | null;
}

export interface SolanaBlockTransaction {
  /** Its place in the block, votes counted. */
  readonly index: number;
  readonly raw: RawTransaction;
}

/** Where a reply came from. */
export interface ReplyOrigin {
  readonly node: Pick<SolanaNode, 'name'>;
  readonly slot: number;
}

type UnknownFields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is UnknownFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The parts that say which programs were called; what they hold is checked where it is decoded. */
export function isTransaction(value: unknown): value is RawTransaction {
  if (!isFields(value) || !isFields(value['meta']) || !isFields(value['transaction'])) return false;
  const { message, signatures } = value['transaction'];
  if (!isFields(message) || !Array.isArray(signatures)) return false;
  return Array.isArray(message['accountKeys']) && Array.isArray(message['instructions']);
}

/** Throws an `RpcError` if the reply is not a block's. */
export function parseSlotHeader(reply: unknown, { node, slot }: ReplyOrigin): SlotHeader {
  const fail = (problem: string) => refuseReply(node, `block ${slot}: ${problem}`);
  if (!isFields(reply)) return fail('the reply is not a block');
  const { blockhash, previousBlockhash, parentSlot, blockTime } = reply;
  if (typeof blockhash !== 'string' || typeof previousBlockhash !== 'string') {
    return fail('a hash is missing');
  }
  if (typeof parentSlot !== 'number' || !Number.isInteger(parentSlot)) {
    return fail('its parent is not a slot');
  }
  // The first block is its own parent.
  const isFirst = slot === 0 && parentSlot === 0;
  if (parentSlot >= slot && !isFirst) return fail('its parent is not an earlier slot');
  const hasTime = typeof blockTime === 'number' && Number.isInteger(blockTime);
  return {
    ...{ position: slot, hash: blockhash },
    ...{ parentPosition: isFirst ? -1 : parentSlot, parentHash: previousBlockhash },
    timestampMs: hasTime ? blockTime * 1000 : null,
  };
}

/** The transactions without votes, in the order of their execution. */
export function parseBlockTransactions(
  reply: unknown,
  { node, slot, versions }: ReplyOrigin & { readonly versions: TransactionVersions },
): SolanaBlockTransaction[] {
  const transactions = isFields(reply) ? reply['transactions'] : null;
  const fail = () => refuseReply(node, `block ${slot}: its transactions are malformed`);
  if (!Array.isArray(transactions)) return fail();
  return transactions.flatMap((raw: unknown, index) => {
    const isUnknown = versions.noteUnknown(raw);
    if (isTransaction(raw)) return isVote(raw) ? [] : [{ index, raw }];
    return isUnknown ? [] : fail();
  });
}

/** The signatures of a block's transactions, votes included, in the order of their execution. */
export function parseBlockSignatures(reply: unknown, { node, slot }: ReplyOrigin): string[] {
  const signatures = isFields(reply) ? reply['signatures'] : null;
  const isList =
    Array.isArray(signatures) && signatures.every((signature) => typeof signature === 'string');
  return isList ? signatures : refuseReply(node, `block ${slot}: its signatures are malformed`);
}
