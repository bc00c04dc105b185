// Uniswap V3 and pools like its own: decoding of logs, and reads from contracts.

import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import type { PoolFeeQuery } from '../../../chain-nodes.ts';
import { toPoolContract } from '../../data/evm-ids.ts';
import { addressWord, encodeCallData, intWord, uintWord } from '../../data/hex-data.ts';
import type { ContractCall } from '../../rpc/multicall.ts';
import { readConcentratedStates } from '../concentrated-pools.ts';
import { confirmPools } from '../factory-pools.ts';
import { TOO_LITTLE } from '../router-kind.ts';
import type { PoolCosts, VenueProtocol } from '../venue-protocol.ts';
import {
  createUniswapV3Decoders,
  describeUniswapV3Logs,
  SWAP_TOPICS,
} from './decode-uniswap-v3.ts';
import { findPools, listCreationFilters } from './find-v3-pools.ts';
import { RANGE_FORKS } from './judge-ranges.ts';
import { FEE_SELECTOR, LIQUIDITY_SELECTOR, TICKS_SELECTOR } from './pool-selectors.ts';
import { RANGE_CONTRACTS } from './range-contracts.ts';
import { RANGE_ENTRIES, readDevnetRanges } from './range-entries.ts';
import {
  ALGEBRA_ROUTER,
  INTEGRAL_ROUTER,
  SLIPSTREAM_ROUTER,
  SMART_ROUTER,
  SWAP_ROUTER,
} from './range-routers.ts';
import { decodeV3State, readPoolPage } from './read-v3-pool-page.ts';
import { findLayoutOfVenue, findV3Layout, toRangeDetails } from './v3-layouts.ts';

/** Pools are asked the same for most layouts; what no factory has confirmed is asked the rest. */
const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { deployment, callContracts } = context;
  const groups = Map.groupBy(deployment.v3, (fork) => findV3Layout(fork).detailSelectors.join());
  const found: PoolDescription[] = [];
  for (const forks of groups.values()) {
    const known = new Set(found.map(({ pool }) => pool));
    const left = pools.filter((pool) => !known.has(pool));
    const [first] = forks;
    if (left.length === 0 || first === undefined) break;
    const confirmed = await confirmPools(left, callContracts, {
      forks,
      selectors: findV3Layout(first).detailSelectors,
      readDetails: (fork, answers) => {
        const details = findV3Layout(fork).decodeDetails(answers);
        return details && toRangeDetails(details);
      },
      encodeLookup: (pool) => {
        if (pool.kind !== 'concentrated') throw new Error(`${pool.pool} has no ticks`);
        const { token0, token1, feePips, terms, venue } = pool;
        const { lookupSelector, encodeKey } = findLayoutOfVenue(deployment, venue);
        const key = encodeKey({ feePips, tickSpacing: terms.tickSpacing });
        return encodeCallData(lookupSelector, addressWord(token0), addressWord(token1), ...key);
      },
    });
    found.push(...confirmed);
  }
  return found;
};

const readPoolStates: VenueProtocol['readPoolStates'] = (queries, context) =>
  readConcentratedStates(queries, context.callContracts, {
    ask: ({ pool, venue }) => ({
      to: toPoolContract(pool),
      slot0: findLayoutOfVenue(context.deployment, venue).slot0Selector,
      liquidity: LIQUIDITY_SELECTOR,
      encodeTick: (tick) => encodeCallData(TICKS_SELECTOR, intWord(tick)),
    }),
    decodeState: decodeV3State,
  });

/** In `RoundTripProbe.sol`. */
const PROBE = 3;

const findTraded: VenueProtocol['findTraded'] = (pool) => {
  if (pool.kind !== 'concentrated' || pool.terms.custody.kind !== 'own') return null;
  const { feePips } = pool;
  const { tickSpacing, custody } = pool.terms;
  const made = custody.deployer === undefined ? {} : { deployer: custody.deployer };
  const contract = toPoolContract(pool.pool);
  return {
    toRouterPool: () => ({ kind: 'v3', feePips, tickSpacing, ...made }),
    probe: { kind: PROBE, pool: contract, fee: feePips },
    holder: contract,
  };
};

const COSTS: PoolCosts = {
  swap: { hop: 70_000n, hopInSameVault: 70_000n, perTick: 26_000n },
  bytes: { command: 'v3', first: 400, next: 40, fixesOutput: true, needsHolding: true },
};

/** `quoteExactInputSingle` of Algebra's quoter: answers the amount, and the fee. */
const ALGEBRA_QUOTE_SELECTOR = '0x2d9ebd1d';
/** Any amount pays the same fee. */
const QUOTED_AMOUNT = 1000n;

/** A quoter runs a swap: its fee is that of the block's time, which the pool's own state is not. */
function buildQuotes(quoter: Address, { token0, token1 }: PoolFeeQuery): ContractCall[] {
  const amounts = [uintWord(QUOTED_AMOUNT), uintWord(0)];
  return [
    [token0, token1],
    [token1, token0],
  ].map((tokens) => ({
    to: quoter,
    data: encodeCallData(ALGEBRA_QUOTE_SELECTOR, ...tokens.map(addressWord), ...amounts),
  }));
}

/**
 * A module computes the fee of Slipstream's pools, a plugin that of Algebra Integral's; that of
 * Algebra V1 follows from the block's time.
 */
const buildFeeAsk: VenueProtocol['buildFeeAsk'] = (query, deployment) => {
  const { pool, kind, venue } = query;
  if (kind !== 'concentrated') return null;
  const { kind: source } = findLayoutOfVenue(deployment, venue).fee;
  if (source === 'asked' || source === 'plugged') {
    const calls = [{ to: toPoolContract(pool), data: FEE_SELECTOR }];
    return { calls, word: 0, pipsPerUnit: 1n };
  }
  const quoter = deployment.v3.find((fork) => fork.venue === venue)?.quoter ?? null;
  if (source !== 'logged' || quoter === null) return null;
  return { calls: buildQuotes(quoter, query), word: 1, pipsPerUnit: 1n };
};

export const uniswapV3: VenueProtocol = {
  reverts: {
    'V3TooLittleReceived()': TOO_LITTLE,
    'V3InvalidSwap()': 'a V3 pool of the route has no liquidity',
    IIA: 'a V3 pool received less than was sent',
    TF: 'the token refuses the transfer out of a V3 pool',
  },
  contracts: RANGE_CONTRACTS,
  entries: RANGE_ENTRIES,
  readDevnet: readDevnetRanges,
  ...{ findTraded, buildFeeAsk },
  findCosts: (pool) =>
    pool.kind === 'concentrated' && pool.terms.custody.kind === 'own' ? COSTS : null,
  routerKinds: {
    ...{ swapRouter: SWAP_ROUTER, slipstream: SLIPSTREAM_ROUTER },
    ...{ algebra: ALGEBRA_ROUTER, algebraIntegral: INTEGRAL_ROUTER, smart: SMART_ROUTER },
  },
  listVenues: (deployment) => deployment.v3.map((fork) => fork.venue),
  swapTopics: SWAP_TOPICS,
  listFactories: (deployment) => deployment.v3,
  forks: RANGE_FORKS,
  createDecoders: createUniswapV3Decoders,
  describeLogs: describeUniswapV3Logs,
  resolvePools,
  findPools,
  listCreationFilters,
  readPoolStates,
  readPoolPage,
};

declare module '../swap-plan.ts' {
  interface RouterPools {
    readonly v3: {
      readonly feePips: number;
      readonly tickSpacing: number;
      /** Who made it, for routers that take that. */
      readonly deployer?: Address;
    };
  }
}

declare module '../../data/deployments/evm-deployment.ts' {
  interface RouterKindNames {
    /** Uniswap V3 and its forks. */
    readonly swapRouter: true;
    /** Paths of tick spacings in place of fees. */
    readonly slipstream: true;
    /** Paths of tokens only. */
    readonly algebra: true;
    /** Paths of who made each pool in place of fees. */
    readonly algebraIntegral: true;
    /** `SwapRouter02`, PancakeSwap's SmartRouter; pairs and pools in one path. */
    readonly smart: true;
  }
}
