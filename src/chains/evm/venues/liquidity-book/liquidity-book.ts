// LFJ's Liquidity Book (Trader Joe): pairs of v2.1 and v2.2 are computed, of v2.0 the trades are
// stored. A factory vouches for its pairs. No log tells where a new pair begins, so it is read.

import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { toPoolContract } from '../../data/evm-ids.ts';
import type { LogDecoder } from '../../data/evm-log.ts';
import { uintAt } from '../../data/hex-data.ts';
import { createCreationDecoder } from '../factory-pools.ts';
import { TOO_LITTLE } from '../router-kind.ts';
import { UNPRICED } from '../unpriced-pools.ts';
import type { PoolCosts, VenueProtocol } from '../venue-protocol.ts';
import { BOOK_CONTRACTS, findVersion, isComputed, readDevnetBook } from './book-contracts.ts';
import { BOOK_SWAP_TOPICS, OLD_PAIR_DECODERS, PAIR_DECODERS } from './decode-book-logs.ts';
import { BOOK_ROUTER } from './encode-book-swap.ts';
import { findPairs, readPairPage, readPairStates, resolvePairs } from './read-book-pairs.ts';

const CREATED_TOPIC = '0x2c8d104b27c6b7f4492017a6f5cf3803043688934ebcaa6a03540beeaf976aff';

const COSTS: PoolCosts = {
  swap: { hop: 120_000n, hopInSameVault: 120_000n, perTick: 22_000n },
  bytes: { command: 'liquidityBook', first: 580, next: 96 },
};

/** In `RoundTripProbe.sol`. */
const PROBE = 8;

function findTraded(pool: PoolDescription) {
  const version = findVersion(pool.venue);
  if (pool.kind !== 'liquidityBook' || version === null) return null;
  const { binStep } = pool.terms;
  const contract = toPoolContract(pool.pool);
  return {
    toRouterPool: () => ({ kind: 'liquidityBook' as const, binStep, version }),
    probe: { kind: PROBE, pool: contract },
    holder: contract,
  };
}

function createDecoders({ liquidityBook: known = [] }: EvmDeployment) {
  const decoders = new Map<string, LogDecoder>();
  if (known.length === 0) return decoders;
  const decodeCreation = createCreationDecoder(known, {
    ...{ topicCount: 4, wordCount: 2, poolWord: 0 },
    readDetails: ({ topics }, { venue }) => {
      const binStep = Number(uintAt(topics[3] ?? '0x0', 0));
      if (!isComputed(venue)) return { kind: 'tradesOnly', terms: null, feePips: 0 };
      return { kind: 'liquidityBook', terms: { binStep }, feePips: 0 };
    },
    isWhole: ({ venue }) => !isComputed(venue),
  });
  decoders.set(CREATED_TOPIC, decodeCreation);
  const isOld = ({ venue }: { venue: string }) => !isComputed(venue);
  for (const [topic, decode] of PAIR_DECODERS) decoders.set(topic, decode);
  if (!known.some(isOld)) return decoders;
  for (const [topic, decode] of OLD_PAIR_DECODERS) decoders.set(topic, decode);
  return decoders;
}

export const liquidityBook: VenueProtocol = {
  ...UNPRICED,
  contracts: BOOK_CONTRACTS,
  readDevnet: readDevnetBook,
  swapTopics: {
    [BOOK_SWAP_TOPICS.bins]: 'Liquidity Book',
    [BOOK_SWAP_TOPICS.old]: 'Liquidity Book v2.0',
  },
  reverts: {
    'LBRouter__InsufficientAmountOut(uint256,uint256)': TOO_LITTLE,
    'LBRouter__DeadlineExceeded(uint256,uint256)': 'the deadline has passed',
    'LBPair__OutOfLiquidity()': 'a pair of the route has no liquidity left',
    'LBPair__InsufficientAmountIn()': 'a pair of the route received nothing',
    'LBPair__InsufficientAmountOut()': 'the amount is too small for a pair of the route',
  },
  findCosts: (pool) =>
    pool.kind === 'liquidityBook' ? COSTS : (UNPRICED.findCosts?.(pool) ?? null),
  findTraded,
  routerKinds: { liquidityBook: BOOK_ROUTER },
  listVenues: ({ liquidityBook: known = [] }) => known.map(({ venue }) => venue),
  listFactories: ({ liquidityBook: known = [] }) =>
    known.map((one) => ({ ...one, universalRouter: false })),
  createDecoders,
  describeLogs: (deployment) => {
    const contracts = (deployment.liquidityBook ?? []).map(({ factory }): Address => factory);
    if (contracts.length === 0) return null;
    const creations = [{ contracts, topic: CREATED_TOPIC, tokensAt: [1, 2] }];
    const topics = [...createDecoders(deployment).keys()];
    const poolTopics = topics.filter((topic) => topic !== CREATED_TOPIC);
    return { creations, poolTopics, singleton: null };
  },
  resolvePools: resolvePairs,
  findPools: findPairs,
  readPoolStates: readPairStates,
  readPoolPage: readPairPage,
};

declare module '../swap-plan.ts' {
  interface RouterPools {
    readonly liquidityBook: { readonly binStep: number; readonly version: number };
  }
}
