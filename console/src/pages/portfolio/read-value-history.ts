// Reads what the chart of a wallet's value is made of: its trades, and candles of what it held.

import { api } from '../../api/api-client.ts';
import type { KlineIntervalName, WalletBalancesReply } from '../../api/contract-types.ts';
import { buildValueSeries, type ValuePoint } from './build-value-series.ts';
import type { ChainAnswers } from './read-wallet.ts';

export const VALUE_RANGES = ['24h', '7d', '30d'] as const;
export type ValueRange = (typeof VALUE_RANGES)[number];

const HOUR_MS = 3_600_000;
const STEPS: Readonly<
  Record<
    ValueRange,
    { readonly interval: KlineIntervalName; readonly stepMs: number; readonly count: number }
  >
> = {
  '24h': { interval: '30m', stepMs: HOUR_MS / 2, count: 48 },
  '7d': { interval: '4h', stepMs: 4 * HOUR_MS, count: 42 },
  '30d': { interval: '12h', stepMs: 12 * HOUR_MS, count: 60 },
};
/** The most valuable; the others keep the price that they have now. */
const PRICED_MAX = 8;
const TRADES_READ = 100;

type Balances = ChainAnswers<WalletBalancesReply>;

const toKey = (chain: string, mint: string) => `${chain}:${mint.toLowerCase()}`;

/** With a price, the most valuable first. */
function listHeld({ answers }: Balances) {
  return answers
    .flatMap(({ chain, reply: { native, balances } }) => [
      { ...native, chain, mint: `native ${native.symbol}` },
      ...balances.map((balance) => ({ ...balance, chain })),
    ])
    .filter(({ amount, priceUsd }) => amount !== null && priceUsd !== null)
    .map(({ chain, mint, amount, priceUsd }) => {
      return { chain, mint, amount: Number(amount), priceUsd: Number(priceUsd) };
    })
    .toSorted((a, b) => b.amount * b.priceUsd - a.amount * a.priceUsd);
}

async function readTrades(chain: string, wallet: string, startTime: number, signal: AbortSignal) {
  const input = { chain, wallet, startTime, limit: TRADES_READ };
  const { trades, nextCursor } = await api.getWalletTrades(input, { signal });
  const rows = trades.map((trade) => {
    const sign = trade.side === 'buy' ? 1 : -1;
    return {
      timeMs: trade.timestamp,
      tokens: [trade.token.mint, trade.quote.mint],
      moved: [
        { asset: toKey(chain, trade.token.mint), amount: sign * Number(trade.amount ?? 0) },
        { asset: toKey(chain, trade.quote.mint), amount: -sign * Number(trade.quote.amount ?? 0) },
      ],
    };
  });
  // Before the oldest that is read, what it held is not known.
  const knownFromMs = nextCursor === null ? startTime : (rows.at(-1)?.timeMs ?? startTime);
  return { chain, rows, knownFromMs };
}

interface PricedAsset {
  readonly chain: string;
  readonly mint: string;
}

async function readPrices(
  { chain, mint }: PricedAsset,
  { interval, startTime }: { readonly interval: KlineIntervalName; readonly startTime: number },
  signal: AbortSignal,
) {
  const input = { chain, mint, interval, startTime, fill: 'previous' as const };
  // Without candles its price is that of now.
  const answer = await api.getKlines(input, { signal }).catch(() => null);
  const prices = (answer?.klines ?? []).map(({ openTime, open }) => {
    return { timeMs: openTime, priceUsd: Number(open ?? 0) };
  });
  return [toKey(chain, mint), prices] as const;
}

export async function readValueHistory(
  wallet: string,
  balances: Balances,
  { range, signal }: { readonly range: ValueRange; readonly signal: AbortSignal },
): Promise<ValuePoint[]> {
  const { interval, stepMs, count } = STEPS[range];
  const nowMs = Date.now();
  const startTime = nowMs - count * stepMs;
  const held = listHeld(balances);
  const histories = await Promise.all(
    balances.answers.map(({ chain }) => readTrades(chain, wallet, startTime, signal)),
  );
  const traded = histories.flatMap(({ chain, rows }) =>
    rows.flatMap(({ tokens }) => tokens.map((mint) => ({ chain, mint }))),
  );
  const known = held.filter(({ mint }) => !mint.startsWith('native '));
  const assets = new Map<string, PricedAsset>(
    [...known, ...traded].map((asset) => [toKey(asset.chain, asset.mint), asset]),
  );
  const priced = [...assets.values()].slice(0, PRICED_MAX);
  const prices = await Promise.all(
    priced.map((asset) => readPrices(asset, { interval, startTime }, signal)),
  );
  const knownFromMs = Math.max(...histories.map((history) => history.knownFromMs));
  const times = Array.from({ length: count + 1 }, (_, at) => startTime + at * stepMs);
  return buildValueSeries(
    {
      held: held.map(({ chain, mint, ...rest }) => ({ asset: toKey(chain, mint), ...rest })),
      trades: histories.flatMap(({ rows }) => rows),
      prices: new Map(prices),
    },
    times.filter((timeMs) => timeMs >= knownFromMs),
  );
}
