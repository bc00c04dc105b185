// The registry of venue protocols. A new one is a folder beside this file and a line here.

import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolDescription, PoolKindName } from '../../../model/pool.ts';
import type { ChainAssets } from '../../adapter.ts';
import {
  type EvmDeployment,
  toChainAssets,
  type VenueRouterKind,
} from '../data/deployments/evm-deployment.ts';
import { balancer } from './balancer/balancer.ts';
import { curve } from './curve/curve.ts';
import { dodo } from './dodo/dodo.ts';
import { eulerSwap } from './euler-swap/euler-swap.ts';
import { fluid } from './fluid/fluid.ts';
import type { ForkProtocol } from './fork-protocol.ts';
import { fourMeme } from './four-meme/four-meme.ts';
import { infinityBins, infinityRanges } from './infinity/infinity.ts';
import { liquidityBook } from './liquidity-book/liquidity-book.ts';
import { maverick } from './maverick/maverick.ts';
import type { RouterKind } from './router-kind.ts';
import { sky } from './sky/sky.ts';
import { uniswapV2 } from './uniswap-v2/uniswap-v2.ts';
import { uniswapV3 } from './uniswap-v3/uniswap-v3.ts';
import { uniswapV4 } from './uniswap-v4/uniswap-v4.ts';
import type { PoolRows, TradedPool, VenueProtocol } from './venue-protocol.ts';
import type { VenueFactory } from './venue-table.ts';
import { woofi } from './woofi/woofi.ts';

export const VENUE_PROTOCOLS: readonly VenueProtocol[] = [
  ...[uniswapV2, uniswapV3, uniswapV4],
  ...[curve, balancer, infinityRanges, infinityBins, dodo, maverick, fluid, fourMeme, sky],
  ...[liquidityBook, woofi, eulerSwap],
];

export const ROUTER_KINDS = Object.assign(
  {},
  ...VENUE_PROTOCOLS.map(({ routerKinds }) => routerKinds),
) as Readonly<Record<VenueRouterKind, RouterKind>>;

/** By the kind of their pools. */
export const POOL_ROWS: ReadonlyMap<PoolKindName, PoolRows> = new Map(
  VENUE_PROTOCOLS.flatMap(({ rows }) => (rows === undefined ? [] : [[rows.kind, rows] as const])),
);

/** What a row's id tells of its pool; null if it cannot be the id of a row. */
export function parseRow(row: PoolId): ReturnType<PoolRows['parse']> {
  return findFirst(POOL_ROWS.values(), (rows) => rows.parse(row));
}

/** Null for a pool in which neither a router nor a probe can swap. */
export function findTraded(pool: PoolDescription): TradedPool | null {
  return findFirst(VENUE_PROTOCOLS, (protocol) => protocol.findTraded?.(pool) ?? null);
}

/** Of the protocols whose unlisted forks are judged by what their pools do. */
export const FORK_PROTOCOLS: readonly ForkProtocol[] = VENUE_PROTOCOLS.flatMap(
  ({ forks }) => forks ?? [],
);

/** Whether it is that of a factory that nobody listed. */
export function isForkVenue(venue: string): boolean {
  return FORK_PROTOCOLS.some(({ prefix }) => venue.startsWith(prefix));
}

/** Whether a stored pool is one of the protocol, by its venue. */
export function ownsVenue(
  { forks, listVenues }: VenueProtocol,
  venue: string,
  deployment: EvmDeployment,
): boolean {
  if (isForkVenue(venue)) return forks !== undefined && venue.startsWith(forks.prefix);
  return listVenues(deployment).includes(venue);
}

/** With what they are called. What no venue of a chain claims is counted: the index lacks it. */
export const SWAP_TOPICS: ReadonlyMap<string, string> = new Map(
  VENUE_PROTOCOLS.flatMap(({ swapTopics = {} }) => Object.entries(swapTopics)),
);

/** Logs that a pool emits right before that of its swap, and that are a part of it. */
export const SWAP_PART_TOPICS: ReadonlySet<string> = new Set(
  VENUE_PROTOCOLS.flatMap(({ swapPartTopics = [] }) => swapPartTopics),
);

/** With the venues whose contracts nobody checked. */
export function describeAssets(deployment: EvmDeployment): ChainAssets {
  const unsearched = listFactories(deployment).filter(({ isSearched }) => isSearched === false);
  const uncheckedVenues = new Set(unsearched.map(({ venue }) => venue));
  return { ...toChainAssets(deployment), uncheckedVenues };
}

/** Of the protocols that have one contract for each pool, each made by a factory. */
export function listFactories(deployment: EvmDeployment): readonly VenueFactory[] {
  return VENUE_PROTOCOLS.flatMap((one) => one.listFactories?.(deployment) ?? []);
}

export function findFirst<One, Found>(
  all: Iterable<One>,
  find: (one: One) => Found | null,
): Found | null {
  for (const one of all) {
    const found = find(one);
    if (found !== null) return found;
  }
  return null;
}

interface SharedEmitters {
  /** By venue: the contract that emits the logs of all its pools, with their id. */
  readonly singletons: ReadonlyMap<string, Address>;
  /** Vaults whose swaps name both tokens in their topics, and which topic the first one is. */
  readonly tokenVaults: ReadonlyMap<Address, number>;
  /** Those whose swaps are found by the transfers of a pool's first token. */
  readonly transferVaults: ReadonlySet<Address>;
}

/** Contracts that emit the logs of many pools. */
export function listSharedEmitters(deployment: EvmDeployment): SharedEmitters {
  const singletons = VENUE_PROTOCOLS.flatMap((protocol) => {
    const singleton = protocol.describeLogs(deployment)?.singleton ?? null;
    if (singleton === null) return [];
    return protocol.listVenues(deployment).map((venue) => [venue, singleton] as const);
  });
  const tokenVaults = new Map(
    VENUE_PROTOCOLS.flatMap(({ listTokenVaults }) => listTokenVaults?.(deployment) ?? []),
  );
  const transferVaults = new Set(
    VENUE_PROTOCOLS.flatMap(({ listTransferVaults }) => listTransferVaults?.(deployment) ?? []),
  );
  return { singletons: new Map(singletons), tokenVaults, transferVaults };
}
