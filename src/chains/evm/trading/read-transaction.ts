// The status of a transaction, as far as any node knows it.

import type { Address, PoolId, TransactionId } from '../../../model/ids.ts';
import type { BalanceChange, TransactionFate } from '../../chain-transactions.ts';
import type { RpcOutcome } from '../../rpc/parse-rpc-reply.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { parseEvmAddress, parseEvmPool } from '../data/evm-ids.ts';
import { hasWords, toQuantity, toTopicAddress, uintAt } from '../data/hex-data.ts';
import { parseBlock } from '../data/parse-block.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { TRANSFER_TOPIC } from '../tokens/decode-transfer.ts';

// What a transaction changed of the wallet that sent it: tokens from the logs of its receipt, the
// native coin, which has no logs, from the wallet's balances before and after the block.
//
// Those also change by the network's fee, which the receipt tells, and by the wallet's other
// transactions in the block: if its nonce says that there are any, the change is not known.

type Fields = Readonly<Record<string, unknown>>;

const HEX = /^0x[0-9a-f]+$/i;

function parseAmount(value: unknown): bigint | null {
  return typeof value === 'string' && HEX.test(value) ? BigInt(value) : null;
}

/** Of the tokens whose contracts logged transfers of the sender. Changes of zero are left out. */
function readTokenChanges({ from, logs }: Fields): BalanceChange[] {
  const wallet = parseEvmAddress(String(from));
  const sums = new Map<Address, bigint>();
  for (const log of Array.isArray(logs) ? (logs as (Fields | null)[]) : []) {
    const topics = Array.isArray(log?.['topics']) ? log['topics'].map(String) : [];
    const data = String(log?.['data']);
    const token = parseEvmAddress(String(log?.['address']));
    const isTransfer = topics[0] === TRANSFER_TOPIC && topics.length === 3 && hasWords(data, 1);
    if (token === null || !isTransfer || !HEX.test(data)) continue;
    const amountRaw = uintAt(data, 0);
    const add = (deltaRaw: bigint) => sums.set(token, (sums.get(token) ?? 0n) + deltaRaw);
    if (toTopicAddress(topics[1]) === wallet) add(-amountRaw);
    if (toTopicAddress(topics[2]) === wallet) add(amountRaw);
  }
  return [...sums]
    .filter(([, deltaRaw]) => deltaRaw !== 0n)
    .map(([token, deltaRaw]) => ({ token, deltaRaw }));
}

/** None if the tokens tell both what was paid and what was received. */
function listCoinCalls(receipt: Fields, tokens: readonly BalanceChange[]): RpcCall[] {
  const { from, blockNumber } = receipt;
  const isWhole =
    tokens.some(({ deltaRaw }) => deltaRaw < 0n) && tokens.some(({ deltaRaw }) => deltaRaw > 0n);
  if (isWhole || tokens.length === 0) return [];
  const blocks = [toQuantity(Number(blockNumber) - 1), blockNumber];
  return ['eth_getBalance', 'eth_getTransactionCount'].flatMap((method) =>
    blocks.map((block) => ({ method, params: [from, block] })),
  );
}

/** On OP chains with what the parent chain charges; null if the receipt does not tell. */
function readFee(receipt: Fields): bigint | null {
  const gasUsed = parseAmount(receipt['gasUsed']);
  const gasPrice = parseAmount(receipt['effectiveGasPrice']);
  const operatorFees = [receipt['operatorFeeScalar'], receipt['operatorFeeConstant']];
  const hasOperatorFee = operatorFees.some((value) => (parseAmount(value) ?? 0n) > 0n);
  if (gasUsed === null || gasPrice === null || hasOperatorFee) return null;
  return gasUsed * gasPrice + (parseAmount(receipt['l1Fee']) ?? 0n);
}

/** From the outcomes of `listCoinCalls`. Nothing if they do not tell, as of a block of long ago. */
function readCoinChange(receipt: Fields, outcomes: readonly RpcOutcome[]): BalanceChange[] {
  const amounts = outcomes.map((outcome) => (outcome.ok ? parseAmount(outcome.result) : null));
  const [before, after, nonceBefore, nonceAfter] = amounts;
  const fee = readFee(receipt);
  if (before == null || after == null || fee === null) return [];
  const isAlone = nonceBefore != null && nonceAfter === nonceBefore + 1n;
  const deltaRaw = after - before + fee;
  return isAlone && deltaRaw !== 0n ? [{ token: ZERO_ADDRESS, deltaRaw }] : [];
}

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
