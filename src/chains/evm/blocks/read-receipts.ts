// Reads blocks by their receipts, which have all logs and senders.

import type { Address, TransactionId } from '../../../model/ids.ts';
import type { EvmLog } from '../evm-log.ts';
import { toQuantity } from '../hex-data.ts';
import type { RpcCall, RpcEndpoint } from '../rpc/rpc-endpoint.ts';
import { RpcError } from '../rpc/rpc-error.ts';
import { joinBlocks, type KnownBlocks } from './known-blocks.ts';
import { type EvmBlock, parseBlock } from './parse-block.ts';
import { parseReceipts } from './parse-receipts.ts';
import { type BlockWish, buildBlockCall } from './read-evm-blocks.ts';

interface ReadReceipts {
  readonly logs: readonly EvmLog[];
  readonly senders: ReadonlyMap<TransactionId, Address>;
  readonly blocks: readonly EvmBlock[];
}

function buildReceiptsCall({ block }: BlockWish): RpcCall {
  return { method: 'eth_getBlockReceipts', params: [toQuantity(block)] };
}

/**
 * A bloom filter cannot show that the last receipts are missing; the block's gas can. A header that
 * was known before may be of another branch than the receipts, which says nothing about them.
 */
function assertComplete(
  endpoint: RpcEndpoint,
  block: EvmBlock,
  receipts: { readonly gasUsed: number | null; readonly isHeaderFresh: boolean },
): void {
  const { gasUsed, isHeaderFresh } = receipts;
  if (gasUsed === null || block.gasUsed === null || gasUsed === block.gasUsed) return;
  const message = `${endpoint.name}: receipts of block ${block.header.position} do not add up`;
  if (!isHeaderFresh) throw new RpcError('invalidReply', message, { endpoint: endpoint.name });
  endpoint.limitations.note('receipts', 'sent incomplete receipts; blocks are read by their logs');
  throw new RpcError('unsupported', message, { endpoint: endpoint.name });
}

/** The receipts of every block, with the headers that are not known, in one request. */
export async function readReceipts(
  endpoint: RpcEndpoint,
  from: { readonly wishes: readonly BlockWish[]; readonly known: KnownBlocks },
  signal?: AbortSignal,
): Promise<ReadReceipts> {
  const { wishes, known } = from;
  const { name } = endpoint;
  const unknown = wishes.filter(({ block }) => !known.has(block));
  const calls = [...wishes.map(buildReceiptsCall), ...unknown.map(buildBlockCall)];
  const outcomes = await endpoint.batch(calls, { signal });
  const receipts = wishes.map(({ block }, index) => {
    const range = { fromBlock: block, toBlock: block, endpoint: name };
    return parseReceipts(endpoint.unwrap(outcomes[index]), range);
  });
  const read = unknown.map(({ block }, index) => {
    const found = parseBlock(endpoint.unwrap(outcomes[wishes.length + index]), name);
    if (found?.header.position === block) return found;
    throw new RpcError('lagging', `${name}: has no block ${block}`, { endpoint: name });
  });
  const blocks = joinBlocks(wishes, known, read);
  for (const [index, block] of blocks.entries()) {
    const isHeaderFresh = !known.has(block.header.position);
    assertComplete(endpoint, block, { gasUsed: receipts[index]?.gasUsed ?? null, isHeaderFresh });
  }
  return {
    blocks,
    logs: receipts.flatMap(({ logs }) => logs),
    senders: new Map(receipts.flatMap(({ senders }) => [...senders])),
  };
}
