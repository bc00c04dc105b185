// Carries waiting transactions from one node to another: a saved chain does not contain them.

import type { Address, Hex } from 'viem';
import { recoverTransactionAddress } from 'viem';
import type { DevnetRpcCall, JsonRpc } from './json-rpc.ts';

interface PoolTransaction {
  readonly hash: Hex;
  readonly from: Address;
  readonly nonce: Hex;
  readonly [field: string]: unknown;
}

interface PoolContent {
  readonly pending: Readonly<Record<Address, Readonly<Record<string, PoolTransaction>>>>;
  readonly queued: Readonly<Record<Address, Readonly<Record<string, PoolTransaction>>>>;
}

/** What a request to send may contain. */
const REQUEST_FIELDS = [
  ...['from', 'to', 'gas', 'value', 'input', 'nonce', 'chainId', 'accessList', 'type'],
  ...['gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas'],
];

async function isSignedBy(raw: Hex, from: Address): Promise<boolean> {
  const serializedTransaction = raw as Parameters<
    typeof recoverTransactionAddress
  >[0]['serializedTransaction'];
  const signer = await recoverTransactionAddress({ serializedTransaction }).catch(() => null);
  return signer?.toLowerCase() === from.toLowerCase();
}

/** A transaction of an impersonated sender has no valid signature and is made again. */
async function buildCall(rpc: JsonRpc, transaction: PoolTransaction): Promise<DevnetRpcCall> {
  const raw = await rpc.call<Hex | null>('eth_getRawTransactionByHash', transaction.hash);
  if (raw !== null && (await isSignedBy(raw, transaction.from))) {
    return { method: 'eth_sendRawTransaction', params: [raw] };
  }
  const isDynamic = transaction['maxFeePerGas'] !== undefined;
  const fields = REQUEST_FIELDS.filter(
    (field) => transaction[field] != null && !(isDynamic && field === 'gasPrice'),
  );
  const request = Object.fromEntries(fields.map((field) => [field, transaction[field]]));
  return { method: 'eth_sendUnsignedTransaction', params: [request] };
}

/** Returns the transactions that the other node did not take. */
export async function carryPool(from: JsonRpc, to: JsonRpc): Promise<readonly Hex[]> {
  const { pending, queued } = await from.call<PoolContent>('txpool_content');
  const transactions = [pending, queued]
    .flatMap((senders) => Object.values(senders))
    .flatMap((byNonce) => Object.values(byNonce))
    .sort((one, other) => Number(one.nonce) - Number(other.nonce));
  const lost: Hex[] = [];
  for (const transaction of transactions) {
    const call = await buildCall(from, transaction);
    const [reply] = await to.ask([call]);
    if (reply?.result !== transaction.hash) lost.push(transaction.hash);
  }
  return lost;
}
