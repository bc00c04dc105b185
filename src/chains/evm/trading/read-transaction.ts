// The status of a transaction, as far as any node knows it.

import type { PoolId, TransactionId } from '../../../model/ids.ts';
import type { TransactionFate } from '../../chain-transactions.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { parseEvmPool } from '../data/evm-ids.ts';
import { parseBlock } from '../data/parse-block.ts';
import { listCoinCalls, readCoinChange, readTokenChanges } from './sender-changes.ts';

const UNKNOWN: TransactionFate = { state: 'unknown' };
const QUANTITY = /^0x[0-9a-f]{1,13}$/i;
/** No transaction of a trade touches more pools. */
const CANDIDATES_MAX = 500;

type TransactionFields = Readonly<Record<string, unknown>>;

function malformed({ name }: RpcEndpoint): RpcError {
  return new RpcError('invalidReply', `${name}: malformed receipt`, { endpoint: name });
}

function parseFields(value: unknown, endpoint: RpcEndpoint): TransactionFields | null {
  if (value === null) return null;
  if (typeof value !== 'object') throw malformed(endpoint);
  return value as TransactionFields;
}

/** V2 and V3 pools speak for themselves, V4's manager names the pool in the first topic. */
function listCandidates(logs: unknown): PoolId[] {
  const found = new Set<PoolId>();
  for (const log of Array.isArray(logs) ? logs : []) {
    const { address, topics } = (log ?? {}) as TransactionFields;
    const first: unknown = Array.isArray(topics) ? topics[1] : null;
    for (const text of [address, first]) {
      const pool = typeof text === 'string' ? parseEvmPool(text) : null;
      if (pool !== null) found.add(pool);
    }
    if (found.size >= CANDIDATES_MAX) break;
  }
  return [...found];
}

async function readAt(
  endpoint: RpcEndpoint,
  txHash: TransactionId,
  signal?: AbortSignal,
): Promise<TransactionFate> {
  const [receiptOutcome, transactionOutcome] = await endpoint.batch(
    [
      { method: 'eth_getTransactionReceipt', params: [txHash] },
      { method: 'eth_getTransactionByHash', params: [txHash] },
    ],
    { signal },
  );
  const receipt = parseFields(endpoint.unwrap(receiptOutcome), endpoint);
  if (receipt === null) {
    const transaction = parseFields(endpoint.unwrap(transactionOutcome), endpoint);
    return transaction === null ? UNKNOWN : { state: 'pending' };
  }
  const { blockNumber, blockHash, status, logs } = receipt;
  if (typeof blockNumber !== 'string' || !QUANTITY.test(blockNumber)) throw malformed(endpoint);
  const isReverted = status === '0x0';
  const tokens = isReverted ? [] : readTokenChanges(receipt);
  const [blockOutcome, ...coinOutcomes] = await endpoint.batch(
    [
      { method: 'eth_getBlockByNumber', params: [blockNumber, false] },
      ...listCoinCalls(receipt, tokens),
    ],
    { signal },
  );
  const block = parseBlock(endpoint.unwrap(blockOutcome), endpoint.name);
  // There was a reorganisation in between: it waits to be mined again, or is gone.
  const isGone = block === null || block.header.hash !== String(blockHash).toLowerCase();
  if (isGone) return { state: 'pending' };
  return {
    state: 'mined',
    isReverted,
    block: block.header,
    poolCandidates: listCandidates(logs),
    changes: [...tokens, ...readCoinChange(receipt, coinOutcomes)],
  };
}

/** If one node does not know it, all are asked. */
export async function readTransaction(
  client: RpcClient,
  txHash: TransactionId,
  signal?: AbortSignal,
): Promise<TransactionFate> {
  const fate = await client.at((endpoint) => readAt(endpoint, txHash, signal), { signal });
  if (fate.state === 'mined' || client.endpoints.length === 1) return fate;
  const all = await client.atEach((endpoint) => readAt(endpoint, txHash, signal), signal);
  const fates = all.map(({ value }) => value);
  return (
    fates.find(({ state }) => state === 'mined') ??
    fates.find(({ state }) => state === 'pending') ??
    fate
  );
}
