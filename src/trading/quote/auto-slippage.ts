// `slippageBps: "auto"`: a bound from how far the prices of the route's pools moved lately.
//
// What matters is how far a price moves between a quote and its block. The largest move within a
// minute of the last half hour is a measure of it that one busy minute ago already shows. Prices
// are in what the pool itself pays with, so that a move of the native coin against the dollar
// counts only where the pool trades one for the other.

import {
  listMarketViews,
  type MarketView,
  type PricingAssets,
  RANK_STABLE,
} from '../../chains/quote-rule.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { CandleRecord, Ohlc } from '../../model/market-record.ts';
import type { MarketReader } from '../../store/store.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { BestRoute } from '../routing/route.ts';

export type CandleSource = Pick<MarketReader, 'readCandleRange'>;

/** A picked bound, and what it was picked from. */
export interface AutoSlippage {
  readonly bps: number;
  /** The largest move within a minute; null if no pool traded. */
  readonly movementBps: number | null;
  readonly windowMs: number;
}

const MINUTE_MS = 60_000;
const WINDOW_MS = 30 * MINUTE_MS;
const BPS = 10_000;
/** A whole number of basis points must not become the next one. */
const FLOAT_ERROR = 1e-6;
/** A calm pool moves with the first trade. */
const SPARE_BPS = 20;
const BPS_MIN = 30;
/** The largest that is picked. */
export const AUTO_SLIPPAGE_MAX_BPS = 500;
/** If nothing is known of the pools. */
const BPS_DEFAULT = 50;

/** A token between two tokens is priced in the native coin, as the stored trades are. */
function pickPrices(candle: CandleRecord, { quoteRank }: MarketView): Ohlc | null {
  return quoteRank === RANK_STABLE
    ? (candle.usdClean ?? candle.usd)
    : (candle.nativeClean ?? candle.native);
}

/** The largest move within one candle, or from the close of the minute before. */
function computeMovement(candles: readonly CandleRecord[], view: MarketView): number | null {
  let most: number | null = null;
  let last: { readonly openTimeMs: number; readonly close: number } | null = null;
  for (const candle of candles) {
    const prices = pickPrices(candle, view);
    if (prices === null) continue;
    const { openTimeMs } = candle;
    const before = last?.openTimeMs === openTimeMs - MINUTE_MS ? [last.close] : [];
    const all = [Number(prices.high), Number(prices.low), ...before];
    const low = Math.min(...all);
    if (low > 0) most = Math.max(most ?? 0, Math.max(...all) / low - 1);
    last = { openTimeMs, close: Number(prices.close) };
  }
  return most;
}

interface SlippageQuestion {
  readonly chain: ChainSlug;
  readonly assets: PricingAssets;
  readonly route: BestRoute;
  /** The time of the chain's head. */
  readonly headMs: number;
}

async function readMovement(source: CandleSource, question: SlippageQuestion, pool: GraphPool) {
  const range = { fromMs: question.headMs - WINDOW_MS, toMs: question.headMs + 1 };
  const moves = await Promise.all(
    listMarketViews(question.assets, pool).map(async (view) => {
      const series = { token: view.base, pool: pool.pool, interval: '1m' } as const;
      return computeMovement(await source.readCandleRange(question.chain, series, range), view);
    }),
  );
  return moves.reduce((most, move) => (move !== null && move > (most ?? -1) ? move : most), null);
}

/** Moves of hops in a row add up; of several routes the one that moved most counts. */
export async function pickSlippage(
  source: CandleSource | undefined,
  question: SlippageQuestion,
): Promise<AutoSlippage> {
  const known = new Map<GraphPool, number>();
  const pools = new Set(question.route.legs.flatMap(({ hops }) => hops.map(({ pool }) => pool)));
  for (const pool of source === undefined ? [] : pools) {
    const move = await readMovement(source as CandleSource, question, pool);
    if (move !== null) known.set(pool, move);
  }
  if (known.size === 0) return { bps: BPS_DEFAULT, movementBps: null, windowMs: WINDOW_MS };
  const moves = question.route.legs.map(({ hops }) =>
    hops.reduce((sum, { pool }) => sum + (known.get(pool) ?? 0), 0),
  );
  const movementBps = Math.max(0, Math.ceil(Math.max(...moves) * BPS - FLOAT_ERROR));
  const bps = Math.min(AUTO_SLIPPAGE_MAX_BPS, Math.max(BPS_MIN, movementBps + SPARE_BPS));
  return { bps, movementBps, windowMs: WINDOW_MS };
}
