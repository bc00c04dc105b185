// The contracts of the recorded chains: addresses, event data and call results.

import { decodeFunctionData, encodeFunctionResult, multicall3Abi } from 'viem';
import type { EvmDeployment } from '../src/chains/evm/data/deployments/evm-deployment.ts';
import { AGGREGATE3_SELECTOR } from '../src/chains/evm/rpc/multicall.ts';
import {
  DECIMALS_SELECTOR,
  NAME_SELECTOR,
  SYMBOL_SELECTOR,
  TOTAL_SUPPLY_SELECTOR,
} from '../src/chains/evm/tokens/read-token-metadata.ts';
import type { Address } from '../src/model/ids.ts';
import { address, poolId } from '../test/test-ids.ts';

export const CHAIN_ID = 1337;

/** An address from a prefix that shows its kind, and a number. */
export function buildRecordedAddress(kind: string, index: number): Address {
  return address(`0x${kind}${index.toString(16).padStart(40 - kind.length, '0')}`);
}

export const WRAPPED = buildRecordedAddress('e0', 0);
export const STABLE = buildRecordedAddress('d0', 0);
export const FACTORY = buildRecordedAddress('fac0', 2);
export const ROUTER = buildRecordedAddress('00e2', 2);
export const ANCHOR_PAIR = buildRecordedAddress('ba', 0);
const MULTICALL3 = buildRecordedAddress('ca11', 3);

export const DEPLOYMENT: EvmDeployment = {
  chain: 'devnet',
  chainId: CHAIN_ID,
  native: { symbol: 'ETH', decimals: 18 },
  wrapped: WRAPPED,
  wrappedEmitsTransfers: false,
  stables: [STABLE],
  anchorPools: [poolId(ANCHOR_PAIR)],
  v2: [
    {
      venue: 'uniswap-v2',
      factory: FACTORY,
      feePips: 3000,
      router: ROUTER,
      universalRouter: false,
    },
  ],
  v3: [],
  v4: null,
  universalRouter: null,
  permit2: null,
  multicall3: MULTICALL3,
  finalityDepth: 64,
};

export function toWord(value: bigint | number | string): string {
  const hex = typeof value === 'string' ? value.slice(2) : value.toString(16);
  return hex.padStart(64, '0');
}

export function toTopic(address: string): string {
  return `0x${toWord(address)}`;
}

export interface RecordedToken {
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
  supplyRaw: bigint;
}

export function encodeStringResult(text: string): string {
  const hex = Buffer.from(text).toString('hex');
  const padded = hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');
  return `0x${toWord(32)}${toWord(hex.length / 2)}${padded}`;
}

export type ContractCalls = (to: string, data: string) => string;

/** Answers metadata and supplies, single and through Multicall3; no data for anything else. */
export function createContractCalls(tokens: readonly RecordedToken[]): ContractCalls {
  const byAddress = new Map(tokens.map((token) => [token.address, token]));
  function callToken(to: string, data: string): string {
    const token = byAddress.get(to.toLowerCase());
    if (token === undefined) return '0x';
    switch (data.slice(0, 10)) {
      case SYMBOL_SELECTOR:
        return encodeStringResult(token.symbol);
      case NAME_SELECTOR:
        return encodeStringResult(`Recorded ${token.symbol}`);
      case DECIMALS_SELECTOR:
        return `0x${toWord(token.decimals)}`;
      case TOTAL_SUPPLY_SELECTOR:
        return `0x${toWord(token.supplyRaw)}`;
      default:
        return '0x';
    }
  }
  return (to, data) => {
    return data.startsWith(AGGREGATE3_SELECTOR)
      ? answerAggregate(data, callToken)
      : callToken(to, data);
  };
}

/** What Multicall3 returns; calls without data count as failed. */
export function answerAggregate(data: string, call: ContractCalls): string {
  const decoded = decodeFunctionData({ abi: multicall3Abi, data: data as `0x${string}` });
  if (decoded.functionName !== 'aggregate3') return '0x';
  const result = decoded.args[0].map(({ target, callData }) => {
    const returnData = call(target, callData) as `0x${string}`;
    return { success: returnData !== '0x', returnData };
  });
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
}
