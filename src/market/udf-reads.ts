// The reads behind the chart feed: the handlers of other operations, called as a transport calls
// them, so that limits, lookups and pauses hold here, too.

import type { HandlerContext } from '../contract/handler.ts';
import type { OutputOf } from '../contract/operation.ts';
import type { getKlines } from '../contract/operations/get-klines.ts';
import type { getToken } from '../contract/operations/get-token.ts';
import type { ReadyAnswer } from '../contract/ready-answer.ts';
import type { KlineInterval } from '../model/market-record.ts';
import type { Market } from './create-market.ts';

type UdfTokenAnswer = OutputOf<typeof getToken>;

export type UdfToken = Pick<UdfTokenAnswer, 'chain' | 'mint' | 'symbol' | 'name' | 'priceUsd'>;

export interface UdfKline {
  readonly openTime: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

interface KlinesQuery {
  readonly chain: string;
  readonly mint: string;
  readonly interval: KlineInterval;
  readonly startTime?: number;
  readonly endTime: number;
  readonly limit: number;
}

export interface UdfReads {
  isAddress(chain: string, text: string): boolean;
  readToken(of: { chain: string; mint: string }, context: HandlerContext): Promise<UdfToken>;
  readPools(of: UdfToken, context: HandlerContext): Promise<UdfTokenAnswer['pools']>;
  /** The best matches; for an empty text the tokens with the highest volume. */
  search(
    query: { q: string; limit: number; chain?: string },
    context: HandlerContext,
  ): Promise<readonly UdfToken[]>;
  /** The newest of the range, ascending. */
  readKlines(query: KlinesQuery, context: HandlerContext): Promise<readonly UdfKline[]>;
  /** The most that the caller may read at once. */
  countKlinesMax(context: HandlerContext): number;
}

function parse<Answer>({ bytes }: ReadyAnswer): Answer {
  return JSON.parse(bytes.toString('utf8')) as Answer;
}

function toUdfKlines({ klines }: OutputOf<typeof getKlines>): UdfKline[] {
  return klines.map(({ openTime, open, high, low, close, volume }) => {
    const [o, h, l, c] = [Number(open), Number(high), Number(low), Number(close)];
    return { openTime, open: o, high: h, low: l, close: c, volume: Number(volume ?? 0) };
  });
}

export function createUdfReads({ handlers, parts }: Pick<Market, 'handlers' | 'parts'>): UdfReads {
  const readToken = async (of: { chain: string; mint: string }, context: HandlerContext) =>
    parse<UdfTokenAnswer>(await handlers.getToken(of, context));
  return {
    isAddress: (chain, text) => {
      const slug = parts.chains.known.find(chain)?.slug;
      if (slug === undefined || !parts.chains.list().includes(slug)) return false;
      return parts.chains.findAddresses(slug).parse(text) !== null;
    },
    readToken,
    readPools: async ({ chain, mint }, context) =>
      (await readToken({ chain, mint }, context)).pools,
    search: async ({ q, limit, chain }, context) => {
      const only = chain === undefined ? {} : { chain };
      const answer =
        q === ''
          ? await handlers.listTokens(
              {
                ...{ sort: 'volume', window: '24h', sparkline: 'none', limit },
                ...(chain === undefined ? {} : { chain: [chain] }),
              } as never,
              context,
            )
          : await handlers.searchTokens({ q, limit, ...only }, context);
      return parse<{ tokens: UdfToken[] }>(answer).tokens;
    },
    readKlines: async (query, context) => {
      const shown = { currency: 'usd', fill: 'none', outliers: 'exclude' } as const;
      return toUdfKlines(parse(await handlers.getKlines({ ...query, ...shown }, context)));
    },
    countKlinesMax: ({ identity }) => parts.depthOf(identity).klines,
  };
}
