// Routes that work with clients of the GeckoTerminal API (v2) and of CoinGecko's onchain routes
// (v3), which are the same below their prefixes.

import type { CompatReply, CompatRoute, CompatShape } from '../../contract/compat-route.ts';
import { getChains } from '../../contract/operations/get-chains.ts';
import type { AppError } from '../../errors/app-error.ts';
import type { CompatParts } from '../compat-parts.ts';
import { buildDex, buildNetwork } from './build-pool.ts';
import { toDex, toSlug } from './networks.ts';
import { HISTORY_ROUTES } from './pool-history.ts';
import { listPoolRoutes } from './pool-routes.ts';
import { buildErrors, buildNotFound, type GtRoute, NETWORK, PAGE, readPage } from './requests.ts';
import { TOKEN_ROUTES } from './token-routes.ts';

const PAGE_SIZE = 100;

function cutPage<Entry>(entries: readonly Entry[], query: URLSearchParams): readonly Entry[] {
  const page = readPage(query);
  return entries.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
}

const NETWORK_ROUTES: readonly GtRoute[] = [
  {
    id: 'Networks',
    path: '/networks',
    asks: getChains,
    summary: 'List the followed chains',
    parameters: [PAGE],
    answer: async ({ query }, ask) => {
      const { chains } = await ask(getChains, {});
      return { data: cutPage(chains.map(buildNetwork), query) };
    },
  },
  {
    id: 'Dexes',
    path: '/networks/{network}/dexes',
    asks: getChains,
    summary: 'List the exchanges of a network',
    parameters: [NETWORK, PAGE],
    answer: async ({ params, query }, ask) => {
      const slug = toSlug(params['network'] ?? '');
      const { chains } = await ask(getChains, {});
      const { venues } = chains.find((one) => one.slug === slug) ?? buildNotFound();
      const dexes = new Set(venues.map((venue) => toDex(slug, venue)));
      return { data: cutPage([...dexes].map(buildDex), query) };
    },
  },
];

const NOT_FOUND = 404;
/** What our operations refuse with 400 and that API does not have. */
const UNKNOWN_CODES: ReadonlySet<string> = new Set([
  ...['UNKNOWN_CHAIN', 'CHAIN_NOT_FOLLOWED', 'INVALID_ADDRESS'],
]);

function encodeError(error: AppError, requestId: string): CompatReply {
  const { status, message, code } = error;
  if (status === 429) {
    const text = `You've exceeded the Rate Limit. ${message}`;
    return { status, body: { status: { error_code: status, error_message: text } } };
  }
  if (status === NOT_FOUND || UNKNOWN_CODES.has(code)) {
    return { status: NOT_FOUND, body: buildErrors(NOT_FOUND, 'Not Found', requestId) };
  }
  return { status, body: buildErrors(status, message) };
}

function bindRoutes(routes: readonly GtRoute[], below: string, prefix: string): CompatRoute[] {
  return routes.map((route) => ({
    ...route,
    ...{ id: `${prefix}${route.id}`, method: 'GET', path: `${below}${route.path}` },
  }));
}

export function createGeckoterminalShape(parts: CompatParts): CompatShape {
  const routes = [...NETWORK_ROUTES, ...TOKEN_ROUTES, ...listPoolRoutes(parts), ...HISTORY_ROUTES];
  return {
    prefix: '/compat/gt',
    tag: 'Compatible: GeckoTerminal',
    description:
      'Compatible with clients of the GeckoTerminal API (`/api/v2`) and of the CoinGecko API for tokens on chains (`/api/v3/onchain`); not affiliated with them. Pools are those of the chains that this server follows.',
    encodeError,
    routes: [
      ...bindRoutes(routes, '/api/v2', 'compatGt'),
      ...bindRoutes(routes, '/api/v3/onchain', 'compatCg'),
    ],
  };
}
