// Reads blocks by their receipts, which have all logs and senders.

import type { Address, TransactionId } from '../../../model/ids.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import type { EvmLog } from '../data/evm-log.ts';
import { toQuantity } from '../data/hex-data.ts';
import { type EvmBlock, parseBlock } from '../data/parse-block.ts';
import { joinBlocks, type KnownBlocks } from './known-blocks.ts';
import { parseReceipts } from './parse-receipts.ts';
import { type BlockWish, buildBlockCall } from './read-evm-blocks.ts';

interface ReadReceipts {
  readonly logs: EvmLog[];
  readonly senders: ReadonlyMap<TransactionId, Address>;
  readonly blocks: readonly EvmBlock[];
}

/** Of a few blocks all is asked for at once; receipts of more may be megabytes. */
const CALLS_AT_FIRST = 16;

function buildReceiptsCall({ block }: BlockWish): RpcCall {
  return { method: 'eth_getBlockReceipts', params: [toQuantity(block)] };
}

/** A bloom filter cannot show that the last receipts are missing; the block's gas can. */
function isComplete({ gasUsed }: EvmBlock, receiptsGas: number | null): boolean {
  return receiptsGas === null || gasUsed === null || receiptsGas === gasUsed;
}

interface WantedReceipts {
  readonly wishes: readonly BlockWish[];
  readonly known: KnownBlocks;
}

/** The receipts of every block, with the headers that are not known, in one request. */
export async function readReceipts(
  endpoint: RpcEndpoint,
  from: WantedReceipts,
  signal?: AbortSignal,
): Promise<ReadReceipts> {
  const first = await readOnce(endpoint, from, signal);
  if (first.incomplete.length === 0) return first;
  // A header that was known before may be of another branch: it is read anew.
  if (first.incomplete.some((block) => from.known.has(block))) {
    throw buildError(endpoint, 'invalidReply', first);
  }
  // The two calls for a block may be answered from two branches during a reorganisation, but not
  // twice in a row.
  const second = await readOnce(endpoint, from, signal);
  if (second.incomplete.length === 0) return second;
  endpoint.limitations.note('receipts', 'sent incomplete receipts; blocks are read by their logs');
  throw buildError(endpoint, 'unsupported', second);
}

function buildError(
  endpoint: RpcEndpoint,
  kind: 'invalidReply' | 'unsupported',
  { incomplete }: { readonly incomplete: readonly number[] },
): RpcError {
  const { name } = endpoint;
  const message = `${name}: receipts of block ${incomplete[0]} do not add up`;
  return new RpcError(kind, message, { endpoint: name });
}

async function readOnce(
  endpoint: RpcEndpoint,
  { wishes, known }: WantedReceipts,
  signal?: AbortSignal,
): Promise<ReadReceipts & { readonly incomplete: readonly number[] }> {
  const { name } = endpoint;
  const unknown = wishes.filter(({ block }) => !known.has(block));
  const calls = [...wishes.map(buildReceiptsCall), ...unknown.map(buildBlockCall)];
  const outcomes = await endpoint.batch(calls, { signal, callsAtFirst: CALLS_AT_FIRST });
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
  return {
    blocks,
    logs: receipts.flatMap(({ logs }) => logs),
    senders: new Map(receipts.flatMap(({ senders }) => [...senders])),
    incomplete: blocks
      .filter((block, index) => !isComplete(block, receipts[index]?.gasUsed ?? null))
      .map(({ header }) => header.position),
  };
}
