// Decodes logs of Uniswap V2 pairs. `Sync` includes every change by mints and burns, so those are
// not read.

import type { EvmDeployment } from '../../evm-deployment.ts';
import { toPoolId } from '../../evm-ids.ts';
import type { DecodedEvent, EvmLog, LogDecoder } from '../../evm-log.ts';
import { hasWords, uintAt } from '../../hex-data.ts';
import { createCreationDecoder } from '../factory-pools.ts';
import type { VenueLogs } from '../venue-protocol.ts';

export const PAIR_CREATED_TOPIC =
  '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9';
export const SYNC_TOPIC = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1';
export const SWAP_TOPIC = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822';

function decodeSync(log: EvmLog, out: DecodedEvent[]): void {
  if (log.topics.length !== 1 || !hasWords(log.data, 2)) return;
  out.push({
    kind: 'poolChanged',
    pool: toPoolId(log.address),
    change: {
      poolKind: 'constantProduct',
      reserve0: uintAt(log.data, 0),
      reserve1: uintAt(log.data, 1),
    },
  });
}

function decodeSwap(log: EvmLog, out: DecodedEvent[]): void {
  const { data } = log;
  if (log.topics.length !== 3 || !hasWords(data, 4)) return;
  out.push({
    kind: 'swap',
    txHash: log.txHash,
    logIndex: log.logIndex,
    pool: toPoolId(log.address),
    amount0: uintAt(data, 0) - uintAt(data, 2),
    amount1: uintAt(data, 1) - uintAt(data, 3),
    change: null,
  });
}

export function describeUniswapV2Logs({ v2 }: EvmDeployment): VenueLogs | null {
  if (v2.length === 0) return null;
  const contracts = v2.map(({ factory }) => factory);
  return {
    creation: { contracts, topic: PAIR_CREATED_TOPIC, tokensAt: [1, 2] },
    poolTopics: [SYNC_TOPIC, SWAP_TOPIC],
    singleton: null,
  };
}

export function createUniswapV2Decoders(
  deployment: EvmDeployment,
): ReadonlyMap<string, LogDecoder> {
  return new Map<string, LogDecoder>([
    [
      PAIR_CREATED_TOPIC,
      createCreationDecoder(deployment.v2, {
        topicCount: 3,
        poolWord: 0,
        readDetails: (_, { feePips }) => ({ kind: 'constantProduct', feePips, terms: null }),
      }),
    ],
    [SYNC_TOPIC, decodeSync],
    [SWAP_TOPIC, decodeSwap],
  ]);
}
