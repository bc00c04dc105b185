// Prices of tokens with the trades that they are of: now, at a time or at a block.

import type { Static } from 'typebox';
import type { priceSchema } from '../contract/schemas/price-schema.ts';
import type { BackfillRecord } from '../model/backfill.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint, TokenRecord, TradeRecord } from '../model/market-record.ts';
import type { TimeRange } from '../store/market-reads.ts';
import {
  buildCoverage,
  computeCovered,
  findTradesStart,
  readBackfills,
  readTokenStarts,
  type TokenStart,
} from './coverage.ts';
import type { TokenDirectory } from './lists/token-lists.ts';
import type { MarketChain } from './market-parts.ts';
import { type FoundPrice, PricedTrades, type PriceKind, type TradeBound } from './priced-trades.ts';
import type { AnswerReader } from './read-at.ts';
import { packDecimal } from './rolling-stats/packed-decimal.ts';
import type { RollingStats } from './rolling-stats/rolling-stats.ts';
import { computeChange } from './rolling-stats/token-windows.ts';
import { findPrices, readSummaries } from './token-summary.ts';

type PriceEntry = Static<typeof priceSchema>;

/** A moment in the past. */
export type PriceMoment =
  | { readonly kind: 'time'; readonly timeMs: number }
  | { readonly kind: 'block'; readonly block: number };

interface PriceRequest {
  readonly tokens: readonly Address[];
  readonly checkpoint: Checkpoint;
  readonly directory: TokenDirectory;
  readonly stats: Pick<RollingStats, 'read'>;
}

interface PriceRead {
  readonly entry: PriceEntry;
  /** The chain's times for which it is valid while nothing about the token changes. */
  readonly span: TimeRange;
}

const DAY_MS = 86_400_000;
const FOREVER: TimeRange = {
  fromMs: Number.NEGATIVE_INFINITY,
  toMs: Number.POSITIVE_INFINITY,
};
const END: TradeBound = { toMs: Number.MAX_SAFE_INTEGER, after: null };
/** Tokens that are read at the same time. */
const PARALLEL_MAX = 10;

/** What is known of a token besides its trades. */
interface PriceSubject {
  readonly token: TokenRecord;
  readonly start: TokenStart;
  readonly jobs: readonly BackfillRecord[];
  readonly checkpoint: Checkpoint;
}

function createFinder(
  reader: AnswerReader,
  market: MarketChain,
  { token, start, jobs, checkpoint }: PriceSubject,
): PricedTrades {
  // A token may have been in scope before: the trades of that time say nothing about later prices.
  const fromMs = checkpoint.scope === undefined ? 0 : (findTradesStart(start.fromMs, jobs) ?? 0);
  return new PricedTrades({
    ...{ reader, chain: market.slug, token: token.token },
    ...{ fromMs, kept: checkpoint },
  });
}

/** The last clean price up to a moment; before there is one, the first price of an outlier. */
async function findPrice(
  finder: PricedTrades,
  currency: PriceKind['currency'],
  at: { readonly bound: TradeBound; readonly isUpTo: (trade: TradeRecord) => boolean },
): Promise<FoundPrice | null> {
  const clean = await finder.findLast({ currency, outliers: 'exclude' }, at.bound);
  if (clean !== null) return clean;
  const first = await finder.findFirst({ currency, outliers: 'include' });
  return first?.trade && !at.isUpTo(first.trade) ? null : first;
}

function pickLater(a: TradeRecord | null, b: TradeRecord | null): TradeRecord | null {
  if (a === null || b === null) return a ?? b;
  return (a.block - b.block || a.logIndex - b.logIndex) > 0 ? a : b;
}

function buildEntry(
  { slug, addresses }: MarketChain,
  token: Address,
  of: Pick<PriceEntry, 'priceUsd' | 'priceNative' | 'priceChange24hPct'> & {
    readonly trade: TradeRecord | null;
  },
): PriceEntry {
  const { trade, ...prices } = of;
  return {
    chain: slug,
    mint: addresses.toShown(token),
    ...prices,
    timestamp: trade?.timestampMs ?? null,
    block: trade?.block ?? null,
    source: trade && { pool: addresses.toShown(trade.pool), venue: trade.venue },
  };
}

/** The change over the 24 hours before a time, by the same rule as in a token's windows. */
async function readChange(
  finder: PricedTrades,
  known: PriceSubject,
  at: { readonly timeMs: number; readonly priceUsd: string | null },
): Promise<number | null> {
  if (at.priceUsd === null) return null;
  const kind = { currency: 'usd', outliers: 'exclude' } as const;
  const bound = { toMs: at.timeMs - DAY_MS + 1, after: null };
  const before = await finder.findLast(kind, bound);
  const isCovered = DAY_MS <= computeCovered(known.start, at.timeMs);
  const first = before === null && isCovered ? await finder.findFirst(kind) : null;
  const isWithin = first?.trade == null || first.trade.timestampMs <= at.timeMs;
  const pack = (found: FoundPrice | null) => found && packDecimal(found.price);
  const from = { before: pack(before), first: isWithin ? pack(first) : null };
  return computeChange(from, packDecimal(at.priceUsd), isCovered);
}

const UNKNOWN = { priceUsd: null, priceNative: null, priceChange24hPct: null, trade: null };

/** Whether everything up to the moment is indexed from some time before it on. */
function isIndexed({ token, start, jobs, checkpoint }: PriceSubject, moment: PriceMoment): boolean {
  const { tradesFrom } = buildCoverage(token, start, { kept: checkpoint, jobs, interval: '1m' });
  if (tradesFrom === null) return false;
  if (moment.kind === 'time') return moment.timeMs >= tradesFrom;
  const job = jobs.find(({ kind }) => kind === 'trades');
  return moment.block >= Math.min(start.fromBlock, job?.nextBlock ?? start.fromBlock);
}

async function readPriceAt(
  reader: AnswerReader,
  market: MarketChain,
  known: PriceSubject,
  moment: PriceMoment,
): Promise<PriceEntry> {
  const { token } = known;
  if (!isIndexed(known, moment)) return buildEntry(market, token.token, UNKNOWN);
  const finder = createFinder(reader, market, known);
  const bound =
    moment.kind === 'time'
      ? { toMs: moment.timeMs + 1, after: null }
      : await finder.findBlockEnd(moment.block);
  // A block has no time here, so what is no longer kept cannot be compared with it.
  const isLost = bound === null && (known.checkpoint.tradesFromMs ?? 0) > 0;
  if (isLost) return buildEntry(market, token.token, UNKNOWN);
  const isUpTo = (trade: TradeRecord) =>
    moment.kind === 'time' ? trade.timestampMs <= moment.timeMs : trade.block <= moment.block;
  const at = bound && { bound, isUpTo };
  const usd = at && (await findPrice(finder, 'usd', at));
  const native = at && (await findPrice(finder, 'native', at));
  const [priceUsd, priceNative] = [usd?.price ?? null, native?.price ?? null];
  const priceChange24hPct =
    moment.kind === 'time'
      ? await readChange(finder, known, { timeMs: moment.timeMs, priceUsd })
      : null;
  return buildEntry(market, token.token, {
    ...findPrices(market, { ...token, priceUsd, priceNative }),
    priceChange24hPct,
    trade: pickLater(usd?.trade ?? null, native?.trade ?? null),
  });
}

async function readKnown(
  reader: AnswerReader,
  market: MarketChain,
  { tokens, checkpoint }: PriceRequest,
): Promise<(token: TokenRecord) => PriceSubject> {
  const chain = market.slug;
  const jobs = await readBackfills(reader, chain, { tokens, checkpoint });
  const findStart = await readTokenStarts(reader, { chain, checkpoint }, tokens);
  return (token) => ({
    token,
    start: findStart(token.token),
    jobs: jobs.filter((job) => job.token === token.token),
    checkpoint,
  });
}

async function mapInParts<From, To>(
  items: readonly From[],
  work: (item: From) => Promise<To>,
): Promise<To[]> {
  const done: To[] = [];
  for (let start = 0; start < items.length; start += PARALLEL_MAX) {
    const part = items.slice(start, start + PARALLEL_MAX);
    done.push(...(await Promise.all(part.map((item) => work(item)))));
  }
  return done;
}

/** The prices of stored tokens at a moment; unknown ones are absent. */
export async function readPricesAt(
  reader: AnswerReader,
  market: MarketChain,
  request: PriceRequest & { readonly moment: PriceMoment },
): Promise<ReadonlyMap<Address, PriceRead>> {
  const stored = await reader.readTokens(market.slug, request.tokens);
  const findKnown = await readKnown(reader, market, request);
  const reads = await mapInParts(stored, async (token) => {
    const entry = await readPriceAt(reader, market, findKnown(token), request.moment);
    return [token.token, { entry, span: FOREVER }] as const;
  });
  return new Map(reads);
}

/** The prices of stored tokens now, as their summaries have them; unknown ones are absent. */
export async function readPricesNow(
  reader: AnswerReader,
  market: MarketChain,
  request: PriceRequest,
): Promise<ReadonlyMap<Address, PriceRead>> {
  const summaries = await readSummaries(reader, market, request);
  const findKnown = await readKnown(reader, market, request);
  const at = { bound: END, isUpTo: () => true };
  const reads = await mapInParts([...summaries.values()], async ({ token, summary, span }) => {
    const finder = createFinder(reader, market, findKnown(token));
    const { priceUsd, priceNative, priceChange24hPct } = summary;
    const usd = token.priceUsd === null ? null : await findPrice(finder, 'usd', at);
    const native = token.priceNative === null ? null : await findPrice(finder, 'native', at);
    const trade = pickLater(usd?.trade ?? null, native?.trade ?? null);
    const of = { priceUsd, priceNative, priceChange24hPct, trade };
    return [token.token, { entry: buildEntry(market, token.token, of), span }] as const;
  });
  return new Map(reads);
}
