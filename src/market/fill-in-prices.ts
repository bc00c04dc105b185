// A token that has not been traded since the index began has a price all the same, if its history
// was filled in: that of its last old trade.

import type { BackfillRecord } from '../model/backfill.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { CandleRecord, TokenRecord } from '../model/market-record.ts';
import type { AnswerReader } from './read-at.ts';

function fillIn(token: TokenRecord, last: CandleRecord | undefined): TokenRecord {
  if (last === undefined) return token;
  return {
    ...token,
    priceUsd: (last.usdClean ?? last.usd)?.close ?? null,
    priceNative: (last.nativeClean ?? last.native)?.close ?? null,
  };
}

/** The tokens with the prices that their rows lack. */
export async function fillInPrices(
  reader: AnswerReader,
  chain: ChainSlug,
  of: {
    readonly tokens: readonly TokenRecord[];
    readonly jobs: readonly BackfillRecord[];
  },
): Promise<readonly TokenRecord[]> {
  const { tokens } = of;
  const filledIn = new Set(of.jobs.map(({ token }) => token));
  const unpriced = tokens.filter(
    ({ token, lastTradeAtMs }) => lastTradeAtMs === null && filledIn.has(token),
  );
  if (unpriced.length === 0) return tokens;
  const candles = await reader.readCandlesBefore(
    chain,
    unpriced.map(({ token }) => ({
      ...{ token, pool: null, interval: '1d' as const, beforeMs: Number.MAX_SAFE_INTEGER },
    })),
    1,
  );
  const last = new Map(candles.map((candle) => [candle.token, candle]));
  return tokens.map((token) =>
    unpriced.includes(token) ? fillIn(token, last.get(token.token)) : token,
  );
}
