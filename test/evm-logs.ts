// Logs of any contract as viem encodes them, what our decoders make of them, and contracts that
// answer calls from a table.

import { type AbiEvent, encodeAbiParameters, encodeEventTopics, parseAbiItem } from 'viem';
import type { EvmDeployment } from '../src/chains/evm/data/deployments/evm-deployment.ts';
import type { DecodedEvent, EvmLog } from '../src/chains/evm/data/evm-log.ts';
import { createLogDecoding } from '../src/chains/evm/venues/log-decoding.ts';
import type { Address } from '../src/model/ids.ts';
import { transactionId } from './test-ids.ts';

export function encodeTestLog(
  signature: string,
  emitter: Address,
  args: Readonly<Record<string, unknown>>,
): EvmLog {
  const item = parseAbiItem(signature) as AbiEvent;
  const plain = item.inputs.filter((input) => input.indexed !== true);
  return {
    address: emitter,
    topics: encodeEventTopics({ abi: [item], args } as never) as string[],
    data: encodeAbiParameters(
      plain,
      plain.map((input) => args[input.name ?? '']),
    ),
    ...{ block: 1, blockHash: `0x${'1'.repeat(64)}`, logIndex: 3, timestampMs: null },
    txHash: transactionId(`0x${'7'.repeat(64)}`),
  };
}

export function decodeTestLog(deployment: EvmDeployment, log: EvmLog): DecodedEvent[] {
  return createLogDecoding(deployment)
    .decode([log])
    .blocks.flatMap(({ events }) => events);
}

/** Contracts by their address and call data; others do not respond. */
export function createTestContracts(answers: ReadonlyMap<string, string>) {
  return async (calls: readonly { readonly to: string; readonly data: string }[]) =>
    calls.map(({ to, data }) => answers.get(`${to} ${data}`) ?? null);
}
