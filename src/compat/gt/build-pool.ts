// Pools, tokens and exchanges as entries of the GeckoTerminal API. The order of keys is that API's.

import { ratioToText, textToDecimal, toRatio } from '../../lib/decimal.ts';
import type { FullPool } from '../read-pools.ts';
import { invert, toChange, toFigure, toFigureOrNull, toGtAddress, toIso } from './figure-text.ts';
import { findPlatform, nameDex, toDex, toNetwork } from './networks.ts';

const WINDOWS = [
  ['m5', '5m'],
  ['m15', '15m'],
  ['m30', '30m'],
  ['h1', '1h'],
  ['h6', '6h'],
  ['h24', '24h'],
] as const;

export type PoolSide = FullPool['base'];

export function toId(chain: string, address: string): string {
  return `${toNetwork(chain)}_${toGtAddress(address)}`;
}

/** Where less than a window is indexed, what the longest indexed one has: each must be there. */
function buildWindows({ windows }: FullPool) {
  let known = { counts: { buys: 0, sells: 0, buyers: 0, sellers: 0 }, volume: '0.0' };
  const rows = WINDOWS.map(([name, ours]) => {
    const { buys, sells, buyers, sellers, volumeUsd, priceChangePct } = windows[ours];
    if (buys !== null && sells !== null && buyers !== null && sellers !== null) {
      known = { counts: { buys, sells, buyers, sellers }, volume: toFigure(volumeUsd ?? '0') };
    }
    return { name, ...known, change: toChange(priceChangePct) };
  });
  return {
    price_change_percentage: Object.fromEntries(rows.map(({ name, change }) => [name, change])),
    transactions: Object.fromEntries(rows.map(({ name, counts }) => [name, counts])),
    volume_usd: Object.fromEntries(rows.map(({ name, volume }) => [name, volume])),
  };
}

/** What a side of the pool holds, and what that is worth at the token's price. */
function buildBalances({ reserves, base, quote, priceUsd }: FullPool) {
  const value = (amount: string | null | undefined, price: string | null | undefined) => {
    if (amount == null || price == null) return null;
    const [units, each] = [toRatio(textToDecimal(amount)), toRatio(textToDecimal(price))];
    return toFigure(
      ratioToText({
        numerator: units.numerator * each.numerator,
        denominator: units.denominator * each.denominator,
      }),
    );
  };
  const [ofBase, ofQuote] = [reserves?.base.amount, reserves?.quote.amount];
  return {
    base: {
      base_token_balance: toFigureOrNull(ofBase),
      base_token_liquidity_usd: value(ofBase, priceUsd ?? base.priceUsd),
    },
    quote: {
      quote_token_balance: toFigureOrNull(ofQuote),
      quote_token_liquidity_usd: value(ofQuote, quote.priceUsd),
    },
  };
}

function formatFee(feePips: number): string {
  return String(Number((feePips / 10_000).toFixed(4)));
}

function namePool({ base, quote, feePips }: FullPool) {
  const show = ({ symbol, mint }: PoolSide) => symbol ?? mint;
  const pair = `${show(base)} / ${show(quote)}`;
  const fee = feePips === null ? null : formatFee(feePips);
  return { pair, fee, whole: fee === null ? pair : `${pair} ${fee}%` };
}

export interface PoolView {
  /** One pool, or several by their addresses: with its name and fee apart. */
  readonly isDetailed?: boolean;
  readonly hasComposition?: boolean;
  /** In a list over all networks. */
  readonly hasNetwork?: boolean;
  /** The token whose pools are listed. */
  readonly token?: string;
}

export function buildPool(pool: FullPool, view: PoolView = {}) {
  const { chain, address, base, quote, priceUsd, priceNative, priceQuote } = pool;
  const { isDetailed, hasComposition, hasNetwork, token } = view;
  const name = namePool(pool);
  const balances = hasComposition ? buildBalances(pool) : null;
  const isBase = token !== undefined && toGtAddress(token) === toGtAddress(base.mint);
  const own = isBase ? priceUsd : quote.priceUsd;
  const link = (type: string, id: string) => ({ data: { id, type } });
  return {
    id: toId(chain, address),
    type: 'pool',
    attributes: {
      base_token_price_usd: toFigureOrNull(priceUsd),
      base_token_price_native_currency: toFigureOrNull(priceNative),
      ...balances?.base,
      quote_token_price_usd: toFigureOrNull(quote.priceUsd),
      quote_token_price_native_currency: toFigureOrNull(quote.priceNative),
      ...balances?.quote,
      base_token_price_quote_token: toFigureOrNull(priceQuote),
      quote_token_price_base_token: toFigureOrNull(invert(priceQuote)),
      address: toGtAddress(address),
      name: name.whole,
      ...(isDetailed ? { pool_name: name.pair, pool_fee_percentage: name.fee } : {}),
      pool_created_at: pool.createdAt === null ? null : toIso(pool.createdAt),
      ...(token === undefined ? {} : { token_price_usd: toFigureOrNull(own) }),
      fdv_usd: toFigureOrNull(base.marketCapUsd),
      // Price times the supply that is in circulation, which an index does not know.
      market_cap_usd: null,
      ...buildWindows(pool),
      reserve_in_usd: toFigureOrNull(pool.liquidityUsd),
    },
    relationships: {
      base_token: link('token', toId(chain, base.mint)),
      quote_token: link('token', toId(chain, quote.mint)),
      ...(hasNetwork ? { network: link('network', toNetwork(chain)) } : {}),
      dex: link('dex', toDex(chain, pool.venue)),
    },
  };
}

function buildIncludedToken(chain: string, { mint, name, symbol, decimals, logoUrl }: PoolSide) {
  return {
    id: toId(chain, mint),
    type: 'token',
    attributes: {
      ...{ address: toGtAddress(mint), name: name ?? symbol ?? '', symbol: symbol ?? '', decimals },
      ...{ image_url: logoUrl ?? null, coingecko_coin_id: null },
    },
  };
}

export function buildDex(dex: string) {
  return { id: dex, type: 'dex', attributes: { name: nameDex(dex) } };
}

export function buildNetwork({ slug, name }: { readonly slug: string; readonly name: string }) {
  const attributes = { name, coingecko_asset_platform_id: findPlatform(slug) };
  return { id: toNetwork(slug), type: 'network', attributes };
}

/** What pools refer to, each once, as far as it is wanted. */
export function listIncluded(
  pools: readonly FullPool[],
  wanted: ReadonlySet<string>,
  chains: readonly { readonly slug: string; readonly name: string }[] = [],
) {
  const entries = pools.flatMap((pool) => {
    const { chain, base, quote, venue } = pool;
    const network = chains.find(({ slug }) => slug === chain);
    return [
      ...(wanted.has('base_token') ? [buildIncludedToken(chain, base)] : []),
      ...(wanted.has('quote_token') ? [buildIncludedToken(chain, quote)] : []),
      ...(wanted.has('network') && network !== undefined ? [buildNetwork(network)] : []),
      ...(wanted.has('dex') ? [buildDex(toDex(chain, venue))] : []),
    ];
  });
  return [...new Map(entries.map((entry) => [`${entry.type} ${entry.id}`, entry])).values()];
}
