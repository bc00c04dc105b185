// Tokens of the GeckoTerminal API: their figures, what is known of them, and simple prices.

import { createHash } from 'node:crypto';
import type { Ask, CompatRequest } from '../../contract/compat-route.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { getHolders } from '../../contract/operations/get-holders.ts';
import { getPool } from '../../contract/operations/get-pool.ts';
import { getPrices } from '../../contract/operations/get-prices.ts';
import { getToken } from '../../contract/operations/get-token.ts';
import { getTokenPrice } from '../../contract/operations/get-token-price.ts';
import { getTokenSafety } from '../../contract/operations/get-token-safety.ts';
import { toUnits } from '../../lib/decimal.ts';
import { askKnown, readPool, readTokenPools } from '../read-pools.ts';
import { buildPool, toId } from './build-pool.ts';
import { toChange, toFigure, toFigureOrNull, toGtAddress, toIso } from './figure-text.ts';
import { toSlug } from './networks.ts';
import {
  ADDRESSES,
  buildNotFound,
  type GtRoute,
  NETWORK,
  pathParameter,
  queryParameter,
  readAddresses,
} from './requests.ts';

type Token = Omit<OutputOf<typeof getToken>, 'asOf'>;

const TOP_POOLS = 3;
const INCLUDE = queryParameter('include', '`top_pools`.');
const TOKEN = pathParameter('address', 'Of the token.');

const chainOf = ({ params }: CompatRequest) => toSlug(params['network'] ?? '');

function buildLaunchpad({ launchpad, topPool }: Token) {
  if (launchpad === null) return {};
  const { progressPct, graduatedAt } = launchpad;
  const isOver = graduatedAt !== null;
  return {
    launchpad_details: {
      graduation_percentage: isOver ? 100 : (progressPct ?? 0),
      completed: isOver,
      completed_at: isOver ? toIso(graduatedAt) : null,
      migrated_destination_pool_address:
        isOver && topPool !== null ? toGtAddress(topPool.address) : null,
    },
  };
}

/** In seconds, as a text there. */
const toSeconds = (timeMs: number) => String(Math.floor(timeMs / 1000));

function buildToken(token: Token, lastTradeMs?: number | null) {
  const { chain, mint, totalSupplyRaw, decimals, pools } = token;
  const supply =
    totalSupplyRaw === null || decimals === null
      ? null
      : toFigure(toUnits(BigInt(totalSupplyRaw), decimals));
  const top = pools.slice(0, TOP_POOLS);
  return {
    id: toId(chain, mint),
    type: 'token',
    attributes: {
      address: toGtAddress(mint),
      ...{ name: token.name ?? token.symbol ?? '', symbol: token.symbol ?? '', decimals },
      ...{ image_url: token.logoUrl, coingecko_coin_id: null },
      total_supply: toFigureOrNull(totalSupplyRaw),
      normalized_total_supply: supply,
      price_usd: toFigureOrNull(token.priceUsd),
      fdv_usd: toFigureOrNull(token.marketCapUsd),
      total_reserve_in_usd: toFigureOrNull(token.liquidityUsd),
      volume_usd: { h24: toFigure(token.volume24hUsd ?? '0') },
      market_cap_usd: null,
      ...(lastTradeMs == null ? {} : { last_trade_timestamp: toSeconds(lastTradeMs) }),
      ...buildLaunchpad(token),
    },
    relationships: {
      top_pools: { data: top.map(({ address }) => ({ id: toId(chain, address), type: 'pool' })) },
    },
  };
}

/** The pools that the tokens refer to, if they are wanted. */
async function includePools({ query }: CompatRequest, ask: Ask, tokens: readonly Token[]) {
  if (!(query.get('include') ?? '').split(',').includes('top_pools')) return {};
  const included = [];
  for (const { chain, mint } of tokens) {
    const pools = await readTokenPools(ask, { chain, mint, limit: TOP_POOLS });
    included.push(...pools.map((pool) => buildPool(pool)));
  }
  return { included: [...new Map(included.map((one) => [one.id, one])).values()] };
}

const oneToken: GtRoute = {
  id: 'Token',
  path: '/networks/{network}/tokens/{address}',
  asks: getToken,
  summary: 'Get a token',
  parameters: [NETWORK, TOKEN, INCLUDE],
  answer: async (request, ask) => {
    const asked = { chain: chainOf(request), mint: request.params['address'] };
    const token = (await askKnown(ask, getToken, asked)) ?? buildNotFound();
    const { timestamp } = await ask(getTokenPrice, asked);
    const more = await includePools(request, ask, [token]);
    return { data: buildToken(token, timestamp), ...more };
  },
};

const manyTokens: GtRoute = {
  id: 'TokensByAddress',
  path: '/networks/{network}/tokens/multi/{addresses}',
  asks: getToken,
  summary: 'List tokens by their addresses',
  parameters: [NETWORK, ADDRESSES, INCLUDE],
  answer: async (request, ask) => {
    const tokens: Token[] = [];
    for (const mint of readAddresses(request)) {
      const token = await askKnown(ask, getToken, { chain: chainOf(request), mint });
      if (token !== null) tokens.push(token);
    }
    const more = await includePools(request, ask, tokens);
    return { data: tokens.map((token) => buildToken(token)), ...more };
  },
};

// What is known of a token.

const LISTED_HOLDERS = 40;

function buildHolders({ total, top10Pct, holders }: Omit<OutputOf<typeof getHolders>, 'asOf'>) {
  const sum = (from: number, to: number) =>
    holders.slice(from, to).reduce((total, { pct }) => total + (pct ?? 0), 0);
  const shares = { top: top10Pct ?? sum(0, 10), next: sum(10, 20), later: sum(20, LISTED_HOLDERS) };
  const rest = Math.max(0, 100 - shares.top - shares.next - shares.later);
  const show = (pct: number) => String(Number(pct.toFixed(4)));
  return {
    count: total,
    distribution_percentage:
      total === null
        ? null
        : {
            ...{ top_10: show(shares.top), '11_20': show(shares.next) },
            ...{ '21_40': show(shares.later), rest: show(rest) },
          },
    last_updated: null,
  };
}

type Safety = Omit<OutputOf<typeof getTokenSafety>, 'asOf'>;

/** Of a mint of Solana; what does not exist on other chains is not known there either. */
function showAuthority({ facts }: Safety, code: string): 'yes' | 'no' | null {
  const value = facts.find((fact) => fact.code === code)?.value;
  return value == null ? null : value === false ? 'no' : 'yes';
}

/** A token that could not be sold where it was tried. */
function showHoneypot({ facts }: Safety): boolean | 'unknown' {
  const value = facts.find(({ code }) => code === 'SELLABLE')?.value;
  return typeof value === 'boolean' ? !value : 'unknown';
}

function readHandle(url: string | null | undefined): string | null {
  return url == null ? null : (new URL(url).pathname.split('/').find(Boolean) ?? null);
}

interface KnownOfToken {
  readonly token: Token;
  readonly safety: Safety;
  /** Null where that API leaves them out. */
  readonly holders: Parameters<typeof buildHolders>[0] | null;
}

function buildInfo({ token, safety, holders }: KnownOfToken) {
  const { logoUrl, links } = token;
  return {
    id: toId(token.chain, token.mint),
    type: 'token',
    attributes: {
      address: toGtAddress(token.mint),
      ...{ name: token.name ?? token.symbol ?? '', symbol: token.symbol ?? '' },
      ...{ decimals: token.decimals, image_url: logoUrl },
      image: { thumb: logoUrl, small: logoUrl, large: logoUrl },
      ...{ banner_image_url: null, coingecko_coin_id: null },
      websites: links?.website == null ? [] : [links.website],
      ...{ discord_url: null, farcaster_url: null, zora_url: null },
      telegram_handle: readHandle(links?.telegram),
      twitter_handle: readHandle(links?.x),
      ...{ description: null, gt_score: null, gt_score_details: null },
      gt_verified: token.verified.length > 0,
      ...{ categories: [], gt_category_ids: [] },
      ...(holders === null ? {} : { holders: buildHolders(holders) }),
      mint_authority: showAuthority(safety, 'MINT_AUTHORITY'),
      freeze_authority: showAuthority(safety, 'FREEZE_AUTHORITY'),
      is_honeypot: showHoneypot(safety),
      ...{ developer_address: null, developer_holding_percentage: null },
    },
  };
}

const tokenInfo: GtRoute = {
  id: 'TokenInfo',
  path: '/networks/{network}/tokens/{address}/info',
  asks: getToken,
  summary: 'Get what is known of a token besides its figures',
  parameters: [NETWORK, TOKEN],
  answer: async (request, ask) => {
    const asked = { chain: chainOf(request), mint: request.params['address'] };
    const token = (await askKnown(ask, getToken, asked)) ?? buildNotFound();
    const holders = await ask(getHolders, { ...asked, limit: LISTED_HOLDERS });
    const safety = await ask(getTokenSafety, asked);
    return { data: buildInfo({ token, safety, holders }) };
  },
};

const poolInfo: GtRoute = {
  id: 'PoolInfo',
  path: '/networks/{network}/pools/{address}/info',
  asks: getPool,
  summary: 'List what is known of the two tokens of a pool',
  parameters: [NETWORK, pathParameter('address', 'Of the pool.')],
  answer: async (request, ask) => {
    const of = { chain: chainOf(request), pool: request.params['address'] ?? '' };
    const pool = (await readPool(ask, of)) ?? buildNotFound();
    const { chain } = pool;
    const data = [];
    for (const { mint } of [pool.base, pool.quote]) {
      const token = await askKnown(ask, getToken, { chain, mint });
      if (token === null) continue;
      const safety = await ask(getTokenSafety, { chain, mint });
      const link = { data: { id: toId(chain, pool.address), type: 'pool' } };
      const info = buildInfo({ token, safety, holders: null });
      data.push({ ...info, relationships: { pool: link } });
    }
    return { data };
  },
};

// Simple prices.

/** An id that is the same for the same request: nothing here is random. */
export function toRequestId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...parts, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

const FIGURES = [
  ['market_cap_usd', 'include_market_cap'],
  ['h24_volume_usd', 'include_24hr_vol'],
  ['h24_price_change_percentage', 'include_24hr_price_change'],
  ['total_reserve_in_usd', 'include_total_reserve_in_usd'],
] as const;

type FigureName = (typeof FIGURES)[number][0];

function listFigures(
  token: Token,
  isFdvEnough: boolean,
): Readonly<Record<FigureName, string | null>> {
  return {
    // Without the supply in circulation there is only that of all tokens.
    market_cap_usd: isFdvEnough ? toFigureOrNull(token.marketCapUsd) : null,
    h24_volume_usd: toFigure(token.volume24hUsd ?? '0'),
    h24_price_change_percentage:
      token.priceChange24hPct === null ? null : toChange(token.priceChange24hPct),
    total_reserve_in_usd: toFigureOrNull(token.liquidityUsd),
  };
}

/** At once; one by one if some of them cannot be addresses. */
async function readPrices(ask: Ask, chain: string, mints: readonly string[]) {
  const tokens = mints.map((mint) => ({ chain, mint }));
  const all = tokens.length === 0 ? null : await askKnown(ask, getPrices, { tokens });
  if (all !== null) return all.prices;
  const prices = [];
  for (const token of tokens) {
    const one = await askKnown(ask, getPrices, { tokens: [token] });
    prices.push(one?.prices[0] ?? null);
  }
  return prices;
}

const simplePrice: GtRoute = {
  id: 'SimplePrice',
  path: '/simple/networks/{network}/token_price/{addresses}',
  asks: getPrices,
  summary: 'Get the prices of tokens',
  parameters: [
    ...[NETWORK, ADDRESSES],
    ...FIGURES.map(([, name]) => queryParameter(name, '`true`: that, too.')),
    queryParameter('mcap_fdv_fallback', '`true`: the value of all tokens as market cap.'),
  ],
  answer: async (request, ask) => {
    const { params, query } = request;
    const addresses = readAddresses(request);
    const chain = chainOf(request);
    const attributes: Record<string, Record<string, string>> = { token_prices: {} };
    const add = (name: string, mint: string, value: string | null) => {
      attributes[name] ??= {};
      if (value !== null) attributes[name][toGtAddress(mint)] = value;
    };
    const wanted = FIGURES.filter(([, name]) => query.get(name) === 'true');
    for (const [name] of wanted) attributes[name] = {};
    for (const price of await readPrices(ask, chain, addresses)) {
      if (price === null) continue;
      const { mint } = price;
      add('token_prices', mint, toFigureOrNull(price.priceUsd));
      if (price.timestamp !== null) {
        add('last_trade_timestamp', mint, toSeconds(price.timestamp));
      }
      if (wanted.length === 0) continue;
      const token = await askKnown(ask, getToken, { chain, mint });
      const figures =
        token === null ? null : listFigures(token, query.get('mcap_fdv_fallback') === 'true');
      for (const [name] of wanted) add(name, mint, figures?.[name] ?? null);
    }
    const { last_trade_timestamp: last = {}, ...others } = attributes;
    return {
      data: {
        id: toRequestId(`${params['network']} ${params['addresses']}`),
        type: 'simple_token_price',
        attributes: { ...others, last_trade_timestamp: last },
      },
    };
  },
};

export const TOKEN_ROUTES: readonly GtRoute[] = [
  ...[manyTokens, oneToken, tokenInfo, poolInfo, simplePrice],
];
