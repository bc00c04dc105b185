// The log queries that find what concerns some tokens and pools, and nothing else.

import type { Address, PoolId } from '../../../model/ids.ts';
import type { BlockFilter } from '../../adapter.ts';
import { type EvmDeployment, toChainAssets } from '../data/deployments/evm-deployment.ts';
import { toPoolContract } from '../data/evm-ids.ts';
import type { EvmLog, LogFilter } from '../data/evm-log.ts';
import { addressWord } from '../data/hex-data.ts';
import { createTransferDecoders } from '../tokens/decode-transfer.ts';
import { parseRow, VENUE_PROTOCOLS } from '../venues/registry.ts';
import type { VenueLogs } from '../venues/venue-protocol.ts';
import { ADMIN_TOPICS } from './find-token-notices.ts';

export interface LogFilters {
  build(only: BlockFilter): LogFilter[];
  /** The same for pools alone. */
  buildForPools(pools: ReadonlySet<PoolId>): LogFilter[];
  /** Whether a log is among those asked for: a pair's own transfers, for instance, are not. */
  isWanted(log: EvmLog, only: BlockFilter): boolean;
}

/** Pools that are contracts have addresses as ids; those of a singleton have longer ones. */
const ADDRESS_LENGTH = 42;

/** The contract that emits the pool's logs; null if it is one of a singleton. */
function findEmitter(pool: PoolId): Address | null {
  if (pool.length === ADDRESS_LENGTH) return toPoolContract(pool);
  return parseRow(pool)?.contract ?? null;
}

/** An id of a singleton's pool may look like a row of a vault, so it is asked for as both. */
function isOfSingleton(pool: PoolId): boolean {
  return findEmitter(pool) === null || parseRow(pool)?.poolWord !== undefined;
}

function listEmitters(pools: ReadonlySet<PoolId>): ReadonlySet<Address> {
  return new Set([...pools].flatMap((pool) => findEmitter(pool) ?? []));
}

/** Logs whose topic at `place` is one of some tokens or pools, from the venues' own contracts. */
function buildTopicFilter(
  venues: readonly VenueLogs[],
  place: number,
  wanted: {
    readonly tokens: readonly string[];
    readonly pools: readonly string[];
    readonly words: readonly string[];
  },
): LogFilter | null {
  const address = new Set<string>();
  const first: string[] = [];
  const values: string[] = [];
  const created = venues
    .flatMap(({ creations }) => creations)
    .filter(({ tokensAt }) => tokensAt.includes(place));
  if (wanted.tokens.length > 0 && created.length > 0) {
    values.push(...wanted.tokens);
    for (const { topic, contracts } of created) {
      first.push(topic);
      for (const contract of contracts) address.add(contract);
    }
  }
  if (place === 1 && wanted.pools.length > 0) {
    values.push(...wanted.pools);
    for (const { singleton, poolTopics } of venues) {
      if (singleton === null) continue;
      first.push(...poolTopics);
      address.add(singleton);
    }
  }
  if (place === 1 && wanted.words.length > 0) {
    values.push(...wanted.words);
    for (const { contracts, topics } of venues.flatMap(({ byWord }) => byWord ?? [])) {
      first.push(...topics);
      for (const contract of contracts) address.add(contract);
    }
  }
  if (first.length === 0) return null;
  const any = Array.from({ length: place - 1 }, () => null);
  return { address: [...address], topics: [first, ...any, values] };
}

export function createLogFilters(deployment: EvmDeployment): LogFilters {
  const venues = VENUE_PROTOCOLS.flatMap((protocol) => protocol.describeLogs(deployment) ?? []);
  const { native, stable } = toChainAssets(deployment);
  const ownTopics = venues.flatMap((one) => (one.singleton === null ? one.poolTopics : []));
  const tokenTopics = [...createTransferDecoders(deployment).keys(), ...ADMIN_TOPICS];
  const isTokenTopic = new Set(tokenTopics);
  const isOwnTopic = new Set(ownTopics);
  const wordsOf = (tokens: Iterable<Address>) =>
    [...tokens]
      .filter((token) => !native.has(token) && !stable.has(token))
      .map((token) => `0x${addressWord(token)}`);
  const build = ({ tokens, pools }: BlockFilter): LogFilter[] => {
    const contracts = [...listEmitters(pools)];
    const addresses = [...new Set<string>([...tokens, ...contracts])];
    const topics = [
      ...(tokens.size > 0 ? tokenTopics : []),
      ...(contracts.length > 0 ? ownTopics : []),
    ];
    const singletons = [...pools].filter(isOfSingleton);
    const words = [...new Set([...pools].flatMap((pool) => parseRow(pool)?.poolWord ?? []))];
    const wanted = { tokens: wordsOf(tokens), pools: singletons, words };
    const byTopic = [1, 2, 3].flatMap((place) => buildTopicFilter(venues, place, wanted) ?? []);
    const byAddress = addresses.length === 0 ? [] : [{ address: addresses, topics: [topics] }];
    return [...byAddress, ...byTopic];
  };
  const emitters = new WeakMap<ReadonlySet<PoolId>, ReadonlySet<Address>>();
  const findEmitters = (pools: ReadonlySet<PoolId>) => {
    const known = emitters.get(pools) ?? listEmitters(pools);
    emitters.set(pools, known);
    return known;
  };
  return {
    build,
    buildForPools: (pools) => build({ tokens: new Set(), pools }),
    isWanted({ address, topics }, { tokens, pools }) {
      const [topic = ''] = topics;
      if (isTokenTopic.has(topic)) return tokens.has(address);
      // The others name their pool or token as a topic of a venue's own contract.
      if (!isOwnTopic.has(topic)) return true;
      return (pools as ReadonlySet<string>).has(address) || findEmitters(pools).has(address);
    },
  };
}
