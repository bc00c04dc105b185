// What people type, and the token that they mean, over some 15,000 real tokens and impostors.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildModelListing, buildSearchMarket } from '../../../test/search-market.ts';
import { ChainSearch } from './chain-search.ts';
import type { Found } from './listing.ts';
import { parseSearchQuery } from './search-query.ts';
import { buildSegment } from './segment.ts';

const MARKET = buildSearchMarket();
const BY_TOKEN = new Map(MARKET.map((token) => [token.token, token]));

function openSearch(isListed: boolean): (text: string, limit: number) => readonly Found[] {
  const index = new ChainSearch();
  index.begin();
  index.setSegment(buildSegment(MARKET.map((token) => buildModelListing(token, isListed))));
  return (text, limit) => {
    const query = parseSearchQuery(text);
    assert.ok(query !== null);
    return index.search(query, { limit, isHidden: () => false });
  };
}

const withLists = openSearch(true);
const withoutLists = openSearch(false);

/** The text, and the symbol of the verified token that must come first. */
const MEANT: readonly (readonly [text: string, symbol: string])[] = [
  // Names and symbols of the largest, which many imitate.
  ['tether', 'USDT'],
  ['Tether USD', 'USDT'],
  ['usdt', 'USDT'],
  ['usdc', 'USDC'],
  ['usd coin', 'USDC'],
  ['btc', 'WBTC'],
  ['bitcoin', 'WBTC'],
  ['wbtc', 'WBTC'],
  ['wrapped bitcoin', 'WBTC'],
  ['wrapped btc', 'WBTC'],
  ['eth', 'WETH'],
  ['ether', 'WETH'],
  ['ethereum', 'WETH'],
  ['weth', 'WETH'],
  ['wrapped ether', 'WETH'],
  ['wrapped ethereum', 'WETH'],
  ['wrapped eth', 'WETH'],
  ['dai', 'DAI'],
  ['pepe', 'PEPE'],
  ['shib', 'SHIB'],
  ['shiba', 'SHIB'],
  ['shiba inu', 'SHIB'],
  ['floki', 'FLOKI'],
  ['sol', 'SOL'],
  ['solana', 'SOL'],
  // More words than the contract has, or fewer.
  ['floki inu', 'FLOKI'],
  ['uniswap token', 'UNI'],
  ['maker dao', 'MKR'],
  ['aave token', 'AAVE'],
  ['uniswap', 'UNI'],
  ['chainlink', 'LINK'],
  ['lido', 'LDO'],
  ['curve', 'CRV'],
  ['graph', 'GRT'],
  ['sandbox', 'SAND'],
  ['compound', 'COMP'],
  ['yearn', 'YFI'],
  ['render', 'RNDR'],
  ['axie', 'AXS'],
  ['paypal', 'PYUSD'],
  ['name service', 'ENS'],
  ['0x', 'ZRX'],
  ['mog', 'MOG'],
  ['ondo', 'ONDO'],
  ['ethena', 'ENA'],
  // Words in another order, and of symbol and name together.
  ['bitcoin wrapped', 'WBTC'],
  ['ether wrapped', 'WETH'],
  ['inu shiba', 'SHIB'],
  ['usd tether', 'USDT'],
  ['gold tether', 'XAUT'],
  ['stablecoin dai', 'DAI'],
  ['dao lido', 'LDO'],
  ['infinity axie', 'AXS'],
  ['graph the', 'GRT'],
  ['mars dogelon', 'ELON'],
  ['usd paypal', 'PYUSD'],
  ['link token', 'LINK'],
  ['coinbase btc', 'cbBTC'],
  ['coinbase bitcoin', 'cbBTC'],
  ['staked eth coinbase', 'cbETH'],
  // Spaces and punctuation.
  ['shibainu', 'SHIB'],
  ['ether fi', 'ETHFI'],
  ['ether.fi', 'ETHFI'],
  ['pepe coin', 'PEPECOIN'],
  ['pax-gold', 'PAXG'],
  ['  The   Graph ', 'GRT'],
  // Beginnings, as one types.
  ['tet', 'USDT'],
  ['unis', 'UNI'],
  ['chainl', 'LINK'],
  ['wrapped bt', 'WBTC'],
  ['wrapped e', 'WETH'],
  ['pend', 'PENDLE'],
  ['eig', 'EIGEN'],
  // Typing errors.
  ['tehter', 'USDT'],
  ['uniswpa', 'UNI'],
  ['chianlink', 'LINK'],
  ['shbia', 'SHIB'],
  ['wraped ether', 'WETH'],
  ['floky', 'FLOKI'],
  ['maekr', 'MKR'],
  ['compuond', 'COMP'],
  // Parts of addresses, as wallets and explorers shorten them.
  ['0xdac17f95', 'USDT'],
  ['0xA0b86991', 'USDC'],
  ['0xA0b8…eB48', 'USDC'],
  ['0x2260...C599', 'WBTC'],
  ['0xC02A', 'WETH'],
];

/** Without token lists only liquidity, volume and age tell the real one. */
const MEANT_WITHOUT_LISTS = [
  ...['tether', 'usdt', 'usdc', 'usd coin', 'btc', 'bitcoin', 'wrapped bitcoin', 'wbtc', 'ether'],
  ...['eth', 'ethereum', 'weth', 'wrapped ether', 'dai', 'pepe', 'shiba inu', 'floki'],
  ...['uniswap', 'chainlink', 'inu shiba', 'usd tether', 'tehter', '0xdac17f95'],
];

function describeFound({ token, kind, score }: Found): string {
  const { symbol, name, isVerified } = BY_TOKEN.get(token)!;
  return `${symbol} (${name})${isVerified ? ' verified' : ''} ${kind} ${score}`;
}

function assertFirst(found: readonly Found[], text: string, symbol: string): void {
  const shown = `${text}: ${found.slice(0, 4).map(describeFound).join(', ')}`;
  const first = BY_TOKEN.get(found[0]?.token ?? '');
  assert.ok(first?.isVerified === true && first.symbol === symbol, shown);
}

test('there are more than ten thousand real tokens', () => {
  assert.ok(MARKET.length > 14_000, String(MARKET.length));
  assert.ok(MEANT.length >= 60);
});

describe('the token that people mean comes first', () => {
  for (const [text, symbol] of MEANT) {
    test(`${text} → ${symbol}`, () => assertFirst(withLists(text, 20), text, symbol));
  }
});

describe('also where no token list says who is who', () => {
  for (const text of MEANT_WITHOUT_LISTS) {
    const [, symbol] = MEANT.find(([meant]) => meant === text)!;
    test(`${text} → ${symbol}`, () => assertFirst(withoutLists(text, 20), text, symbol));
  }
});

test('each verified token comes first for its symbol of two letters or more', () => {
  const verified = MARKET.filter(({ isVerified }) => isVerified);
  for (const { symbol } of verified.filter((token) => token.symbol.length > 1)) {
    // One is the name of a coin, and people mean the coin.
    const [, meant = symbol] = MEANT.find(([text]) => text === symbol.toLowerCase()) ?? [];
    assertFirst(withLists(symbol, 3), symbol, meant);
  }
});

test('and among the first three for its name', () => {
  for (const { token, name } of MARKET.filter(({ isVerified }) => isVerified)) {
    const found = withLists(name, 3);
    const shown = `${name}: ${found.map(describeFound).join(', ')}`;
    assert.ok(
      found.some((one) => one.token === token),
      shown,
    );
  }
});
