// Decodes logs of Uniswap V3 pools. PancakeSwap's pools add two words to `Swap`, which changes its
// topic; the first five words are the same.

import type { EvmDeployment } from '../../evm-deployment.ts';
import { toPoolId } from '../../evm-ids.ts';
import type { DecodedEvent, EvmLog, LogDecoder } from '../../evm-log.ts';
import { hasWords, int24At, intAt, toInt24, uintAt } from '../../hex-data.ts';
import { decodeInitialized, decodeSwapped } from '../concentrated-pools.ts';
import { createCreationDecoder } from '../factory-pools.ts';
import type { VenueLogs } from '../venue-protocol.ts';

const POOL_CREATED_TOPIC = '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118';
const INITIALIZE_TOPIC = '0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95';
const MINT_TOPIC = '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde';
const BURN_TOPIC = '0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c';
const SWAP_TOPIC = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67';
const PANCAKE_SWAP_TOPIC = '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83';

function decodeInitialize(log: EvmLog, out: DecodedEvent[]): void {
  if (log.topics.length !== 1 || !hasWords(log.data, 2)) return;
  out.push({
    kind: 'poolChanged',
    pool: toPoolId(log.address),
    change: decodeInitialized(log.data, 0),
  });
}

function pushLiquidity(log: EvmLog, liquidityDelta: bigint, out: DecodedEvent[]): void {
  const [, , lower, upper] = log.topics;
  // A burn of zero only makes the pool update fees.
  if (lower === undefined || upper === undefined || liquidityDelta === 0n) return;
  out.push({
    kind: 'poolChanged',
    pool: toPoolId(log.address),
    change: {
      poolKind: 'concentrated',
      type: 'position',
      tickLower: toInt24(lower),
      tickUpper: toInt24(upper),
      liquidityDelta,
    },
  });
}

function decodeMint(log: EvmLog, out: DecodedEvent[]): void {
  if (log.topics.length === 4 && hasWords(log.data, 4)) {
    pushLiquidity(log, uintAt(log.data, 1), out);
  }
}

function decodeBurn(log: EvmLog, out: DecodedEvent[]): void {
  if (log.topics.length === 4 && hasWords(log.data, 3)) {
    pushLiquidity(log, -uintAt(log.data, 0), out);
  }
}

function createSwapDecoder(words: number): LogDecoder {
  return (log, out) => {
    const { data } = log;
    if (log.topics.length !== 3 || !hasWords(data, words)) return;
    out.push({
      kind: 'swap',
      txHash: log.txHash,
      logIndex: log.logIndex,
      pool: toPoolId(log.address),
      amount0: intAt(data, 0),
      amount1: intAt(data, 1),
      change: decodeSwapped(data, null),
    });
  };
}

export function describeUniswapV3Logs({ v3 }: EvmDeployment): VenueLogs | null {
  if (v3.length === 0) return null;
  const contracts = v3.map(({ factory }) => factory);
  return {
    creation: { contracts, topic: POOL_CREATED_TOPIC, tokensAt: [1, 2] },
    poolTopics: [INITIALIZE_TOPIC, MINT_TOPIC, BURN_TOPIC, SWAP_TOPIC, PANCAKE_SWAP_TOPIC],
    singleton: null,
  };
}

export function createUniswapV3Decoders(
  deployment: EvmDeployment,
): ReadonlyMap<string, LogDecoder> {
  return new Map<string, LogDecoder>([
    [
      POOL_CREATED_TOPIC,
      createCreationDecoder(deployment.v3, {
        topicCount: 4,
        poolWord: 1,
        readDetails: ({ topics, data }) => ({
          kind: 'concentrated',
          feePips: Number(topics[3]),
          terms: { tickSpacing: int24At(data, 0), custody: { kind: 'own' } },
        }),
      }),
    ],
    [INITIALIZE_TOPIC, decodeInitialize],
    [MINT_TOPIC, decodeMint],
    [BURN_TOPIC, decodeBurn],
    [SWAP_TOPIC, createSwapDecoder(5)],
    [PANCAKE_SWAP_TOPIC, createSwapDecoder(7)],
  ]);
}
