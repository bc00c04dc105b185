// The current gas price, from the fees of the last blocks.

import { type Priority, type PriorityTips, pickTip } from '../../priority.ts';
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
const PERCENTILES = [25, 50, 90];

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

function parseHistory(reply: unknown): EvmFees {
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
  return buildFees(next, { low: findMedian(0), medium: findMedian(1), high: findMedian(2) });
}

/** The node's own estimate, if it has no fee history. */
async function readGasPrice(client: RpcClient, signal: AbortSignal): Promise<EvmFees> {
  const price = parseQuantity(
    await client.request({ method: 'eth_gasPrice', params: [] }, { signal }),
  );
  return buildFees(price, { low: 0n, medium: 0n, high: 0n });
}

export async function readNetworkFees(client: RpcClient, signal: AbortSignal): Promise<EvmFees> {
  try {
    const params = [BLOCK_COUNT, 'latest', PERCENTILES];
    return parseHistory(await client.request({ method: 'eth_feeHistory', params }, { signal }));
  } catch (error) {
    if (!isRpcError(error, 'unsupported', 'rejected')) throw error;
    return readGasPrice(client, signal);
  }
}
