// Decodes logs of V2-like pairs. `Sync` includes every change by mints and burns, so those are not
// read.

import type { Address, PoolId } from '../../../../model/ids.ts';
import type { StateOf } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { toPoolId } from '../../data/evm-ids.ts';
import type { DecodedEvent, EvmLog, LogDecoder } from '../../data/evm-log.ts';
import { hasWords, toTopicAddress, uintAt } from '../../data/hex-data.ts';
import { createCreationDecoder } from '../factory-pools.ts';
import type { VenueLogs } from '../venue-protocol.ts';
import { findV2Layout, type V2Fork } from './v2-layouts.ts';

export const SYNC_TOPIC = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1';
export const SWAP_TOPIC = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822';
/** Aerodrome and Velodrome: reserves have 256 bits, and both parties of a swap come first. */
const WIDE_SYNC_TOPIC = '0xcf2aa50876cdfbb541206f89af0ee78d44a2abf8d328e37fa4917f982149848a';
export const SOLIDLY_SWAP_TOPIC =
  '0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b';
const SET_CUSTOM_FEE_TOPIC = '0xae468ce586f9a87660fdffc1448cee942042c16ae2f02046b134b5224f31936b';
const FEES_TOPIC = '0x112c256902bf554b6ed882d2936687aaeb4225e8cd5b51303c90ca6cf43a8602';
/** Logs that a pair emits right before that of its swap. */
export const SWAP_PART_TOPICS = [SYNC_TOPIC, WIDE_SYNC_TOPIC, FEES_TOPIC];
/** Camelot. */
const FEE_PERCENT_TOPIC = '0xa4877b8ecb5a00ba277e4bceeeb187a669e7113649774dfbea05c259ce27f17b';
const SET_STABLE_TOPIC = '0xb6a86710bde53aa7fb1b3856279e2af5b476d53e2dd0902cf17a0911b5a43a8b';

/** The emitters of swaps like those of Uniswap's own pairs. */
export function listPairSwaps(logs: readonly EvmLog[]): PoolId[] {
  return logs.flatMap(({ topics, address }) =>
    topics[0] === SWAP_TOPIC ? [toPoolId(address)] : [],
  );
}

/** The reserves of any pair: other kinds take them as their own (`sharesChangesOf`). */
function decodeSync({ address, topics, data }: EvmLog, out: DecodedEvent[]): void {
  if (topics.length !== 1 || !hasWords(data, 2)) return;
  const [reserve0, reserve1] = [uintAt(data, 0), uintAt(data, 1)];
  const change = { poolKind: 'constantProduct', reserve0, reserve1 } as const;
  out.push({ kind: 'poolChanged', pool: toPoolId(address), change });
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

/**
 * What a pair sent to the contract that collects its fees, before the log of the swap: the fee may
 * have changed without a log. A pair logs nothing if that is zero.
 */
function createChargedDecoders(): { readonly fees: LogDecoder; readonly swap: LogDecoder } {
  const taken = new Map<Address, { taken0: bigint; taken1: bigint }>();
  let current = '';
  const listTaken = ({ txHash, address }: EvmLog) => {
    if (txHash !== current) taken.clear();
    current = txHash;
    return taken.get(address) ?? { taken0: 0n, taken1: 0n };
  };
  return {
    fees: (log) => {
      if (log.topics.length !== 2 || !hasWords(log.data, 2)) return;
      const { taken0, taken1 } = listTaken(log);
      const [amount0, amount1] = [uintAt(log.data, 0), uintAt(log.data, 1)];
      taken.set(log.address, { taken0: taken0 + amount0, taken1: taken1 + amount1 });
    },
    swap: (log, out) => {
      const before = out.length;
      decodeSwap(log, out);
      const swap = out[before];
      if (swap?.kind !== 'swap') return;
      const charged = { in0: uintAt(log.data, 0), in1: uintAt(log.data, 1), ...listTaken(log) };
      taken.delete(log.address);
      out[before] = { ...swap, change: { poolKind: 'solidlyPair', charged } };
    },
  };
}

function createSettingDecoder(
  readSetting: (data: string) => Partial<StateOf<'solidlyPair'>>,
): LogDecoder {
  return ({ address, topics, data }, out) => {
    if (topics.length !== 1 || !hasWords(data, 2)) return;
    const change = { poolKind: 'solidlyPair', set: readSetting(data) } as const;
    out.push({ kind: 'poolChanged', pool: toPoolId(address), change });
  };
}

const PIPS_PER_CAMELOT_UNIT = 10;

const decodeFeePercent = createSettingDecoder((data) => ({
  fee0: Number(uintAt(data, 0)) * PIPS_PER_CAMELOT_UNIT,
  fee1: Number(uintAt(data, 1)) * PIPS_PER_CAMELOT_UNIT,
}));

/** The setting before, then the one from now on. */
const decodeSetStable = createSettingDecoder((data) => ({ isStable: uintAt(data, 1) === 1n }));

const PIPS_PER_BPS = 100;
/** A fee of 420 stands for none, because one of 0 stands for the factory's own. */
const ZERO_FEE = 420;

/** The fee in pips; null if the factory must be asked. */
function readCustomFee(bps: number): number | null {
  if (bps === ZERO_FEE) return 0;
  return bps === 0 ? null : bps * PIPS_PER_BPS;
}

function createCustomFeeDecoder(forks: readonly V2Fork[]): LogDecoder {
  const factories = new Set(forks.map(({ factory }) => factory));
  return ({ address, topics, data }, out) => {
    if (!factories.has(address) || topics.length !== 2 || !hasWords(data, 1)) return;
    const pair = toTopicAddress(topics[1]);
    if (pair === null) return;
    const fee = readCustomFee(Number(uintAt(data, 0)));
    const set = { fee0: fee, fee1: fee, isFeeConfirmed: fee !== null };
    const change = { poolKind: 'solidlyPair', set } as const;
    out.push({ kind: 'poolChanged', pool: toPoolId(pair), change });
  };
}

/** By the topic of the log that announces their pairs. */
function groupForks({ v2 }: EvmDeployment): ReadonlyMap<string, readonly V2Fork[]> {
  return Map.groupBy(v2, (fork) => findV2Layout(fork).creation.topic);
}

function createCreationDecoders(deployment: EvmDeployment): ReadonlyMap<string, LogDecoder> {
  const decoders = new Map<string, LogDecoder>();
  for (const [topic, forks] of groupForks(deployment)) {
    const [first] = forks;
    if (first === undefined) continue;
    const { topicCount, wordCount, poolWord } = findV2Layout(first).creation;
    const readDetails = (_: EvmLog, fork: V2Fork) => findV2Layout(fork).toDetails(fork);
    const listChanges = (log: EvmLog, fork: V2Fork) => findV2Layout(fork).creation.listChanges(log);
    const log = { topicCount, wordCount, poolWord, readDetails, listChanges };
    decoders.set(topic, createCreationDecoder(forks, log));
  }
  return decoders;
}

/** Of the pairs themselves; only what pairs of the chain emit. */
function createPairDecoders({ v2 }: EvmDeployment): ReadonlyMap<string, LogDecoder> {
  const layouts = new Set(v2.map((fork) => findV2Layout(fork).name));
  const decoders = new Map<string, LogDecoder>();
  // Forks of Solidly emit the logs of either.
  const hasForks = layouts.has('solidlyFork');
  if (hasForks || layouts.has('uniswap') || layouts.has('camelot')) {
    decoders.set(SYNC_TOPIC, decodeSync);
    decoders.set(SWAP_TOPIC, decodeSwap);
  }
  if (hasForks || layouts.has('solidly')) {
    const charged = createChargedDecoders();
    decoders.set(WIDE_SYNC_TOPIC, decodeSync);
    decoders.set(SOLIDLY_SWAP_TOPIC, layouts.has('solidly') ? charged.swap : decodeSwap);
    if (layouts.has('solidly')) decoders.set(FEES_TOPIC, charged.fees);
  }
  if (layouts.has('camelot')) {
    decoders.set(FEE_PERCENT_TOPIC, decodeFeePercent);
    decoders.set(SET_STABLE_TOPIC, decodeSetStable);
  }
  return decoders;
}

export function describeUniswapV2Logs(deployment: EvmDeployment): VenueLogs | null {
  if (deployment.v2.length === 0) return null;
  return {
    creations: Array.from(groupForks(deployment), ([topic, forks]) => ({
      ...{ contracts: forks.map(({ factory }) => factory), topic, tokensAt: [1, 2] },
    })),
    poolTopics: [...createPairDecoders(deployment).keys()],
    singleton: null,
  };
}

export function createUniswapV2Decoders(
  deployment: EvmDeployment,
): ReadonlyMap<string, LogDecoder> {
  const solidly = deployment.v2.filter(({ layout }) => layout === 'solidly');
  const decoders = new Map([
    ...createCreationDecoders(deployment),
    ...createPairDecoders(deployment),
  ]);
  if (solidly.length > 0) decoders.set(SET_CUSTOM_FEE_TOPIC, createCustomFeeDecoder(solidly));
  return decoders;
}
