// The current gas price, from the fees of the last blocks.

import {
  type PaidTips,
  type Priority,
  type PriorityTips,
  pickTip,
  TOLD_PERCENTILES,
} from '../../priority.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';

export interface EvmFees {
  readonly baseFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** `maxPriorityFeePerGas` is that of `medium`. */
  readonly tips: PriorityTips;
  /** Leaves room for the base fee to double, plus the tip. */
  readonly maxFeePerGas: bigint;
}

const BLOCK_COUNT = '0xa';
/** Of the tips in a block: low, medium, high. */
const PERCENTILES = [25, 50, 90] as const;
/** Of a client's look, which is over more blocks. */
const TOLD_BLOCK_COUNT = '0x14';

const QUANTITY = /^0x[0-9a-f]{1,64}$/i;

function parseQuantity(value: unknown): bigint {
  if (typeof value === 'string' && QUANTITY.test(value)) return BigInt(value);
  throw new RpcError('invalidReply', 'quantity expected');
}

/** Of blocks with transactions; empty blocks report a tip of zero. */
function computeMedian(values: readonly bigint[]): bigint {
  const paid = values.filter((value) => value > 0n).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return paid[Math.floor(paid.length / 2)] ?? 0n;
}

function buildFees(
  baseFeePerGas: bigint,
  tips: PriorityTips,
  priority: Priority = 'medium',
): EvmFees {
  const tip = pickTip(tips, priority);
  const maxFeePerGas = 2n * baseFeePerGas + tip;
  return { baseFeePerGas, maxPriorityFeePerGas: tip, tips, maxFeePerGas };
}

/** The same fees with another tip. */
export function offerTip({ baseFeePerGas, tips }: EvmFees, priority: Priority): EvmFees {
  return buildFees(baseFeePerGas, tips, priority);
}

/** The base fee of the next block, and the median over the blocks of each percentile. */
function parseHistory(reply: unknown, percentiles: readonly number[]) {
  const { baseFeePerGas, reward } = (reply ?? {}) as { baseFeePerGas?: unknown; reward?: unknown };
  if (!Array.isArray(baseFeePerGas) || baseFeePerGas.length === 0) {
    throw new RpcError('invalidReply', 'fees expected');
  }
  // The last entry is for the next block.
  const next = parseQuantity(baseFeePerGas.at(-1));
  const rewards = Array.isArray(reward) ? reward : [];
  // Some nodes answer with one percentile, whatever is asked for.
  const findMedian = (index: number) =>
    computeMedian(
      rewards.map((one) => (Array.isArray(one) ? parseQuantity(one[index] ?? one[0]) : 0n)),
    );
  const medians = percentiles.map((_, index) => findMedian(index));
  return { next, medians, blockCount: rewards.length };
}

function toTips([low = 0n, medium = 0n, high = 0n]: readonly bigint[]): PriorityTips {
  return { low, medium, high };
}

/** The node's own estimate, if it has no fee history. */
async function readGasPrice(client: RpcClient, signal: AbortSignal) {
  const price = parseQuantity(
    await client.request({ method: 'eth_gasPrice', params: [] }, { signal }),
  );
  return { next: price, medians: [], blockCount: 0 };
}

async function readHistory(
  client: RpcClient,
  of: { readonly blockCount: string; readonly percentiles: readonly number[] },
  signal: AbortSignal,
) {
  const { blockCount, percentiles } = of;
  try {
    const params = [blockCount, 'latest', percentiles];
    const reply = await client.request({ method: 'eth_feeHistory', params }, { signal });
    return parseHistory(reply, percentiles);
  } catch (error) {
    if (!isRpcError(error, 'unsupported', 'rejected')) throw error;
    return readGasPrice(client, signal);
  }
}

export async function readNetworkFees(client: RpcClient, signal: AbortSignal): Promise<EvmFees> {
  const asked = { blockCount: BLOCK_COUNT, percentiles: PERCENTILES };
  const { next, medians } = await readHistory(client, asked, signal);
  return buildFees(next, toTips(medians));
}

/** What a client is told. */
export async function readPaidTips(client: RpcClient, signal: AbortSignal): Promise<PaidTips> {
  const asked = { blockCount: TOLD_BLOCK_COUNT, percentiles: TOLD_PERCENTILES };
  const { next, medians, blockCount } = await readHistory(client, asked, signal);
  const percentiles = TOLD_PERCENTILES.map((_, index) => medians[index] ?? 0n);
  const tips = PERCENTILES.map((one) => percentiles[TOLD_PERCENTILES.indexOf(one)] ?? 0n);
  return {
    ...{ tips: toTips(tips), percentiles, blockCount },
    ...{ basePerUnit: next, baseRaw: 0n, accounts: [] },
  };
}
