// The status of a transaction, as far as any node knows it. Nodes do not tell of those that wait to
// be executed: one that nobody knows may be executed as long as its block hash lives, so the height
// up to which it was looked for is told. One that was executed and is not confirmed yet is pending.

import type { TransactionId } from '../../../model/ids.ts';
import type { TransactionFate } from '../../chain-transactions.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { listAccountKeys, type RawTransaction } from '../data/raw-transaction.ts';
import { parseSolanaPool } from '../data/solana-ids.ts';
import { isTransaction } from '../rpc/parse-solana-block.ts';
import { addTime, HEADER, readExistingBlock } from '../rpc/slot-blocks.ts';
import { parseSlot } from '../rpc/solana-dialect.ts';
import { CONFIRMED, FINALIZED, refuseReply } from '../rpc/solana-node.ts';
import { NEWEST_VERSION } from '../rpc/transaction-versions.ts';
import { explainFailure } from './explain-failure.ts';
import { readSenderChanges } from './sender-changes.ts';

const UNKNOWN: TransactionFate = { state: 'unknown' };

/** Whether a node has executed it in a block that is not confirmed. */
async function readUnconfirmed(
  endpoint: RpcEndpoint,
  signature: TransactionId,
  signal?: AbortSignal,
): Promise<TransactionFate> {
  const call = { method: 'getSignatureStatuses', params: [[signature]] };
  const reply = (await endpoint.request(call, signal)) as { readonly value?: unknown } | null;
  const statuses = reply?.value;
  if (!Array.isArray(statuses)) return refuseReply(endpoint, 'statuses are malformed');
  return statuses[0] == null ? UNKNOWN : { state: 'pending' };
}

/** Whether it failed, and why. */
function describeEnd({ meta }: RawTransaction) {
  if (meta === null || meta.err === null) return { isReverted: false };
  return { isReverted: true, reason: explainFailure(meta.err, meta.logMessages) };
}

async function readAt(
  endpoint: RpcEndpoint,
  signature: TransactionId,
  signal?: AbortSignal,
): Promise<TransactionFate> {
  const config = {
    ...{ encoding: 'json', maxSupportedTransactionVersion: NEWEST_VERSION, ...CONFIRMED },
  };
  const call = { method: 'getTransaction', params: [signature, config] };
  const reply = await endpoint.request(call, signal);
  if (reply === null) return await readUnconfirmed(endpoint, signature, signal);
  const slot = parseSlot((reply as { slot?: unknown }).slot);
  if (slot === null || !isTransaction(reply)) {
    return refuseReply(endpoint, 'a transaction is malformed');
  }
  const block = await readExistingBlock(endpoint, { slot, detail: HEADER }, signal);
  // There was a fork in between: it waits to be executed again, or is gone.
  if (block === null) return { state: 'pending' };
  const pools = listAccountKeys(reply).map(parseSolanaPool);
  return {
    state: 'mined',
    ...describeEnd(reply),
    block: await addTime(endpoint, block.header, signal),
    poolCandidates: pools.filter((pool) => pool !== null),
    changes: readSenderChanges(reply),
  };
}

async function readFinalHeight(endpoint: RpcEndpoint): Promise<number> {
  const height = await endpoint.request({ method: 'getBlockHeight', params: [FINALIZED] });
  if (!Number.isSafeInteger(height)) return refuseReply(endpoint, 'the block height is malformed');
  return height as number;
}

/** Without a height a transaction that is found is found all the same. */
function giveUpHeight(error: unknown): null {
  if (isRpcError(error)) return null;
  throw error;
}

/** The height is read before the look, so that a transaction of that block is found. */
export async function readSignatureFate(
  client: RpcClient,
  signature: TransactionId,
): Promise<TransactionFate> {
  const searchedHeight = await client.at(readFinalHeight).catch(giveUpHeight);
  const fate = await readKnownFate(client, signature);
  if (fate.state !== 'unknown' || searchedHeight === null) return fate;
  return { state: 'unknown', searchedHeight };
}

/** If one node does not know it, all are asked. */
async function readKnownFate(
  client: RpcClient,
  signature: TransactionId,
  signal?: AbortSignal,
): Promise<TransactionFate> {
  const fate = await client.at((endpoint) => readAt(endpoint, signature, signal), { signal });
  if (fate.state === 'mined' || client.endpoints.length === 1) return fate;
  const all = await client.atEach((endpoint) => readAt(endpoint, signature, signal), signal);
  const states = ['mined', 'pending'] as const;
  const [best = fate] = states.flatMap((state) =>
    all.flatMap(({ value }) => (value.state === state ? [value] : [])),
  );
  return best;
}
