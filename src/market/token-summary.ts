// A token's summary, as in search and in the token's own answer.

import { kindOf } from '../amm/pool-kinds.ts';
import type { OutputOf } from '../contract/operation.ts';
import type { searchTokens } from '../contract/operations/search-tokens.ts';
import { LOOKALIKE, type Lookalike, warnOfMeasured } from '../contract/safety-warnings.ts';
import { toUsdText } from '../lib/decimal.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint, TokenLaunch, TokenRecord } from '../model/market-record.ts';
import { pickTokenLiquidity } from '../model/market-record.ts';
import type { PoolRecord } from '../model/pool.ts';
import type { TimeRange } from '../store/market-reads.ts';
import { computeCovered, isHoldersComplete, readBackfills, readTokenStarts } from './coverage.ts';
import type { TokenDirectory, TokenListing, TokenLists } from './lists/token-lists.ts';
import type { ChainSafety, MarketChain } from './market-parts.ts';
import type { AnswerReader } from './read-at.ts';
import { isInSnapshot } from './rolling-stats/chain-stats.ts';
import { fillInPrices } from './rolling-stats/market-columns.ts';
import type { RollingStats } from './rolling-stats/rolling-stats.ts';
import { computeMarketCap } from './rolling-stats/token-columns.ts';
import {
  buildWindows,
  findWindowsEnd,
  readStats,
  type WindowsAnswer,
} from './rolling-stats/token-windows.ts';

// What was measured of a token over some of its pools, and the codes of what a buyer must see.

export type MeasuredSum = NonNullable<ReturnType<ChainSafety['sum']>>;

/** What the token itself deducts from transfers, which the pool's swaps include. */
export function findFeeBps(row: PoolRecord, token: Address): number {
  const fees = kindOf(row).findTransferFees?.(row.state) ?? null;
  return (row.token0 === token ? fees?.fee0 : fees?.fee1)?.bps ?? 0;
}

/** Null if none of the pools was measured. */
export function sumSafety(
  safety: ChainSafety | null,
  pools: readonly PoolRecord[],
  token: Address,
): MeasuredSum | null {
  const ids = pools.map(({ pool }) => pool);
  const sum = safety?.sum(ids, token) ?? null;
  if (sum === null) return null;
  const feeBps = Math.max(0, ...pools.map((row) => findFeeBps(row, token)));
  const add = (bps: number | null) => (bps === null ? null : bps + feeBps);
  return { ...sum, buyTaxBps: add(sum.buyTaxBps), sellTaxBps: add(sum.sellTaxBps) };
}

/** The vouched token that a token can be mistaken for; nobody mistakes an asset that all use. */
export function findLookalike(
  lists: Pick<TokenLists, 'findLookalike'>,
  { slug: chain, assets }: Pick<MarketChain, 'slug' | 'assets'>,
  { token, symbol, name }: TokenRecord,
): Lookalike | null {
  if (assets.native.has(token) || assets.stable.has(token)) return null;
  return lists.findLookalike({ chain, token, symbol, name });
}

/** What is told of a token in a list. */
export interface ListedDanger {
  /** The deepest. */
  readonly topPool: PoolRecord | null;
  readonly isLookalike: boolean;
}

/** For lists: by the deepest pool alone, as far as it was measured. */
export function listDangers(
  safety: ChainSafety | null,
  token: Address,
  { topPool, isLookalike }: ListedDanger,
): string[] {
  const sum = topPool && sumSafety(safety, [topPool], token);
  const measured = sum === null ? [] : Array.from(warnOfMeasured(sum, ''), ([code]) => code);
  return isLookalike ? [LOOKALIKE, ...measured] : measured;
}

type TokenSummary = Omit<OutputOf<typeof searchTokens>['tokens'][number], 'warnings'>;

/** A stable asset has a USD price of 1, the native coin a native price of 1. */
export function findPrices(market: MarketChain, token: TokenRecord) {
  const { assets } = market;
  return {
    priceUsd: token.priceUsd ?? (assets.stable.has(token.token) ? '1' : null),
    priceNative: token.priceNative ?? (assets.native.has(token.token) ? '1' : null),
  };
}

function describeLaunch(launch: TokenLaunch | undefined): TokenSummary['launchpad'] {
  if (launch === undefined) return null;
  const { venue, progressPct, graduatedAtMs } = launch;
  return { venue, progressPct, graduatedAt: graduatedAtMs };
}

interface SummaryParts {
  readonly token: TokenRecord;
  readonly windows: WindowsAnswer;
  readonly topPool: PoolRecord | null;
  readonly entry: TokenListing | undefined;
}

function buildSummary(market: MarketChain, parts: SummaryParts): Omit<TokenSummary, 'match'> {
  const { token, topPool, entry } = parts;
  const day = parts.windows['24h'];
  const { priceUsd, priceNative } = findPrices(market, token);
  const { addresses } = market;
  const isComplete = isHoldersComplete(token);
  return {
    chain: market.slug,
    mint: addresses.toShown(token.token),
    symbol: token.symbol ?? entry?.symbol ?? null,
    name: token.name ?? entry?.name ?? null,
    decimals: token.decimals,
    logoUrl: entry?.logo == null ? null : market.findLogoUrl(token.token, entry.logo),
    verified: [...(entry?.lists ?? [])],
    links: entry?.links ?? null,
    launchpad: describeLaunch(token.launch),
    priceUsd,
    priceNative,
    marketCapUsd: computeMarketCap(token, priceUsd),
    liquidityUsd: toUsdText(pickTokenLiquidity(token)),
    volume24hUsd: day.volumeUsd,
    priceChange24hPct: day.priceChangePct,
    trades24h: day.trades,
    holders: isComplete ? token.holders : null,
    createdAt: isComplete ? token.firstSeenAtMs : null,
    topPool:
      topPool === null ? null : { address: addresses.toShown(topPool.pool), venue: topPool.venue },
  };
}

export interface SummaryRead {
  readonly token: TokenRecord;
  readonly summary: Omit<TokenSummary, 'match'>;
  readonly windows: WindowsAnswer;
  /** The deepest. */
  readonly topPool: PoolRecord | null;
  /** The chain's times for which it is valid while no row changes. */
  readonly span: TimeRange;
}

/** The summaries of stored tokens, in any order; unknown ones are absent. */
export async function readSummaries(
  reader: AnswerReader,
  market: MarketChain,
  wanted: {
    readonly tokens: readonly Address[];
    readonly checkpoint: Checkpoint;
    readonly directory: TokenDirectory;
    readonly stats: Pick<RollingStats, 'read'>;
  },
): Promise<ReadonlyMap<Address, SummaryRead>> {
  const { checkpoint, directory } = wanted;
  const chain = market.slug;
  const at = { version: checkpoint.version, isInSnapshot: isInSnapshot(reader) };
  const readings = await wanted.stats.read(chain, at, ({ tokens }) => {
    return new Map(wanted.tokens.map((token) => [token, readStats(tokens, token)]));
  });
  const jobs = await readBackfills(reader, chain, wanted);
  const stored = await reader.readTokens(chain, wanted.tokens);
  const tokens = await fillInPrices(reader, chain, { tokens: stored, jobs });
  const topPools = await reader.readTopPools(chain, wanted.tokens, 1);
  const findStart = await readTokenStarts(reader, { chain, checkpoint }, wanted.tokens);
  const fromMs = checkpoint.timestampMs;
  const summaries = new Map<Address, SummaryRead>();
  for (const token of tokens) {
    const reading = readings.get(token.token);
    if (reading === undefined) continue;
    const ofToken = jobs.filter((job) => job.token === token.token);
    const coveredMs = computeCovered(findStart(token.token), fromMs, ofToken);
    const windows = buildWindows(reading, token.priceUsd, coveredMs);
    const topPool = topPools.get(token.token)?.[0] ?? null;
    const entry = directory.get(chain)?.get(token.token);
    const summary = buildSummary(market, { token, windows, topPool, entry });
    const span = { fromMs, toMs: findWindowsEnd(reading, fromMs, coveredMs) };
    summaries.set(token.token, { token, summary, windows, topPool, span });
  }
  return summaries;
}
