// Answers GET /pool.

import { computeDepth } from '../amm/pool-depth.ts';
import { findFlagsAt, kindOf } from '../amm/pool-kinds.ts';
import { type PoolMoment, toPoolMoment } from '../amm/pool-moment.ts';
import { isQuotable } from '../amm/unchecked-flag.ts';
import { createOpenSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getPool } from '../contract/operations/get-pool.ts';
import { parseFollowedChain, parsePool } from '../contract/parse-reference.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import { AppError } from '../errors/app-error.ts';
import { pow10, ratioToText, textToDecimal, toRatio } from '../lib/decimal.ts';
import type { PoolId } from '../model/ids.ts';
import type { TokenRecord } from '../model/market-record.ts';
import { decidesSwaps } from '../model/pool-hook.ts';
import { computeEtag } from './commit-cache.ts';
import { type ListParts, pickReadyChains } from './list-answer.ts';
import type { MarketChain } from './market-parts.ts';
import { requireReadable } from './parse-token.ts';
import { buildReserves, type ReadPool, readPoolAnswers } from './pool-answers.ts';
import { type AnswerReader, readAt, serializeAsOf } from './read-at.ts';
import { findPrices } from './token-summary.ts';

type PoolDetail = OutputOf<typeof getPool>;

const serializeOpen = createOpenSerializer(getPool.output, 'asOf', asOfSchema);

/** The value of amounts of a token in USD, at its last price. */
function createPricing(
  market: MarketChain,
  token: TokenRecord | undefined,
): (amountRaw: bigint) => string | null {
  const priceUsd = token === undefined ? null : findPrices(market, token).priceUsd;
  const decimals = token?.decimals ?? null;
  if (priceUsd === null || decimals === null) return () => null;
  const price = toRatio(textToDecimal(priceUsd));
  const denominator = pow10(decimals) * price.denominator;
  return (amountRaw) => ratioToText({ numerator: amountRaw * price.numerator, denominator });
}

async function readDepth(
  reader: AnswerReader,
  market: MarketChain,
  { row, view, quote }: ReadPool,
  moment: PoolMoment,
): Promise<PoolDetail['depth']> {
  const kind = kindOf(row);
  if (decidesSwaps(market.findHook(row)) || (kind.hasTicks && !row.complete)) return null;
  const range = kind.findDepthTicks?.(row) ?? null;
  if (kind.hasTicks && range === null) return null;
  const ticks = range === null ? [] : await reader.readTickRange(market.slug, row.pool, range);
  const pool = kind.createSwapPool(row, ticks, undefined);
  if (pool === null || !isQuotable(findFlagsAt(row, moment))) return null;
  const toUsd = createPricing(market, quote);
  return computeDepth(pool.at?.(moment) ?? pool, view.baseIsToken0).map(
    ({ pct, bidRaw, askRaw }) => ({
      ...{ pct, bidUsd: toUsd(bidRaw), askUsd: toUsd(askRaw) },
    }),
  );
}

async function makeAnswer(
  parts: ListParts,
  market: MarketChain,
  { pool, hasTokens }: { readonly pool: PoolId; readonly hasTokens: boolean },
): Promise<ReadyAnswer> {
  const { slug: chain, addresses } = market;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    if (at === null) return null;
    const [reading] = await readPoolAnswers(reader, market, {
      ...{ pools: await reader.readPools(chain, [pool]), base: null, checkpoint: at },
      ...{ directory: parts.lists.directory, stats: parts.stats, hasTokens },
    });
    if (reading === undefined) return null;
    const { view, row } = reading;
    for (const token of [view.base, view.quote]) {
      requireReadable(parts, { chain, token, addresses });
    }
    if (!row.complete) market.noteIncomplete([pool]);
    return {
      ...reading.answer,
      windows: reading.windows,
      reserves: buildReserves(reading),
      depth: await readDepth(reader, market, reading, toPoolMoment(at)),
    };
  });
  if (value === null || checkpoint === null) {
    throw new AppError('POOL_NOT_FOUND', { pool: addresses.toShown(pool) });
  }
  const text = serializeOpen(value);
  const bytes = Buffer.from(`${text},"asOf":${serializeAsOf(checkpoint)}}`);
  return { kind: 'ready', bytes, etag: computeEtag(text) };
}

export function createGetPool(parts: ListParts) {
  return (input: InputOf<typeof getPool>, _context: HandlerContext): Promise<ReadyAnswer> => {
    const chain = parseFollowedChain(parts.chains, input.chain);
    const pool = parsePool(parts.chains.findAddresses(chain), chain, input.pool);
    pickReadyChains(parts, [chain], { isNamed: true });
    const hasTokens = input.include !== undefined;
    return parts.poolCache.get(`${chain} ${pool} ${hasTokens}`, [chain], async () => {
      const market = parts.chains.find(chain);
      if (market === null) throw new Error('The chain was found before');
      return makeAnswer(parts, market, { pool, hasTokens });
    });
  };
}
