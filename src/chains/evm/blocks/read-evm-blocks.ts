// Reads headers and senders in as few requests as possible, all from one endpoint.

import type { Address, TransactionId } from '../../../model/ids.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { LogEndpoint } from '../../rpc/rpc-endpoint.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { toQuantity } from '../data/hex-data.ts';
import { type EvmBlock, parseBlock, parseSender } from '../data/parse-block.ts';

export interface BlockWish {
  readonly block: number;
  /** With its transactions, for their senders. */
  readonly full: boolean;
}

const BLOCK_METHOD = 'eth_getBlockByNumber';
/** Full blocks may be large, so few of them are asked for until their size is known. */
const FULL_BLOCKS_AT_FIRST = 10;

export function buildBlockCall({ block, full }: BlockWish): RpcCall {
  return { method: BLOCK_METHOD, params: [toQuantity(block), full] };
}

interface BlockReadOptions {
  readonly linked: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The requested blocks, in order. Unless the caller checks that they link to its own, the chain id
 * is in the same batch: an endpoint that has switched chains must not be trusted for one block.
 */
export async function readEvmBlocks(
  endpoint: LogEndpoint,
  wishes: readonly BlockWish[],
  options: BlockReadOptions,
): Promise<EvmBlock[]> {
  if (wishes.length === 0) return [];
  const found = await findBlocks(endpoint, wishes, options);
  const missing = wishes.filter(({ block }) => !found.has(block));
  // Behind the URL there may be several machines, one of which is behind: another is asked.
  if (missing.length > 0 && found.size > 0) {
    for (const [position, block] of await findBlocks(endpoint, missing, options)) {
      found.set(position, block);
    }
  }
  return wishes.map((wish) => {
    const block = found.get(wish.block);
    if (block !== undefined) return block;
    throw new RpcError('lagging', `${endpoint.name}: has no block ${wish.block}`, {
      endpoint: endpoint.name,
    });
  });
}

/** By position. */
async function findBlocks(
  endpoint: LogEndpoint,
  wishes: readonly BlockWish[],
  { linked, signal }: BlockReadOptions,
): Promise<Map<number, EvmBlock>> {
  const calls: RpcCall[] = wishes.map(buildBlockCall);
  if (!linked) calls.push({ method: 'eth_chainId', params: [] });
  const heavy = wishes.filter((wish) => wish.full).length > FULL_BLOCKS_AT_FIRST;
  const outcomes = await endpoint.batch(calls, {
    signal,
    ...(heavy ? { callsAtFirst: FULL_BLOCKS_AT_FIRST } : {}),
    // Of a full block little is kept.
    pick: (result, { method }) =>
      method === BLOCK_METHOD ? parseBlock(result, endpoint.name) : result,
  });
  if (!linked) await endpoint.assertChain(endpoint.unwrap(outcomes.pop()), signal);
  const blocks = outcomes.flatMap((outcome) => (endpoint.unwrap(outcome) as EvmBlock | null) ?? []);
  return new Map(blocks.map((block) => [block.header.position, block]));
}

interface SenderWish {
  readonly txHash: TransactionId;
  readonly blockHash: string;
}

/** Senders of single transactions, by hash. */
export async function readSenders(
  endpoint: LogEndpoint,
  wishes: readonly SenderWish[],
  signal?: AbortSignal,
): Promise<Map<TransactionId, Address>> {
  const outcomes = await endpoint.batch(
    wishes.map(({ txHash }) => ({ method: 'eth_getTransactionByHash', params: [txHash] })),
    { signal },
  );
  return new Map(
    wishes.map((wish, index) => [
      wish.txHash,
      parseSender(endpoint.unwrap(outcomes[index]), { ...wish, endpoint: endpoint.name }),
    ]),
  );
}
