// What rollups charge for putting a transaction's data on their parent chain: Arbitrum as gas that
// no simulation sees, the OP chains as a fee beside the gas.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { Address } from '../../../model/ids.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { Rollup } from '../data/deployments/evm-deployment.ts';
import { evmAddress } from '../data/evm-ids.ts';
import { uintAt } from '../data/hex-data.ts';

export interface DataCost {
  /** Belongs into the gas limit of each transaction, in their order. */
  readonly gas: readonly bigint[];
  /** Is taken from the wallet on top of all gas. */
  readonly feesRaw: bigint;
}

interface SentCall {
  readonly to: Address;
  readonly data: string;
}

/** A contract that only nodes pretend to have. */
const ARBITRUM_NODE_INTERFACE = evmAddress('0x00000000000000000000000000000000000000c8');
const OP_GAS_PRICE_ORACLE = evmAddress('0x420000000000000000000000000000000000000f');

const COST_ABI = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
  'function getL1Fee(bytes data) view returns (uint256)',
]);

/** Stands for nonce, fees, addresses and signature, which hardly compress. */
const ENVELOPE = Array.from({ length: 180 }, (_, index) => ((index * 167 + 13) % 251) + 1)
  .map((byte) => byte.toString(16).padStart(2, '0'))
  .join('');
/** The parent chain's fees move while the wallet makes up its mind. */
const RESERVE_PCT = 125n;

function buildQuestion(rollup: Rollup, { to, data }: SentCall): RpcCall {
  const call =
    rollup === 'arbitrum'
      ? {
          to: ARBITRUM_NODE_INTERFACE,
          data: encodeFunctionData({
            abi: COST_ABI,
            functionName: 'gasEstimateL1Component',
            args: [to as Hex, false, data as Hex],
          }),
        }
      : {
          to: OP_GAS_PRICE_ORACLE,
          data: encodeFunctionData({
            abi: COST_ABI,
            functionName: 'getL1Fee',
            args: [`${data}${ENVELOPE}` as Hex],
          }),
        };
  return { method: 'eth_call', params: [call, 'latest'] };
}

function decodeNumber(value: unknown): bigint | null {
  return typeof value === 'string' && /^0x[0-9a-f]{64}/i.test(value) ? uintAt(value, 0) : null;
}

/** For each in order, with the reserve; null where the node does not report it. */
export async function readDataCosts(
  client: RpcClient,
  rollup: Rollup,
  sent: readonly SentCall[],
): Promise<(bigint | null)[]> {
  const outcomes = await client.at((endpoint) =>
    endpoint.batch(sent.map((one) => buildQuestion(rollup, one))),
  );
  return outcomes.map((outcome) => {
    const cost = outcome.ok ? decodeNumber(outcome.result) : null;
    return cost === null ? null : (cost * RESERVE_PCT) / 100n;
  });
}

/** Zeros if the chain is not a rollup or its node does not report the cost. */
export async function readDataCost(
  client: RpcClient,
  rollup: Rollup | null,
  sent: readonly SentCall[],
): Promise<DataCost> {
  const none = sent.map(() => 0n);
  if (rollup === null) return { gas: none, feesRaw: 0n };
  const costs = (await readDataCosts(client, rollup, sent)).map((cost) => cost ?? 0n);
  if (rollup === 'arbitrum') return { gas: costs, feesRaw: 0n };
  return { gas: none, feesRaw: costs.reduce((sum, cost) => sum + cost, 0n) };
}
