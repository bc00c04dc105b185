// What a transaction changed of the wallet that sent it: tokens from the logs of its receipt, the
// native coin, which has no logs, from the wallet's balances before and after the block.
//
// Those also change by the network's fee, which the receipt tells, and by the wallet's other
// transactions in the block: if its nonce says that there are any, the change is not known.

import type { Address } from '../../../model/ids.ts';
import type { BalanceChange } from '../../chain-transactions.ts';
import type { RpcOutcome } from '../../rpc/parse-rpc-reply.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import { parseEvmAddress } from '../data/evm-ids.ts';
import { hasWords, toQuantity, toTopicAddress, uintAt } from '../data/hex-data.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { TRANSFER_TOPIC } from '../tokens/decode-transfer.ts';

type Fields = Readonly<Record<string, unknown>>;

const HEX = /^0x[0-9a-f]+$/i;

function parseAmount(value: unknown): bigint | null {
  return typeof value === 'string' && HEX.test(value) ? BigInt(value) : null;
}

/** Of the tokens whose contracts logged transfers of the sender. Changes of zero are left out. */
export function readTokenChanges({ from, logs }: Fields): BalanceChange[] {
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
export function listCoinCalls(receipt: Fields, tokens: readonly BalanceChange[]): RpcCall[] {
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
export function readCoinChange(receipt: Fields, outcomes: readonly RpcOutcome[]): BalanceChange[] {
  const amounts = outcomes.map((outcome) => (outcome.ok ? parseAmount(outcome.result) : null));
  const [before, after, nonceBefore, nonceAfter] = amounts;
  const fee = readFee(receipt);
  if (before == null || after == null || fee === null) return [];
  const isAlone = nonceBefore != null && nonceAfter === nonceBefore + 1n;
  const deltaRaw = after - before + fee;
  return isAlone && deltaRaw !== 0n ? [{ token: ZERO_ADDRESS, deltaRaw }] : [];
}
