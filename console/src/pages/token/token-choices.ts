// What the user chose on a token's page; all of it is in the URL.

import type { KlineIntervalName } from '../../api/contract-types.ts';

/** As the contract has them; `satisfies` fails if one is renamed. */
export const CHART_INTERVALS = [
  '1s',
  '5s',
  '15s',
  '30s',
  '1m',
  '3m',
  '5m',
  '15m',
  '30m',
  '1h',
  '2h',
  '4h',
  '6h',
  '8h',
  '12h',
  '1d',
  '3d',
  '1w',
  '1M',
] as const satisfies readonly KlineIntervalName[];

export const TOKEN_TABS = ['trades', 'holders', 'pools', 'safety', 'traders'] as const;
type TokenTab = (typeof TOKEN_TABS)[number];

export interface TokenChoices {
  readonly chain: string;
  readonly mint: string;
  readonly interval: KlineIntervalName;
  readonly currency: 'usd' | 'native';
  readonly pool: string | null;
  readonly outliers: 'exclude' | 'include';
  readonly isLog: boolean;
  readonly isJoined: boolean;
  readonly tab: TokenTab;
}

/** Null if the URL names no token. */
export function parseTokenChoices(query: URLSearchParams): TokenChoices | null {
  const chain = query.get('chain') ?? '';
  const mint = query.get('mint') ?? '';
  if (chain === '' || mint === '') return null;
  return {
    chain,
    mint,
    interval: CHART_INTERVALS.find((each) => each === query.get('interval')) ?? '5m',
    currency: query.get('currency') === 'native' ? 'native' : 'usd',
    pool: query.get('pool'),
    outliers: query.get('outliers') === 'include' ? 'include' : 'exclude',
    isLog: query.get('scale') === 'log',
    isJoined: query.get('candles') !== 'true-open',
    tab: TOKEN_TABS.find((each) => each === query.get('tab')) ?? 'trades',
  };
}

/** What the candles of the chart depend on, for `/token/klines` and the stream alike. */
export function buildKlineInput(choices: TokenChoices) {
  const { chain, mint, interval, currency, outliers, pool } = choices;
  return { chain, mint, interval, currency, outliers, pool: pool ?? undefined };
}
