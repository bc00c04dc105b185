// Routes that work with clients of the DexScreener API: pairs by token, by address and by text.

import {
  type Ask,
  CompatRefusal,
  type CompatRoute,
  type CompatShape,
} from '../../contract/compat-route.ts';
import { getPool } from '../../contract/operations/get-pool.ts';
import { listPools } from '../../contract/operations/list-pools.ts';
import { searchTokens } from '../../contract/operations/search-tokens.ts';
import type { CompatParts } from '../compat-parts.ts';
import {
  askKnown,
  type FullPool,
  listChainsOf,
  readPool,
  readTokenPools,
  searchPools,
} from '../read-pools.ts';
import { buildPair } from './build-pair.ts';

const ADDRESSES_MAX = 30;
const PAIRS_MAX = 30;
const SCHEMA_VERSION = '1.0.0';

/** Each once: clients send the same address twice. */
function readAddresses(text = ''): string[] {
  const addresses = [...new Set(text.split(',').map((one) => one.trim()))].filter(Boolean);
  if (addresses.length <= ADDRESSES_MAX) return addresses;
  const error = `At most ${ADDRESSES_MAX} addresses`;
  throw new CompatRefusal({ status: 400, body: { error } });
}

function toPairs({ readOrigin }: CompatParts, pools: readonly FullPool[]) {
  const origin = readOrigin();
  return pools.flatMap((pool) => buildPair(pool, origin) ?? []);
}

const byLiquidity = (a: FullPool, b: FullPool) =>
  Number(b.liquidityUsd ?? 0) - Number(a.liquidityUsd ?? 0);

/** On one possible chain the pools are asked for at once, on several the token is searched. */
async function findMints(parts: CompatParts, ask: Ask, address: string) {
  const chains = listChainsOf(parts, address);
  if (chains.length < 2) return chains.map((chain) => ({ chain, mint: address }));
  const found = await askKnown(ask, searchTokens, { q: address, limit: 10 });
  const isIt = ({ mint }: { readonly mint: string }) =>
    mint.toLowerCase() === address.toLowerCase();
  return found?.tokens.filter(isIt) ?? [];
}

async function readPairsOfTokens(parts: CompatParts, ask: Ask, addresses: readonly string[]) {
  const pools = new Map<string, FullPool>();
  for (const address of addresses) {
    for (const { chain, mint } of await findMints(parts, ask, address)) {
      for (const pool of await readTokenPools(ask, { chain, mint, limit: PAIRS_MAX })) {
        pools.set(`${chain} ${pool.address}`, pool);
      }
    }
  }
  const deepest = [...pools.values()].sort(byLiquidity).slice(0, PAIRS_MAX);
  return toPairs(parts, deepest);
}

/** In the order of the addresses. */
async function readPairs(parts: CompatParts, ask: Ask, chain: string, addresses: string[]) {
  const pools: FullPool[] = [];
  for (const pool of addresses) {
    const found = await readPool(ask, { chain, pool });
    if (found !== null) pools.push(found);
  }
  return toPairs(parts, pools);
}

async function readMainPairs(parts: CompatParts, ask: Ask, chain: string, mints: string[]) {
  const pools = new Map<string, FullPool>();
  for (const mint of mints) {
    const [main] = await readTokenPools(ask, { chain, mint, limit: 1 });
    if (main !== undefined) pools.set(main.address, main);
  }
  return toPairs(parts, [...pools.values()]);
}

const pathParameter = (name: string, description: string) =>
  ({ name, in: 'path', description }) as const;
const CHAIN = pathParameter('chainId', 'Slug of a chain that this server follows.');
const ADDRESSES = pathParameter('addresses', `Up to ${ADDRESSES_MAX}, with commas.`);

function listPairRoutes(parts: CompatParts): readonly CompatRoute[] {
  return [
    {
      id: 'compatDsPairsOfTokens',
      method: 'GET',
      path: '/latest/dex/tokens/{addresses}',
      asks: listPools,
      summary: `List the deepest pairs of tokens, ${PAIRS_MAX} in all`,
      parameters: [ADDRESSES],
      answer: async ({ params }, ask) => {
        const pairs = await readPairsOfTokens(parts, ask, readAddresses(params['addresses']));
        return { schemaVersion: SCHEMA_VERSION, pairs: pairs.length === 0 ? null : pairs };
      },
    },
    {
      id: 'compatDsSearch',
      method: 'GET',
      path: '/latest/dex/search',
      asks: searchTokens,
      summary: 'Search pairs by symbol, name, address, or two symbols with a slash',
      parameters: [{ name: 'q', in: 'query', description: 'The text.', isRequired: true }],
      answer: async ({ query }, ask) => {
        const text = (query.get('q') ?? '').trim();
        const found = await searchPools(parts, ask, { text, chain: null, limit: PAIRS_MAX });
        return { schemaVersion: SCHEMA_VERSION, pairs: toPairs(parts, found) };
      },
    },
    {
      id: 'compatDsPairs',
      method: 'GET',
      path: '/latest/dex/pairs/{chainId}/{addresses}',
      asks: getPool,
      summary: 'List pairs by their addresses',
      parameters: [CHAIN, ADDRESSES],
      answer: async ({ params: { chainId = '', addresses } }, ask) => {
        const pairs = await readPairs(parts, ask, chainId, readAddresses(addresses));
        const [pair = null] = pairs;
        return { schemaVersion: SCHEMA_VERSION, pairs: pair === null ? null : pairs, pair };
      },
    },
    {
      id: 'compatDsMainPairs',
      method: 'GET',
      path: '/tokens/v1/{chainId}/{addresses}',
      asks: listPools,
      summary: 'List the deepest pair of each of several tokens',
      parameters: [CHAIN, ADDRESSES],
      answer: ({ params: { chainId = '', addresses } }, ask) =>
        readMainPairs(parts, ask, chainId, readAddresses(addresses)),
    },
    {
      id: 'compatDsPairsOfToken',
      method: 'GET',
      path: '/token-pairs/v1/{chainId}/{address}',
      asks: listPools,
      summary: `List the ${PAIRS_MAX} deepest pairs of a token`,
      parameters: [CHAIN, pathParameter('address', 'Of the token.')],
      answer: async ({ params: { chainId: chain = '', address: mint = '' } }, ask) =>
        toPairs(parts, await readTokenPools(ask, { chain, mint, limit: PAIRS_MAX })),
    },
  ];
}

/** Programs call these in passing; nobody pays this server for attention. */
const PROMOTIONS = [
  ['compatDsProfiles', '/token-profiles/latest/v1'],
  ['compatDsLatestBoosts', '/token-boosts/latest/v1'],
  ['compatDsTopBoosts', '/token-boosts/top/v1'],
  ['compatDsOrders', '/orders/v1/{chainId}/{address}'],
  ['compatDsTakeovers', '/community-takeovers/latest/v1'],
  ['compatDsAds', '/ads/latest/v1'],
] as const;

function listPromotionRoutes(): readonly CompatRoute[] {
  return PROMOTIONS.map(([id, path]) => ({
    ...{ id, method: 'GET', path, asks: null },
    summary: 'List paid promotions: there are none here',
    parameters: path.includes('{') ? [CHAIN, pathParameter('address', 'Of the token.')] : [],
    answer: () => [],
  }));
}

export function createDexscreenerShape(parts: CompatParts): CompatShape {
  return {
    prefix: '/compat/ds',
    tag: 'Compatible: DexScreener',
    description:
      'Compatible with clients of the DexScreener API; not affiliated with it. Pairs are pools of the chains that this server follows.',
    encodeError: ({ status, message }) => ({ status, body: { error: message } }),
    routes: [...listPairRoutes(parts), ...listPromotionRoutes()],
  };
}
