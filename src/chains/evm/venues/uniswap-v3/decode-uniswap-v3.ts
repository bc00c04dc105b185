// Decodes logs of V3-like pools. PancakeSwap's pools add two words to `Swap`, which changes its
// topic; the first five words are the same. So do those of Algebra Integral 1.2, with the two parts
// of a fee that their plugin chose; version 1.2.10 logs these by themselves, before the swap.

import type { PoolId } from '../../../../model/ids.ts';
import type { PoolShapes } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { toPoolId } from '../../data/evm-ids.ts';
import type { DecodedEvent, EvmLog, LogDecoder } from '../../data/evm-log.ts';
import { hasWords, intAt, toInt24, uintAt } from '../../data/hex-data.ts';
import { decodeInitialized, decodeSwapped } from '../concentrated-pools.ts';
import { createCreationDecoder } from '../factory-pools.ts';
import type { VenueLogs } from '../venue-protocol.ts';
import {
  findV3Layout,
  toFeeRule,
  toRangeDetails,
  type V3Creation,
  type V3Fork,
} from './v3-layouts.ts';

const INITIALIZE_TOPIC = '0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95';
const MINT_TOPIC = '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde';
const BURN_TOPIC = '0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c';
const SWAP_TOPIC = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67';
const PANCAKE_SWAP_TOPIC = '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83';

const INTEGRAL_SWAP_TOPIC = '0x121cb44ee54098b1a04743c487e7460d8dd429b27f88b1f4d4767396e1a59f79';
const INTEGRAL_BURN_TOPIC = '0x932214d4a69c27c086643126ed97c32681da179064c678836c173f99bd13ca01';
const SWAP_FEE_TOPIC = '0x9443903d84c9719611bd4bba871daaf18a3950d00d5d78b1a2fa701f76df54ff';
const PLUGIN_CONFIG_TOPIC = '0x3a6271b36c1b44bd6a0a0d56230602dc6919b7c17af57254306fadf5fee69dc3';

export const SWAP_TOPICS = {
  [SWAP_TOPIC]: 'V3-like',
  [PANCAKE_SWAP_TOPIC]: 'PancakeSwap V3',
  [INTEGRAL_SWAP_TOPIC]: 'Algebra Integral',
};

type RangeChange = PoolShapes['concentrated']['change'];

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

function createBurnDecoder(words: number): LogDecoder {
  return (log, out) => {
    if (log.topics.length === 4 && hasWords(log.data, words)) {
      pushLiquidity(log, -uintAt(log.data, 0), out);
    }
  };
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

function pushChange(log: EvmLog, change: RangeChange, out: DecodedEvent[]): void {
  const pool = toPoolId(log.address);
  out.push({ kind: 'poolChanged', pool, change: { poolKind: 'concentrated', ...change } });
}

/** What a plugin chose: a fee of its own is in place of the stored one, and its part on top. */
function pushChosenFee(log: EvmLog, word: number, out: DecodedEvent[]): void {
  const [override, added] = [word, word + 1].map((at) => Number(uintAt(log.data, at)));
  if (!override || added === undefined) return;
  const fee = override + added;
  pushChange(log, { type: 'fees', fees: { zeroForOne: fee, oneForZero: fee } }, out);
  pushChange(log, { type: 'feeRule', rule: 'perSwap' }, out);
}

const decodePlainSwap = createSwapDecoder(7);

function decodeIntegralSwap(log: EvmLog, out: DecodedEvent[]): void {
  if (log.topics.length !== 3 || !hasWords(log.data, 7)) return;
  pushChosenFee(log, 5, out);
  decodePlainSwap(log, out);
}

function decodeSwapFee(log: EvmLog, out: DecodedEvent[]): void {
  if (log.topics.length === 2 && hasWords(log.data, 2)) pushChosenFee(log, 0, out);
}

function decodePluginConfig(log: EvmLog, out: DecodedEvent[]): void {
  if (log.topics.length !== 1 || !hasWords(log.data, 1)) return;
  pushChange(log, { type: 'feeRule', rule: toFeeRule(uintAt(log.data, 0)) }, out);
}

/** The fee of the swap after it; with one word for both directions, or one for each. */
function createFeeDecoder(wordCount: number): LogDecoder {
  return (log, out) => {
    const { topics, data } = log;
    if (topics.length !== 1 || !hasWords(data, wordCount)) return;
    const zeroForOne = Number(uintAt(data, 0));
    const fees = { zeroForOne, oneForZero: Number(uintAt(data, wordCount - 1)) };
    pushChange(log, { type: 'fees', fees }, out);
  };
}

interface ForkCreation {
  readonly fork: V3Fork;
  readonly creation: V3Creation;
}

/** By the topic of the log that announces their pools. */
function groupForks({ v3 }: EvmDeployment): ReadonlyMap<string, readonly ForkCreation[]> {
  const all = v3.flatMap((fork) =>
    findV3Layout(fork).creations.map((creation) => ({ fork, creation })),
  );
  return Map.groupBy(all, ({ creation }) => creation.topic);
}

function createFeeDecoders({ v3 }: EvmDeployment): ReadonlyMap<string, LogDecoder> {
  const sources = v3.map((fork) => findV3Layout(fork).fee);
  return new Map(
    sources.flatMap((fee) =>
      fee.kind === 'logged' || fee.kind === 'plugged'
        ? [[fee.topic, createFeeDecoder(fee.words.length)] as const]
        : [],
    ),
  );
}

function createCreationDecoders(deployment: EvmDeployment): ReadonlyMap<string, LogDecoder> {
  const decoders = new Map<string, LogDecoder>();
  for (const [topic, creations] of groupForks(deployment)) {
    const [first] = creations;
    if (first === undefined) continue;
    const byFork = new Map(creations.map(({ fork, creation }) => [fork, creation]));
    const find = (fork: V3Fork) => byFork.get(fork) ?? first.creation;
    const readDetails = (log: EvmLog, fork: V3Fork) => toRangeDetails(find(fork).readDetails(log));
    const listChanges = (_: EvmLog, fork: V3Fork) => find(fork).changes;
    const forks = creations.map(({ fork }) => fork);
    decoders.set(
      topic,
      createCreationDecoder(forks, { ...first.creation, readDetails, listChanges }),
    );
  }
  return decoders;
}

const POOL_DECODERS: ReadonlyMap<string, LogDecoder> = new Map<string, LogDecoder>([
  [INITIALIZE_TOPIC, decodeInitialize],
  [MINT_TOPIC, decodeMint],
  [BURN_TOPIC, createBurnDecoder(3)],
  [SWAP_TOPIC, createSwapDecoder(5)],
  [PANCAKE_SWAP_TOPIC, createSwapDecoder(7)],
]);

const INTEGRAL_DECODERS: ReadonlyMap<string, LogDecoder> = new Map<string, LogDecoder>([
  [INTEGRAL_BURN_TOPIC, createBurnDecoder(4)],
  [INTEGRAL_SWAP_TOPIC, decodeIntegralSwap],
  [SWAP_FEE_TOPIC, decodeSwapFee],
  [PLUGIN_CONFIG_TOPIC, decodePluginConfig],
]);

/** What pools emit, on this chain. */
function createPoolDecoders(deployment: EvmDeployment): ReadonlyMap<string, LogDecoder> {
  const isIntegral = deployment.v3.some(({ layout }) => layout === 'algebraIntegral');
  const integral = isIntegral ? INTEGRAL_DECODERS : [];
  return new Map([...POOL_DECODERS, ...integral, ...createFeeDecoders(deployment)]);
}

export function describeUniswapV3Logs(deployment: EvmDeployment): VenueLogs | null {
  if (deployment.v3.length === 0) return null;
  return {
    creations: Array.from(groupForks(deployment), ([topic, creations]) => ({
      ...{ contracts: creations.map(({ fork }) => fork.factory), topic },
      tokensAt: creations[0]?.creation.tokensAt ?? [],
    })),
    poolTopics: [...createPoolDecoders(deployment).keys()],
    singleton: null,
  };
}

export function createUniswapV3Decoders(
  deployment: EvmDeployment,
): ReadonlyMap<string, LogDecoder> {
  return new Map([...createCreationDecoders(deployment), ...createPoolDecoders(deployment)]);
}
