// Prices and tokens as clients of the Jupiter API read them: figures are numbers, nothing wraps
// the answer, and what is not known is null or left out.

import { type Ask, type Asked, type CompatRequest, readList } from '../../contract/compat-route.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { getPrices } from '../../contract/operations/get-prices.ts';
import { getToken } from '../../contract/operations/get-token.ts';
import { listTokens } from '../../contract/operations/list-tokens.ts';
import { searchTokens } from '../../contract/operations/search-tokens.ts';
import { AppError } from '../../errors/app-error.ts';
import { refuse } from './jupiter-errors.ts';

const IDS_MAX = 50;

/** Each once: an answer is an object by mint. */
function readIds(query: URLSearchParams): string[] {
  const ids = [...new Set(readList(query, 'ids'))];
  if (ids.length === 0) refuse('Query parameter ids is required');
  if (ids.length > IDS_MAX) refuse(`Query parameter ids has more than ${IDS_MAX} mints`);
  return ids;
}

function askPrices(ask: Ask, chain: string, ids: readonly string[]) {
  return ask(getPrices, { tokens: ids.map((mint) => ({ chain, mint })) });
}

export async function answerPriceV2(chain: string, { query }: CompatRequest, ask: Ask) {
  const ids = readIds(query);
  const { prices } = await askPrices(ask, chain, ids);
  const entries = ids.map((id, index) => {
    const price = prices[index]?.priceUsd ?? null;
    return [id, price === null ? null : { id, type: 'derivedPrice', price }] as const;
  });
  return { data: Object.fromEntries(entries), timeTaken: 0 };
}

const toNumber = (text: string | null) => (text === null ? null : Number(text));
const toIso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** A token without a price is left out, as one that nobody knows. */
export async function answerPriceV3(chain: string, { query }: CompatRequest, ask: Ask) {
  const ids = readIds(query);
  const { prices } = await askPrices(ask, chain, ids);
  const entries: [string, object][] = [];
  for (const [index, id] of ids.entries()) {
    const price = prices[index];
    // Only those that are known: `/token` would look the others up on the chain.
    if (price?.priceUsd == null) continue;
    const { createdAt, liquidityUsd, decimals } = await ask(getToken, { chain, mint: id });
    const entry = {
      createdAt: toIso(createdAt),
      liquidity: toNumber(liquidityUsd) ?? 0,
      usdPrice: Number(price.priceUsd),
      blockId: price.block,
      decimals,
      priceChange24h: price.priceChange24hPct,
    };
    entries.push([id, entry]);
  }
  return Object.fromEntries(entries);
}

type Token = Asked<typeof getToken>;
type Listed = OutputOf<typeof listTokens>['tokens'][number];
type Found = OutputOf<typeof searchTokens>['tokens'][number];

function toStats(window: Token['windows']['5m']) {
  return {
    priceChange: window.priceChangePct,
    holderChange: null,
    liquidityChange: null,
    volumeChange: null,
    buyVolume: null,
    sellVolume: null,
    numBuys: window.buys,
    numSells: window.sells,
    numTraders: null,
    numNetBuyers: null,
  };
}

/** The rows of a search have no windows, and only a single token its supply and its pools. */
function toJupiterToken(token: Found & Partial<Pick<Listed, 'windows'> & Pick<Token, 'pools'>>) {
  const { links, launchpad, decimals, topPool, windows, marketCapUsd } = token;
  const isVerified = token.verified.length > 0;
  const marketCap = toNumber(marketCapUsd);
  const first = token.pools
    ?.filter(({ createdAt }) => createdAt !== null)
    .sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0))[0];
  return {
    id: token.mint,
    name: token.name ?? '',
    symbol: token.symbol ?? '',
    icon: token.logoUrl,
    decimals,
    createdAt: toIso(token.createdAt),
    twitter: links?.x ?? null,
    telegram: links?.telegram ?? null,
    website: links?.website ?? null,
    launchpad: launchpad?.venue ?? null,
    graduatedPool: launchpad?.graduatedAt == null ? null : (topPool?.address ?? null),
    graduatedAt: toIso(launchpad?.graduatedAt ?? null),
    holderCount: token.holders,
    // By the total supply: which part circulates is not known here.
    fdv: marketCap,
    mcap: marketCap,
    usdPrice: toNumber(token.priceUsd),
    liquidity: toNumber(token.liquidityUsd),
    ...(windows === undefined
      ? { stats24h: { priceChange: token.priceChange24hPct } }
      : {
          stats5m: toStats(windows['5m']),
          stats1h: toStats(windows['1h']),
          stats6h: toStats(windows['6h']),
          stats24h: toStats(windows['24h']),
        }),
    ...(first === undefined
      ? {}
      : { firstPool: { id: first.address, createdAt: toIso(first.createdAt) } }),
    // There is no such score here; clients expect the two fields.
    organicScore: 0,
    organicScoreLabel: 'low',
    isVerified,
    tags: isVerified ? ['verified'] : [],
  };
}

async function findToken(ask: Ask, chain: string, mint: string): Promise<Token | null> {
  try {
    return await ask(getToken, { chain, mint });
  } catch (error) {
    if (error instanceof AppError && [400, 404].includes(error.status)) return null;
    throw error;
  }
}

const MINTS_MAX = 100;
const MINT = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** By symbol, by name, or by mints with commas. */
export async function answerTokenSearch(chain: string, { query }: CompatRequest, ask: Ask) {
  const mints = readList(query, 'query');
  if (mints.length > 0 && mints.every((one) => MINT.test(one))) {
    if (mints.length > MINTS_MAX) refuse(`Query parameter query has more than ${MINTS_MAX} mints`);
    const found: Token[] = [];
    for (const mint of mints) {
      const token = await findToken(ask, chain, mint);
      if (token !== null) found.push(token);
    }
    return found.map((token) => toJupiterToken({ ...token, warnings: [] }));
  }
  const q = (query.get('query') ?? '').trim().slice(0, 64);
  if (q === '') return [];
  const { tokens } = await ask(searchTokens, { q, chain, limit: 20 });
  return tokens.map(toJupiterToken);
}

const CATEGORIES: Readonly<Record<string, string>> = {
  // Without a score of their own: by how many wallets bought.
  toporganicscore: 'buyers',
  toptraded: 'volume',
  toptrending: 'trending',
};
const INTERVALS: readonly string[] = ['5m', '1h', '6h', '24h'];

async function answerList(ask: Ask, input: Readonly<Record<string, unknown>>) {
  const { tokens } = await ask(listTokens, input);
  return tokens.map(toJupiterToken);
}

function readLimit(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? 50);
  return Number.isInteger(limit) && limit > 0 ? Math.min(limit, 100) : 50;
}

export function answerTokenTop(chain: string, { params, query }: CompatRequest, ask: Ask) {
  const { category = '', interval = '' } = params;
  const sort = CATEGORIES[category] ?? refuse(`There is no category ${category}`);
  if (!INTERVALS.includes(interval)) refuse(`interval must be one of ${INTERVALS.join(', ')}`);
  return answerList(ask, { chain: [chain], sort, window: interval, limit: readLimit(query) });
}

export function answerTokenRecent(chain: string, { query }: CompatRequest, ask: Ask) {
  return answerList(ask, { chain: [chain], sort: 'new', limit: readLimit(query) });
}

/** Of their tags only `verified` has a meaning here: on a token list of the operator. */
export async function answerTokenTag(chain: string, { query }: CompatRequest, ask: Ask) {
  if (query.get('query') !== 'verified') return [];
  return answerList(ask, { chain: [chain], sort: 'marketCap', verified: true, limit: 100 });
}
