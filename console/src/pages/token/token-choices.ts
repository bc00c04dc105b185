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

/** Those that are a button each; the others are in a list. */
export const MAIN_INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;

const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1000, 60_000, 3_600_000, 86_400_000];
const UNIT_MS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

/** Null for months, which have no one length. */
export function findStepMs(interval: KlineIntervalName): number | null {
  const unitMs = UNIT_MS[interval.slice(-1)];
  return unitMs === undefined ? null : Number.parseInt(interval, 10) * unitMs;
}

/** How far back the chart shows, and with which candles: some hundreds of them. */
export const CHART_RANGES = {
  '1D': { lengthMs: DAY_MS, interval: '5m' },
  '1W': { lengthMs: 7 * DAY_MS, interval: '1h' },
  '1M': { lengthMs: 30 * DAY_MS, interval: '4h' },
  all: { lengthMs: Number.POSITIVE_INFINITY, interval: '1d' },
} as const satisfies Readonly<
  Record<string, { readonly lengthMs: number; readonly interval: KlineIntervalName }>
>;
type ChartRange = keyof typeof CHART_RANGES;
export const CHART_RANGE_NAMES = ['1D', '1W', '1M', 'all'] as const satisfies readonly ChartRange[];

export const TOKEN_TABS = ['trades', 'holders', 'pools', 'safety', 'traders'] as const;
type TokenTab = (typeof TOKEN_TABS)[number];

export interface TokenChoices {
  readonly chain: string;
  readonly mint: string;
  readonly interval: KlineIntervalName;
  /** Null shows the newest candles. */
  readonly range: ChartRange | null;
  /** `quote`: in the other token of `pool`. */
  readonly currency: 'usd' | 'native' | 'quote';
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
  const pool = query.get('pool');
  const currencies = pool === null ? (['native'] as const) : (['native', 'quote'] as const);
  return {
    chain,
    mint,
    interval: CHART_INTERVALS.find((each) => each === query.get('interval')) ?? '5m',
    range: CHART_RANGE_NAMES.find((each) => each === query.get('range')) ?? null,
    currency: currencies.find((each) => each === query.get('currency')) ?? 'usd',
    pool,
    outliers: query.get('outliers') === 'include' ? 'include' : 'exclude',
    isLog: query.get('scale') === 'log',
    isJoined: query.get('candles') !== 'true-open',
    tab: TOKEN_TABS.find((each) => each === query.get('tab')) ?? 'trades',
  };
}

/** What the candles of the chart depend on. */
export function buildKlineInput(choices: TokenChoices) {
  const { chain, mint, interval, currency, outliers, pool } = choices;
  return { chain, mint, interval, currency, outliers, pool: pool ?? undefined };
}
