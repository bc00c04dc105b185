// Pools as they are shown, in lists, with a token and on their own.

import { findFlagsAt, kindOf } from '../amm/pool-kinds.ts';
import { type PoolMoment, toPoolMoment } from '../amm/pool-moment.ts';
import { isQuotable } from '../amm/unchecked-flag.ts';
import { isUnpriced } from '../amm/unpriced/unpriced-kind.ts';
import { findQuoteCurrency, listMarketViews, type MarketView } from '../chains/quote-rule.ts';
import type { OutputOf } from '../contract/operation.ts';
import type { listPools } from '../contract/operations/list-pools.ts';
import { pow10, ratioToText, toUnits, toUsdText } from '../lib/decimal.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { CandleRecord, Checkpoint, TokenRecord } from '../model/market-record.ts';
import type { PoolRecord } from '../model/pool.ts';
import type { TimeRange } from '../store/market-reads.ts';
import { computeCovered, readTokenStarts } from './coverage.ts';
import type { TokenDirectory } from './lists/token-lists.ts';
import type { MarketChain } from './market-parts.ts';
import type { AnswerReader } from './read-at.ts';
import { isInSnapshot } from './rolling-stats/chain-stats.ts';
import type { RollingStats } from './rolling-stats/rolling-stats.ts';
import {
  buildWindows,
  findWindowsEnd,
  readStats,
  type WindowsAnswer,
} from './rolling-stats/token-windows.ts';
import { readSummaries, type SummaryRead } from './token-summary.ts';

// The fee of a pool as it is shown.

/** In pips, in a block; null if neither a log nor a contract told it. */
export function findPoolFee(row: PoolRecord, moment: PoolMoment): number | null {
  const kind = kindOf(row);
  if (kind.findFeePips !== undefined) return kind.findFeePips(row.state);
  if (row.feePips === 0 && !row.complete) return null;
  // Ticks do not change what the next swap pays first.
  const timed = kind.createSwapPool(row, [], undefined)?.at?.(moment);
  return timed?.feePips(true) ?? row.feePips;
}

type PoolAnswer = OutputOf<typeof listPools>['pools'][number];

interface PoolsWanted {
  readonly pools: readonly PoolRecord[];
  /** The token that is priced, in pools of two tokens of equal rank; the first one by default. */
  readonly base: Address | null;
  readonly checkpoint: Checkpoint;
  readonly directory: TokenDirectory;
  readonly stats: Pick<RollingStats, 'read'>;
  /** Whether the figures of both tokens are wanted. */
  readonly hasTokens?: boolean;
}

export interface ReadPool {
  readonly row: PoolRecord;
  readonly view: MarketView;
  readonly answer: PoolAnswer;
  readonly windows: WindowsAnswer;
  /** The row of the token that it is priced in. */
  readonly quote: TokenRecord | undefined;
  readonly base: TokenRecord | undefined;
  /** The chain's times for which it is valid while no row changes. */
  readonly span: TimeRange;
}

interface ViewedPool {
  readonly row: PoolRecord;
  readonly view: MarketView;
  /** The tokens of which its swaps are trades. */
  readonly traded: readonly Address[];
}

function listViewed({ assets }: MarketChain, wanted: PoolsWanted): ViewedPool[] {
  return wanted.pools.flatMap((row) => {
    const views = listMarketViews(assets, row);
    const view = views.find(({ base }) => base === wanted.base) ?? views[0];
    return view === undefined ? [] : [{ row, view, traded: views.map(({ base }) => base) }];
  });
}

function toSeriesKey({ token, pool }: { readonly token: Address; readonly pool: PoolId | null }) {
  return `${token} ${pool}`;
}

/** Whether its swaps can be computed. */
function isTradable(row: PoolRecord, moment: PoolMoment): boolean {
  return kindOf(row).price(row.state) !== null && isQuotable(findFlagsAt(row, moment));
}

/** Later than any schedule. */
const AT_LAST: PoolMoment = { seconds: 2 ** 40, block: 2 ** 50 };

/** Whether its fee, or whether it can be traded, will change with time alone. */
function isMoving(row: PoolRecord, moment: PoolMoment): boolean {
  return (
    findPoolFee(row, moment) !== findPoolFee(row, AT_LAST) ||
    findFlagsAt(row, moment) !== findFlagsAt(row, AT_LAST)
  );
}

/** Whether its contract is asked for quotes instead. */
function isQuotedOnChain({ onChainVenues }: MarketChain, row: PoolRecord): boolean {
  return isUnpriced(row) && onChainVenues?.has(row.venue) === true;
}

/** The last candle of each pool, by `toSeriesKey`. */
async function readLastCandles(
  reader: AnswerReader,
  market: MarketChain,
  pools: readonly ViewedPool[],
): Promise<ReadonlyMap<string, CandleRecord>> {
  const series = pools.map(({ row, view }) => ({
    ...{ token: view.base, pool: row.pool, interval: '1d' as const },
    beforeMs: Number.MAX_SAFE_INTEGER,
  }));
  const candles = await reader.readCandlesBefore(market.slug, series, 1);
  return new Map(candles.map((candle) => [toSeriesKey(candle), candle]));
}

function pickFigures(read: SummaryRead | undefined) {
  if (read === undefined) {
    return { priceUsd: null, priceNative: null, marketCapUsd: null, logoUrl: null, links: null };
  }
  const { priceUsd, priceNative, marketCapUsd, logoUrl, links } = read.summary;
  return { priceUsd, priceNative, marketCapUsd, logoUrl, links };
}

/** What it holds; null if that is not known. */
export function buildReserves({ row, view, base, quote }: ReadPool) {
  const holdings = kindOf(row).holdings(row.state);
  if (holdings === null) return null;
  const { amount0, amount1 } = holdings;
  const show = (amountRaw: bigint, token: TokenRecord | undefined) => ({
    amountRaw: amountRaw.toString(),
    amount: token?.decimals == null ? null : toUnits(amountRaw, token.decimals),
  });
  return view.baseIsToken0
    ? { base: show(amount0, base), quote: show(amount1, quote) }
    : { base: show(amount1, base), quote: show(amount0, quote) };
}

/** Units of the quote token per unit of the base token. */
function findPriceInQuote({
  row,
  view,
  candle,
  base,
  quote,
}: {
  readonly row: PoolRecord;
  readonly view: MarketView;
  readonly candle: CandleRecord | undefined;
  readonly base: TokenRecord | undefined;
  readonly quote: TokenRecord | undefined;
}): string | null {
  const currency = findQuoteCurrency(view);
  const { usdClean, usd, nativeClean, native } = candle ?? {};
  const last = { usd: usdClean ?? usd, native: nativeClean ?? native };
  const traded = currency === null ? undefined : last[currency];
  if (traded != null) return traded.close;
  const price = kindOf(row).price(row.state);
  if (price === null || base?.decimals == null || quote?.decimals == null) return null;
  const { numerator, denominator } = price;
  const [quoteRaw, baseRaw] = view.baseIsToken0
    ? [numerator, denominator]
    : [denominator, numerator];
  return ratioToText({
    numerator: quoteRaw * pow10(base.decimals),
    denominator: baseRaw * pow10(quote.decimals),
  });
}

/** In the order of the pools; a pool that is of no use to anybody is left out. */
export async function readPoolAnswers(
  reader: AnswerReader,
  market: MarketChain,
  wanted: PoolsWanted,
): Promise<readonly ReadPool[]> {
  const { slug: chain } = market;
  const { checkpoint } = wanted;
  const viewed = listViewed(market, wanted);
  const at = { version: checkpoint.version, isInSnapshot: isInSnapshot(reader) };
  const readings = await wanted.stats.read(chain, at, ({ pools }) =>
    viewed.map(({ row }) => readStats(pools, row.pool)),
  );
  const candles = await readLastCandles(reader, market, viewed);
  const sides = new Set(viewed.flatMap(({ view }) => [view.base, view.quote]));
  const records = await reader.readTokens(chain, [...sides]);
  const tokens = new Map(records.map((record) => [record.token, record]));
  const traded = new Set(viewed.flatMap((pool) => pool.traded));
  const findStart = await readTokenStarts(reader, { chain, checkpoint }, [...traded]);
  const entries = wanted.directory.get(chain);
  const summaries =
    wanted.hasTokens === true
      ? await readSummaries(reader, market, { ...wanted, tokens: [...sides] })
      : null;
  const showToken = (token: Address) => ({
    mint: market.addresses.toShown(token),
    symbol: tokens.get(token)?.symbol ?? entries?.get(token)?.symbol ?? null,
    name: tokens.get(token)?.name ?? entries?.get(token)?.name ?? null,
    decimals: tokens.get(token)?.decimals ?? null,
    ...(summaries && pickFigures(summaries.get(token))),
  });
  const headMs = checkpoint.timestampMs;
  const moment = toPoolMoment(checkpoint);
  return viewed.flatMap((pool, index) => {
    const { row, view } = pool;
    const [base, quote] = [tokens.get(view.base), tokens.get(view.quote)];
    const reading = readings[index];
    if (reading === undefined) return [];
    const candle = candles.get(toSeriesKey({ token: view.base, pool: row.pool }));
    const coveredMs = Math.max(
      ...pool.traded.map((token) => computeCovered(findStart(token), headMs)),
    );
    const windows = buildWindows(reading, candle?.usdClean?.close ?? null, coveredMs);
    const answer: PoolAnswer = {
      chain,
      address: market.addresses.toShown(row.pool),
      venue: row.venue,
      kind: row.kind,
      feePips: findPoolFee(row, moment),
      base: showToken(view.base),
      quote: showToken(view.quote),
      liquidityUsd: toUsdText(row.liquidityUsdE18),
      priceNative: (candle?.nativeClean ?? candle?.native)?.close ?? null,
      priceUsd: (candle?.usdClean ?? candle?.usd)?.close ?? null,
      priceQuote: findPriceInQuote({ row, view, candle, base, quote }),
      volume24hUsd: windows['24h'].volumeUsd,
      createdAt: row.createdAtMs === 0 ? null : row.createdAtMs,
      tradable:
        market.tradedVenues.has(row.venue) &&
        (isTradable(row, moment) || isQuotedOnChain(market, row)),
    };
    const toMs = isMoving(row, moment) ? headMs + 1 : findWindowsEnd(reading, headMs, coveredMs);
    const span = { fromMs: headMs, toMs };
    return [{ row, view, answer, windows, base, quote, span }];
  });
}
