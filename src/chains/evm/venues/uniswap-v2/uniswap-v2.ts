// Uniswap V2 and pairs like its own: decoding of logs, and reads from contracts.

import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import type { HopBytes, SwapCost } from '../../../transaction-costs.ts';
import { toPoolContract, toPoolId } from '../../data/evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWords,
  uintAt,
  uintWord,
} from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { confirmPools } from '../factory-pools.ts';
import { listPairs } from '../list-pairs.ts';
import { TOO_LITTLE } from '../router-kind.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import {
  createUniswapV2Decoders,
  describeUniswapV2Logs,
  SOLIDLY_SWAP_TOPIC,
  SWAP_PART_TOPICS,
  SWAP_TOPIC,
} from './decode-uniswap-v2.ts';
import { PAIR_FORKS } from './judge-pairs.ts';
import { PAIR_CONTRACTS } from './pair-contracts.ts';
import { PAIR_ENTRIES, readDevnetPairs } from './pair-entries.ts';
import { CAMELOT_ROUTER, ROUTER02, SOLIDLY_ROUTER } from './pair-routers.ts';
import { GET_FEE_SELECTOR, GET_RESERVES_SELECTOR } from './pair-selectors.ts';
import { decodeCamelotReserves, readPoolPage } from './read-pair-page.ts';
import { findV2Fork, findV2Layout } from './v2-layouts.ts';

/** Pairs are asked the same for most layouts; what no factory has confirmed is asked the rest. */
const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { deployment, callContracts } = context;
  const groups = Map.groupBy(deployment.v2, (fork) => findV2Layout(fork).detailSelectors.join());
  const found: PoolDescription[] = [];
  for (const forks of groups.values()) {
    const known = new Set(found.map(({ pool }) => pool));
    const left = pools.filter((pool) => !known.has(pool));
    const [first] = forks;
    if (left.length === 0 || first === undefined) break;
    const { detailSelectors } = findV2Layout(first);
    const confirmed = await confirmPools(left, callContracts, {
      forks,
      selectors: detailSelectors,
      readDetails: (fork) => findV2Layout(fork).toDetails(fork),
      encodeLookup: ({ token0, token1, venue }, answers) => {
        const { lookupSelector } = findV2Layout(findV2Fork(deployment, venue) ?? {});
        const key = answers.map((answer) => answer.slice(2));
        return encodeCallData(lookupSelector, addressWord(token0), addressWord(token1), ...key);
      },
    });
    found.push(...confirmed);
  }
  return found;
};

const findPools: VenueProtocol['findPools'] = async (search, { deployment, callContracts }) => {
  const asked = listPairs(search).flatMap((pair) =>
    deployment.v2.flatMap((fork) => {
      if (fork.isSearched === false) return [];
      const { lookupSelector, keys } = findV2Layout(fork);
      const call = encodeCallData(
        lookupSelector,
        ...[addressWord(pair.token0), addressWord(pair.token1)],
      );
      const calls = keys.length === 0 ? [call] : keys.map((key) => `${call}${key}`);
      return calls.map((data) => ({ pair, fork, data }));
    }),
  );
  const answers = await callContracts(asked.map(({ fork, data }) => ({ to: fork.factory, data })));
  return asked.flatMap(({ pair, fork }, index): PoolDescription[] => {
    const answer = answers[index] ?? null;
    if (answer === null || !hasWords(answer, 1)) return [];
    const vault = decodeAddressAt(answer, 0);
    if (vault === ZERO_ADDRESS) return [];
    const place = { pool: toPoolId(vault), venue: fork.venue, ...pair, vault };
    return [{ ...place, ...findV2Layout(fork).toDetails(fork) }];
  });
};

const readPoolStates: VenueProtocol['readPoolStates'] = async (queries, context) => {
  const answers = await context.callContracts(
    queries.map(({ description }) => ({
      to: toPoolContract(description.pool),
      data: GET_RESERVES_SELECTOR,
    })),
  );
  return queries.map(({ description: { pool, venue } }, index) => {
    const answer = answers[index] ?? null;
    const { name } = findV2Layout(findV2Fork(context.deployment, venue) ?? {});
    if (name === 'camelot') {
      const state = decodeCamelotReserves(answer);
      return state && { pool, state, ticks: [] };
    }
    if (answer === null || !hasWords(answer, 3)) return null;
    const state = { reserve0: uintAt(answer, 0), reserve1: uintAt(answer, 1) };
    return { pool, state, ticks: [] };
  });
};

/** In `RoundTripProbe.sol`. */
const PROBES = { pair: 2, solidly: 5 } as const;

const findTraded: VenueProtocol['findTraded'] = ({ kind, pool, feePips: fee }) => {
  const pair = toPoolContract(pool);
  if (kind === 'constantProduct') {
    const toRouterPool = () => ({ kind: 'v2', pair }) as const;
    return { toRouterPool, probe: { kind: PROBES.pair, pool: pair, fee }, holder: pair };
  }
  if (kind !== 'solidlyPair') return null;
  return {
    toRouterPool: (_, isStable) => (isStable === null ? null : { kind: 'solidly', pair, isStable }),
    probe: { kind: PROBES.solidly, pool: pair, fee },
    holder: pair,
  };
};

const V2_COST: SwapCost = { hop: 58_000n, hopInSameVault: 58_000n, perTick: 0n };
/** A stable pair computes longer than a volatile one. */
const SOLIDLY_COST: SwapCost = { hop: 130_000n, hopInSameVault: 130_000n, perTick: 0n };
const V2_BYTES: HopBytes = { command: 'v2', first: 400, next: 40, fixesOutput: true };
const SOLIDLY_BYTES: HopBytes = { command: 'solidlyPair', first: 400, next: 40 };

const findCosts: VenueProtocol['findCosts'] = ({ kind }) => {
  if (kind === 'constantProduct') return { swap: V2_COST, bytes: V2_BYTES };
  return kind === 'solidlyPair' ? { swap: SOLIDLY_COST, bytes: SOLIDLY_BYTES } : null;
};

/** A factory's fees are in 1/10000. */
const PIPS_PER_BPS = 100n;

/** Aerodrome's and Velodrome's factories change the fees of pairs silently. */
const buildFeeAsk: VenueProtocol['buildFeeAsk'] = (query, deployment) => {
  const { pool, kind, venue, isStable } = query;
  if (kind !== 'solidlyPair' || isStable === null) return null;
  const fork = findV2Fork(deployment, venue);
  if (fork === null || findV2Layout(fork).name !== 'solidly') return null;
  const key = [addressWord(toPoolContract(pool)), uintWord(isStable ? 1 : 0)];
  const data = encodeCallData(GET_FEE_SELECTOR, ...key);
  return { calls: [{ to: fork.factory, data }], word: 0, pipsPerUnit: PIPS_PER_BPS };
};

/** A fork's `Router02`, unless the Universal Router trades there. */
const listRouters: VenueProtocol['listRouters'] = ({ v2 }) =>
  v2.flatMap(({ venue, router: address, layout, universalRouter }) =>
    address === null || layout !== undefined
      ? []
      : [{ name: venue, kind: 'router02', address, venues: [venue], onlyOutputs: universalRouter }],
  );

export const uniswapV2: VenueProtocol = {
  reverts: {
    'V2TooLittleReceived()': TOO_LITTLE,
    'InvalidReserves()': 'a V2 pair of the route is empty',
    'UniswapV2: TRANSFER_FAILED': 'the token refuses the transfer out of the pair',
    'UniswapV2: INSUFFICIENT_OUTPUT_AMOUNT': 'a V2 pair would pay nothing',
    'UniswapV2: INSUFFICIENT_INPUT_AMOUNT': 'a V2 pair received nothing',
    'UniswapV2: K': 'a V2 pair received less than was sent',
  },
  contracts: PAIR_CONTRACTS,
  entries: PAIR_ENTRIES,
  readDevnet: readDevnetPairs,
  listRouters,
  ...{ findTraded, findCosts, buildFeeAsk },
  findShares: ({ kind, pool }) =>
    kind === 'constantProduct' || kind === 'solidlyPair' ? toPoolContract(pool) : null,
  routerKinds: { router02: ROUTER02, camelot: CAMELOT_ROUTER, solidly: SOLIDLY_ROUTER },
  listVenues: (deployment) => deployment.v2.map((fork) => fork.venue),
  swapTopics: { [SWAP_TOPIC]: 'V2-like', [SOLIDLY_SWAP_TOPIC]: 'Solidly V2' },
  listFactories: (deployment) => deployment.v2,
  forks: PAIR_FORKS,
  swapPartTopics: SWAP_PART_TOPICS,
  createDecoders: createUniswapV2Decoders,
  describeLogs: describeUniswapV2Logs,
  resolvePools,
  findPools,
  listCreationFilters: () => [],
  readPoolStates,
  readPoolPage,
};

declare module '../swap-plan.ts' {
  interface RouterPools {
    readonly v2: { readonly pair: Address };
    readonly solidly: { readonly pair: Address; readonly isStable: boolean };
  }
}

declare module '../../data/deployments/evm-deployment.ts' {
  interface RouterKindNames {
    /** Uniswap V2 and its forks. */
    readonly router02: true;
    /** The same with a referrer. */
    readonly camelot: true;
    /** Aerodrome, Velodrome V2; each hop says whether its pair is stable. */
    readonly solidly: true;
  }
}
