// Pools by address, and in all the lists of the GeckoTerminal API.

import { type Ask, type CompatRequest, readList } from '../../contract/compat-route.ts';
import { getChains } from '../../contract/operations/get-chains.ts';
import { getPool } from '../../contract/operations/get-pool.ts';
import { listPools } from '../../contract/operations/list-pools.ts';
import { searchTokens } from '../../contract/operations/search-tokens.ts';
import type { CompatParts } from '../compat-parts.ts';
import { type FullPool, readPool, searchPools } from '../read-pools.ts';
import { buildPool, listIncluded, type PoolView } from './build-pool.ts';
import { listVenuesOf, toSlug } from './networks.ts';
import {
  ADDRESSES,
  buildNotFound,
  type GtRoute,
  INCLUDE,
  NETWORK,
  PAGE,
  pathParameter,
  queryParameter,
  readAddresses,
  readChoice,
  readPage,
} from './requests.ts';

const PAGE_SIZE = 20;
/** Of our lists. */
const ROWS_MAX = 100;
const PARTS = ['windows', 'reserves', 'tokens'] as const;

type Listing = Readonly<Record<string, unknown>>;

/** The rows of a page: from the first one of our pages, or the second. */
async function readRows(ask: Ask, listing: Listing, page: number): Promise<FullPool[]> {
  const end = page * PAGE_SIZE;
  const asked = { ...listing, include: PARTS };
  const first = await ask(listPools, { ...asked, limit: Math.min(end, ROWS_MAX) });
  if (end <= ROWS_MAX) return first.pools.slice(end - PAGE_SIZE) as FullPool[];
  if (first.nextCursor === null) return [];
  const more = { ...asked, limit: end - ROWS_MAX, cursor: first.nextCursor };
  const second = await ask(listPools, more);
  return second.pools.slice(end - ROWS_MAX - PAGE_SIZE) as FullPool[];
}

async function showPools(
  { query }: CompatRequest,
  ask: Ask,
  of: { readonly pools: readonly FullPool[]; readonly view?: PoolView },
) {
  const { pools, view = {} } = of;
  const data = pools.map((pool) => buildPool(pool, view));
  const wanted = new Set(readList(query, 'include'));
  if (wanted.size === 0) return { data };
  const hasNetworks = view.hasNetwork && wanted.has('network');
  const chains = hasNetworks ? (await ask(getChains, {})).chains : [];
  return { data, included: listIncluded(pools, wanted, chains) };
}

const SORTS: Readonly<Record<string, string>> = {
  h24_tx_count_desc: 'trades',
  h24_volume_usd_desc: 'volume',
  h24_volume_usd_liquidity_desc: 'liquidity',
};
const NETWORK_SORTS = ['h24_tx_count_desc', 'h24_volume_usd_desc'] as const;
const TOKEN_SORTS = ['h24_volume_usd_liquidity_desc', ...NETWORK_SORTS] as const;

const readSort = (query: URLSearchParams, allowed: readonly string[]) =>
  SORTS[readChoice(query, 'sort', allowed)] ?? 'trades';

interface ListRoute {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  readonly parameters?: GtRoute['parameters'];
  readonly view?: (request: CompatRequest) => PoolView;
  readonly listing: (request: CompatRequest) => Listing;
}

const chainOf = ({ params }: CompatRequest) => [toSlug(params['network'] ?? '')];
const SORT = queryParameter('sort', '`h24_tx_count_desc` or `h24_volume_usd_desc`.');
const DURATION = queryParameter('duration', '`5m`, `1h`, `6h` or `24h`.');
const readDuration = ({ query }: CompatRequest) =>
  readChoice(query, 'duration', ['24h', '5m', '1h', '6h']);

const LISTS: readonly ListRoute[] = [
  {
    id: 'Pools',
    path: '/networks/{network}/pools',
    summary: 'List the top pools of a network',
    parameters: [NETWORK, SORT],
    listing: (request) => ({
      chain: chainOf(request),
      sort: readSort(request.query, NETWORK_SORTS),
    }),
  },
  {
    id: 'TokenPools',
    path: '/networks/{network}/tokens/{address}/pools',
    summary: 'List the pools of a token',
    parameters: [NETWORK, pathParameter('address', 'Of the token.'), SORT],
    view: ({ params: { address = '' } }) => ({ token: address }),
    listing: (request) => ({
      chain: chainOf(request),
      mint: request.params['address'],
      sort: readSort(request.query, TOKEN_SORTS),
    }),
  },
  {
    id: 'NewPools',
    path: '/networks/{network}/new_pools',
    summary: 'List the newest pools of a network',
    parameters: [NETWORK],
    listing: (request) => ({ chain: chainOf(request), sort: 'new' }),
  },
  {
    id: 'AllNewPools',
    path: '/networks/new_pools',
    summary: 'List the newest pools',
    view: () => ({ hasNetwork: true }),
    listing: () => ({ sort: 'new' }),
  },
  {
    id: 'TrendingPools',
    path: '/networks/{network}/trending_pools',
    summary: 'List the trending pools of a network',
    parameters: [NETWORK, DURATION],
    listing: (request) => ({
      ...{ chain: chainOf(request), sort: 'trending', window: readDuration(request) },
    }),
  },
  {
    id: 'AllTrendingPools',
    path: '/networks/trending_pools',
    summary: 'List the trending pools',
    parameters: [DURATION],
    view: () => ({ hasNetwork: true }),
    listing: (request) => ({ sort: 'trending', window: readDuration(request) }),
  },
];

function toListRoute({ id, path, summary, parameters = [], view, listing }: ListRoute): GtRoute {
  return {
    ...{ id, path, summary, asks: listPools },
    parameters: [...parameters, INCLUDE, PAGE],
    answer: async (request, ask) => {
      const pools = await readRows(ask, listing(request), readPage(request.query));
      return showPools(request, ask, { pools, view: view?.(request) ?? {} });
    },
  };
}

/** Several venues may have one name there: their lists are merged. */
const dexPools: GtRoute = {
  id: 'DexPools',
  path: '/networks/{network}/dexes/{dex}/pools',
  asks: listPools,
  summary: 'List the top pools of an exchange',
  parameters: [
    NETWORK,
    pathParameter('dex', 'As `dexes` of the network names it.'),
    SORT,
    INCLUDE,
    PAGE,
  ],
  answer: async (request, ask) => {
    const { params, query } = request;
    const [slug = ''] = chainOf(request);
    const { chains } = await ask(getChains, {});
    const chain = chains.find((one) => one.slug === slug) ?? buildNotFound();
    const venues = listVenuesOf(chain, params['dex'] ?? '');
    if (venues.length === 0) buildNotFound();
    const page = readPage(query);
    const sort = readSort(query, NETWORK_SORTS);
    const [only] = venues;
    if (venues.length === 1) {
      const pools = await readRows(ask, { chain: [slug], venue: only, sort }, page);
      return showPools(request, ask, { pools });
    }
    const rows: FullPool[] = [];
    for (const venue of venues) {
      for (let one = 1; one <= page; one += 1) {
        rows.push(...(await readRows(ask, { chain: [slug], venue, sort }, one)));
      }
    }
    const worth = ({ windows, volume24hUsd }: FullPool) =>
      sort === 'trades' ? (windows['24h'].trades ?? 0) : Number(volume24hUsd ?? 0);
    const sorted = rows.sort((a, b) => worth(b) - worth(a));
    const pools = sorted.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
    return showPools(request, ask, { pools });
  },
};

const isOn = (query: URLSearchParams, name: string) => query.get(name) === 'true';

function readView({ query }: CompatRequest): PoolView {
  return { isDetailed: true, hasComposition: isOn(query, 'include_composition') };
}

const COMPOSITION = queryParameter('include_composition', '`true`: what the pool holds, too.');

const onePool: GtRoute = {
  id: 'Pool',
  path: '/networks/{network}/pools/{address}',
  asks: getPool,
  summary: 'Get a pool',
  parameters: [NETWORK, pathParameter('address', 'Of the pool.'), INCLUDE, COMPOSITION],
  answer: async (request, ask) => {
    const [chain = ''] = chainOf(request);
    const pool = await readPool(ask, { chain, pool: request.params['address'] ?? '' });
    if (pool === null) return buildNotFound();
    const view = readView(request);
    const { data, ...rest } = await showPools(request, ask, { pools: [pool], view });
    return { data: data[0], ...rest };
  },
};

const manyPools: GtRoute = {
  id: 'PoolsByAddress',
  path: '/networks/{network}/pools/multi/{addresses}',
  asks: getPool,
  summary: 'List pools by their addresses',
  parameters: [NETWORK, ADDRESSES, INCLUDE, COMPOSITION],
  answer: async (request, ask) => {
    const [chain = ''] = chainOf(request);
    const pools: FullPool[] = [];
    for (const address of readAddresses(request)) {
      const pool = await readPool(ask, { chain, pool: address });
      if (pool !== null) pools.push(pool);
    }
    return showPools(request, ask, { pools, view: readView(request) });
  },
};

const createSearch = (parts: CompatParts): GtRoute => ({
  id: 'SearchPools',
  path: '/search/pools',
  asks: searchTokens,
  summary: 'Search pools by symbol, name or address',
  parameters: [
    queryParameter('query', 'The text.'),
    queryParameter('network', 'Only pools of this network.'),
    ...[INCLUDE, PAGE],
  ],
  answer: async (request, ask) => {
    const { query } = request;
    const text = (query.get('query') ?? '').trim();
    const network = query.get('network');
    const page = readPage(query);
    const chain = network === null || network === '' ? null : toSlug(network);
    const limit = Math.min(page * PAGE_SIZE, ROWS_MAX);
    const found = await searchPools(parts, ask, { text, chain, limit });
    return showPools(request, ask, { pools: found.slice((page - 1) * PAGE_SIZE) });
  },
});

/** Lists over all networks come first: `new_pools` is no network. */
export function listPoolRoutes(parts: CompatParts): readonly GtRoute[] {
  return [...LISTS.map(toListRoute), dexPools, manyPools, onePool, createSearch(parts)];
}
