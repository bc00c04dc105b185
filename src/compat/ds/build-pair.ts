// A pool as clients of the DexScreener API know it. The order of keys is that API's.

import type { FullPool } from '../read-pools.ts';
import { findDexLabel } from './dex-labels.ts';

const WINDOWS = [
  ['m5', '5m'],
  ['h1', '1h'],
  ['h6', '6h'],
  ['h24', '24h'],
] as const;

type WindowName = (typeof WINDOWS)[number][0];

const round = (value: number, digits: number) => Number(value.toFixed(digits));

/** Whole from 100 per cent on. */
function roundChange(pct: number): number {
  return Math.abs(pct) < 100 ? round(pct, 2) : Math.round(pct);
}

/** Seven digits or so. */
function roundAmount(amount: string): number {
  const value = Number(amount);
  return Math.abs(value) < 100_000 ? round(value, 4) : Math.round(value);
}

/** Where less than a window is indexed, what the longest indexed one has: no key may be missing. */
function listWindows({ windows }: FullPool) {
  let known = { buys: 0, sells: 0, volume: 0 };
  return WINDOWS.map(([name, ours]) => {
    const { buys, sells, volumeUsd, priceChangePct, trades } = windows[ours];
    if (buys !== null && sells !== null) {
      known = { buys, sells, volume: round(Number(volumeUsd ?? 0), 2) };
    }
    const change = trades === 0 || priceChangePct === null ? null : roundChange(priceChangePct);
    return { name, ...known, change };
  });
}

function buildLiquidity({ liquidityUsd, reserves }: FullPool) {
  if (reserves === null || reserves.base.amount === null || reserves.quote.amount === null) {
    return {};
  }
  return {
    liquidity: {
      ...(liquidityUsd === null ? {} : { usd: round(Number(liquidityUsd), 2) }),
      base: roundAmount(reserves.base.amount),
      quote: roundAmount(reserves.quote.amount),
    },
  };
}

function buildInfo({ base }: FullPool) {
  const { logoUrl = null, links = null } = base;
  const { website = null, x = null, telegram = null } = links ?? {};
  const toSocial = (url: string | null, type: string) => {
    if (url === null) return [];
    const handle = new URL(url).pathname.split('/').find((part) => part !== '') ?? '';
    return [{ url, type, platform: type, handle }];
  };
  const websites = website === null ? [] : [{ url: website, label: 'Website' }];
  const socials = [...toSocial(x, 'twitter'), ...toSocial(telegram, 'telegram')];
  if (logoUrl === null && websites.length + socials.length === 0) return {};
  return { info: { ...(logoUrl === null ? {} : { imageUrl: logoUrl }), websites, socials } };
}

function showToken({ mint, name, symbol }: FullPool['base']) {
  return { address: mint, name: name ?? symbol ?? '', symbol: symbol ?? '' };
}

/** Null for a pool without a price, which that API does not list. */
export function buildPair(pool: FullPool, origin: string) {
  const { chain, address, base, priceQuote, priceUsd } = pool;
  if (priceQuote === null) return null;
  const { dexId, labels } = findDexLabel(pool.venue);
  const windows = listWindows(pool);
  const byName = <Value>(entries: readonly (readonly [WindowName, Value])[]) =>
    Object.fromEntries(entries);
  const query = new URLSearchParams({ chain, mint: base.mint, pool: address });
  const cap = base.marketCapUsd == null ? null : Math.round(Number(base.marketCapUsd));
  return {
    chainId: chain,
    dexId,
    url: `${origin}/token?${query}`,
    pairAddress: address,
    ...(labels.length === 0 ? {} : { labels }),
    baseToken: showToken(base),
    quoteToken: showToken(pool.quote),
    priceNative: priceQuote,
    ...(priceUsd === null ? {} : { priceUsd }),
    txns: byName(windows.map(({ name, buys, sells }) => [name, { buys, sells }])),
    volume: byName(windows.map(({ name, volume }) => [name, volume] as const).reverse()),
    priceChange: byName(
      windows.flatMap(({ name, change }) => (change === null ? [] : [[name, change] as const])),
    ),
    ...buildLiquidity(pool),
    ...(cap === null ? {} : { fdv: cap, marketCap: cap }),
    pairCreatedAt: pool.createdAt,
    ...buildInfo(pool),
  };
}
