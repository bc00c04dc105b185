// A token that has not been traded since the index began has a price all the same, if its history
// was filled in: that of its last old trade.

import type { BackfillRecord } from '../../model/backfill.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { CandleRecord, TokenRecord } from '../../model/market-record.ts';
import type { MarketReads } from '../../store/market-reads.ts';

type PricedToken = Pick<TokenRecord, 'token' | 'lastTradeAtMs' | 'priceUsd'>;

function fillIn<Row extends PricedToken>(token: Row, last: CandleRecord | undefined): Row {
  if (last === undefined) return token;
  const priceUsd = (last.usdClean ?? last.usd)?.close ?? null;
  const priceNative = (last.nativeClean ?? last.native)?.close ?? null;
  return { ...token, priceUsd, ...('priceNative' in token ? { priceNative } : {}) };
}

/** The tokens with the prices that their rows lack. */
export async function fillInPrices<Row extends PricedToken>(
  reader: Pick<MarketReads, 'readCandlesBefore'>,
  chain: ChainSlug,
  of: {
    readonly tokens: readonly Row[];
    readonly jobs: readonly Pick<BackfillRecord, 'token'>[];
  },
): Promise<readonly Row[]> {
  const { tokens } = of;
  const filledIn = new Set(of.jobs.map(({ token }) => token));
  const unpriced = new Set(
    tokens.filter(({ token, lastTradeAtMs }) => lastTradeAtMs === null && filledIn.has(token)),
  );
  if (unpriced.size === 0) return tokens;
  const candles = await reader.readCandlesBefore(
    chain,
    Array.from(unpriced, ({ token }) => ({
      ...{ token, pool: null, interval: '1d' as const, beforeMs: Number.MAX_SAFE_INTEGER },
    })),
    1,
  );
  const last = new Map(candles.map((candle) => [candle.token, candle]));
  return tokens.map((token) =>
    unpriced.has(token) ? fillIn(token, last.get(token.token)) : token,
  );
}
