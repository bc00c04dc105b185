// Decodes logs of V3-like pools. PancakeSwap's pools add two words to `Swap`, which changes its
// topic; the first five words are the same.

import type { PoolId } from '../../../../model/ids.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { toPoolId } from '../../data/evm-ids.ts';
import type { DecodedEvent, EvmLog, LogDecoder } from '../../data/evm-log.ts';
import { hasWords, intAt, toInt24, uintAt } from '../../data/hex-data.ts';
import { decodeInitialized, decodeSwapped } from '../concentrated-pools.ts';
import { createCreationDecoder } from '../factory-pools.ts';
import type { VenueLogs } from '../venue-protocol.ts';
import { findV3Layout, toRangeDetails, type V3Fork } from './v3-layouts.ts';

const INITIALIZE_TOPIC = '0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95';
const MINT_TOPIC = '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde';
const BURN_TOPIC = '0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c';
const SWAP_TOPIC = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67';
const PANCAKE_SWAP_TOPIC = '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83';

export const SWAP_TOPICS = {
  [SWAP_TOPIC]: 'V3-like',
  [PANCAKE_SWAP_TOPIC]: 'PancakeSwap V3',
  // Not decoded.
  '0x121cb44ee54098b1a04743c487e7460d8dd429b27f88b1f4d4767396e1a59f79': 'Algebra Integral',
};

/** The contracts that emitted swaps in the layout of Uniswap's own pools. */
export function listRangeSwaps(logs: readonly EvmLog[]): PoolId[] {
  return logs.flatMap(({ topics, address }) =>
    topics[0] === SWAP_TOPIC ? [toPoolId(address)] : [],
  );
}

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

/** The fee of the swap after it; with one word for both directions, or one for each. */
function createFeeDecoder(wordCount: number): LogDecoder {
  return ({ address, topics, data }, out) => {
    if (topics.length !== 1 || !hasWords(data, wordCount)) return;
    const zeroForOne = Number(uintAt(data, 0));
    const fees = { zeroForOne, oneForZero: Number(uintAt(data, wordCount - 1)) };
    const change = { poolKind: 'concentrated', type: 'fees', fees, isTimed: true } as const;
    out.push({ kind: 'poolChanged', pool: toPoolId(address), change });
  };
}

/** By the topic of the log that announces their pools. */
function groupForks({ v3 }: EvmDeployment): ReadonlyMap<string, readonly V3Fork[]> {
  return Map.groupBy(v3, (fork) => findV3Layout(fork).creation.topic);
}

function createFeeDecoders({ v3 }: EvmDeployment): ReadonlyMap<string, LogDecoder> {
  const sources = v3.map((fork) => findV3Layout(fork).fee);
  return new Map(
    sources.flatMap((fee) =>
      fee.kind === 'logged' ? [[fee.topic, createFeeDecoder(fee.words.length)] as const] : [],
    ),
  );
}

function createCreationDecoders(deployment: EvmDeployment): ReadonlyMap<string, LogDecoder> {
  const decoders = new Map<string, LogDecoder>();
  for (const [topic, forks] of groupForks(deployment)) {
    const [first] = forks;
    if (first === undefined) continue;
    const { topicCount, wordCount, poolWord } = findV3Layout(first).creation;
    const readDetails = (log: EvmLog, fork: V3Fork) =>
      toRangeDetails(findV3Layout(fork).creation.readDetails(log));
    const listChanges = (_: EvmLog, fork: V3Fork) => findV3Layout(fork).creation.changes;
    const log = { topicCount, wordCount, poolWord, readDetails, listChanges };
    decoders.set(topic, createCreationDecoder(forks, log));
  }
  return decoders;
}

const POOL_DECODERS: ReadonlyMap<string, LogDecoder> = new Map<string, LogDecoder>([
  [INITIALIZE_TOPIC, decodeInitialize],
  [MINT_TOPIC, decodeMint],
  [BURN_TOPIC, decodeBurn],
  [SWAP_TOPIC, createSwapDecoder(5)],
  [PANCAKE_SWAP_TOPIC, createSwapDecoder(7)],
]);

export function describeUniswapV3Logs(deployment: EvmDeployment): VenueLogs | null {
  if (deployment.v3.length === 0) return null;
  return {
    creations: Array.from(groupForks(deployment), ([topic, forks]) => ({
      ...{ contracts: forks.map(({ factory }) => factory), topic, tokensAt: [1, 2] },
    })),
    poolTopics: [...POOL_DECODERS.keys(), ...createFeeDecoders(deployment).keys()],
    singleton: null,
  };
}

export function createUniswapV3Decoders(
  deployment: EvmDeployment,
): ReadonlyMap<string, LogDecoder> {
  return new Map([
    ...createCreationDecoders(deployment),
    ...POOL_DECODERS,
    ...createFeeDecoders(deployment),
  ]);
}
