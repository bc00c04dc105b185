// The steps of a job that fills in trades and candles.

import { isDeepStrictEqual } from 'node:util';
import { kindOf } from '../../amm/pool-kinds.ts';
import type { ChainAdapter } from '../../chains/adapter.ts';
import { findRank, type PricingAssets, RANK_TOKEN } from '../../chains/quote-rule.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint, TradeRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketReads } from '../../store/market-reads.ts';
import type { MarketReader } from '../../store/store.ts';
import type { BackfillChanges } from '../commit/put-backfill.ts';
import type { BackfillIndex, BackfillStep } from './backfill-step.ts';
import type { FollowedFrom, FollowStart } from './followed-from.ts';
import {
  decodeHistoryPools,
  encodeHistoryPools,
  hasHistoryPools,
  listHistoryPoolIds,
  NO_POOLS,
} from './history-pool.ts';
import type { HistorySource } from './history-source.ts';
import { findBottom, TradeHistory } from './trade-history.ts';

interface TradeStepsOptions {
  readonly source: HistorySource;
  readonly store: MarketReader & Pick<MarketReads, 'readTradePage'>;
  readonly followed: FollowedFrom;
  readonly adopt: ((pools: readonly PoolId[]) => void) | null;
}

/** How many of a token's oldest trades are looked at for those without prices. */
const UNPRICED_SEEN_MAX = 1_000;
/** Pools that are known to be younger than the history of their tokens. */
const YOUNG_MAX = 10_000;

function buildStep(
  job: BackfillRecord,
  made: Pick<BackfillChanges, 'trades' | 'archived'> = {},
): BackfillStep {
  return {
    commit: async (index: BackfillIndex) => {
      await index.commitBackfill({ token: job.token, jobs: [job], ...made });
      return [job];
    },
  };
}

/** Older rows are deleted again: the first time from which on both trades and candles are kept. */
function findHorizon({ tradesFromMs = 0, candlesFromMs = 0 }: Checkpoint): number {
  return Math.max(tradesFromMs, candlesFromMs);
}

/**
 * Whether trades from before the index are wanted. Those of the assets that price others are most
 * of the chain's; and an index of the whole chain has none. What the index judged too early is
 * judged again in any case.
 */
export function keepsOlder(
  assets: PricingAssets,
  token: Address,
  { fromBlock }: FollowStart,
): boolean {
  return findRank(assets, token) === RANK_TOKEN && fromBlock > 1;
}

/** A stable asset gives a price in USD, the native coin one in itself. */
function hasPrice({ priceNative, priceUsd }: TradeRecord): boolean {
  return priceNative !== null || priceUsd !== null;
}

/** What a trade was judged to be worth, and whether it is an outlier. */
function pickJudgement({ priceNative, priceUsd, valueNative, valueUsd, outlier }: TradeRecord) {
  return { priceNative, priceUsd, valueNative, valueUsd, outlier };
}

/**
 * Those that the index has not made itself, and its own as they are judged now, where it knew less.
 * `trades` are in chain order.
 */
export async function pickChanged(
  reader: Pick<MarketReader, 'readTradeRange'>,
  { chain, assets }: Pick<ChainAdapter, 'chain' | 'assets'>,
  made: {
    readonly token: Address;
    readonly trades: readonly TradeRecord[];
    readonly followed: ReadonlyMap<PoolId, number>;
  },
): Promise<TradeRecord[]> {
  const { token, trades, followed } = made;
  const isOwn = ({ pool, block }: TradeRecord) => block >= (followed.get(pool) ?? 0);
  const own = trades.filter(isOwn);
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return [...trades];
  const range = { fromMs: first.timestampMs, toMs: last.timestampMs + 1 };
  const toKey = ({ block, logIndex }: TradeRecord) => `${block} ${logIndex}`;
  const stored = new Map<string, TradeRecord>();
  for (const trade of await reader.readTradeRange(chain, { token, pool: null }, range)) {
    stored.set(toKey(trade), trade);
  }
  return trades.flatMap((trade): TradeRecord[] => {
    if (!isOwn(trade)) return [trade];
    const known = stored.get(toKey(trade));
    // History has no prices of other tokens, but the index may have.
    if (known === undefined || findRank(assets, trade.quoteToken) === RANK_TOKEN) return [];
    const judged = { ...known, ...pickJudgement(trade) };
    return isDeepStrictEqual(judged, known) ? [] : [judged];
  });
}

export class TradeSteps {
  readonly #options: TradeStepsOptions;
  readonly #history: TradeHistory;
  readonly #young = new BoundedMap<PoolId, true>(YOUNG_MAX);

  constructor(options: TradeStepsOptions) {
    this.#options = options;
    this.#history = new TradeHistory(options.source, options.store);
  }

  plan(job: BackfillRecord, checkpoint: Checkpoint): Promise<BackfillStep | 'wait'> {
    const isBegun = hasHistoryPools(job.memory);
    return isBegun ? this.#continue(job, checkpoint) : this.#begin(job, checkpoint);
  }

  /**
   * The job as it begins again because pools were found that it lacks; null if there are none.
   * All trades are made once more: whether one is an outlier depends on the depths of all pools.
   */
  async planAgain(job: BackfillRecord): Promise<BackfillRecord | null> {
    const isBegun = job.status === 'done' || hasHistoryPools(job.memory);
    if (!isBegun) return null;
    const place = { nextBlock: job.toBlock, nextMs: null, fromBlock: null, fromMs: null };
    const again = { ...job, ...place, status: 'queued', memory: NO_POOLS, reason: null } as const;
    if ((await this.findPriced(job.token)) > job.toBlock) return again;
    const known = new Set(listHistoryPoolIds(job.memory));
    const rows = await this.#history.findPools(job.token);
    for (const row of rows.filter(({ pool }) => !known.has(pool))) {
      if (await this.#isOlder(row, job.toBlock)) return again;
    }
    return null;
  }

  /**
   * The block from which on the token's trades have prices. Those before it are from a time at
   * which its decimals, or those of what it was paid in, were not known yet; 0 if there are none.
   */
  async findPriced(token: Address): Promise<number> {
    const { source, store } = this.#options;
    const { chain, assets } = source.adapter;
    const { trades } = await store.readTradePage(chain, {
      ...{ token, pool: null, side: null, wallet: null, minUsd: null, after: null },
      ...{ range: { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }, order: 'oldest' },
      limit: UNPRICED_SEEN_MAX,
    });
    const tokens = new Set([token, ...trades.map(({ quoteToken }) => quoteToken)]);
    const rows = await store.readTokens(chain, [...tokens]);
    const named = new Set(rows.filter(({ decimals }) => decimals !== null).map((row) => row.token));
    const judged = trades.filter(
      ({ quoteToken, amountRaw, quoteAmountRaw }) =>
        findRank(assets, quoteToken) !== RANK_TOKEN &&
        named.has(token) &&
        named.has(quoteToken) &&
        amountRaw > 0n &&
        quoteAmountRaw > 0n,
    );
    const priced = judged.findIndex(hasPrice);
    const last = judged.at(priced === -1 ? -1 : priced - 1);
    return priced === 0 || last === undefined ? 0 : last.block + 1;
  }

  /** Whether a pool has trades from before a block; false while that cannot be said yet. */
  async #isOlder(row: PoolRecord, toBlock: number): Promise<boolean> {
    const { store, source } = this.#options;
    if (kindOf(row).hasTicks) {
      // It is complete by its creation, which was indexed, or by an adoption, which says more.
      const adoption = await store.readAdoption(source.adapter.chain, row.pool);
      return row.complete && adoption !== null;
    }
    if (this.#young.has(row.pool)) return false;
    const isOlder = await this.#history.isOlder(row, toBlock);
    if (!isOlder) this.#young.set(row.pool, true);
    return isOlder;
  }

  async #begin(job: BackfillRecord, checkpoint: Checkpoint): Promise<BackfillStep | 'wait'> {
    const { source, store, followed, adopt } = this.#options;
    const { chain, assets } = source.adapter;
    const anchors = await store.readPools(chain, assets.anchorPools);
    // Without an anchor there are no USD prices; the index meets one with its next event.
    if (assets.anchorPools.length > 0 && anchors.length === 0) return 'wait';
    const start = followed.findToken(job.token, checkpoint);
    const rows = await this.#history.findPools(job.token);
    if (start === null) return 'wait';
    const isKept = keepsOlder(assets, job.token, start);
    if (rows.length === 0) {
      // A rollback may have removed them for a while: they are found again.
      if (isKept) return 'wait';
      return buildStep({ ...job, status: 'done' });
    }
    // The node was asked for the events of some pools only after they had been found.
    const bounds = (await followed.findPools(start, rows)).values();
    const priced = await this.findPriced(job.token);
    const toBlock = Math.max(...bounds, priced, await this.#findJudged(rows, anchors));
    const { finalizedBlock } = checkpoint;
    if (toBlock - 1 > finalizedBlock) return 'wait';
    const first = await this.#history.begin(rows, {
      ...{ token: job.token, toBlock, finalizedBlock, mayWait: adopt !== null },
    });
    if (first.kind === 'wait') {
      adopt?.(first.incomplete);
      return 'wait';
    }
    const bottom = findBottom({ nextBlock: toBlock, pools: first.pools });
    const fromBlock = isKept ? bottom : Math.min(toBlock, Math.max(bottom, start.fromBlock));
    const isLater = toBlock > start.fromBlock;
    const toMs = isLater ? (await source.readHeader(toBlock - 1)).timestampMs : start.fromMs;
    const memory = encodeHistoryPools(first.pools);
    const begun = { ...job, toBlock, toMs, nextBlock: toBlock, fromBlock, memory };
    if (fromBlock === toBlock) return buildStep({ ...begun, status: 'done', fromMs: toMs });
    const { timestampMs: fromMs } = await source.readHeader(fromBlock);
    return buildStep({ ...begun, status: 'running', fromMs });
  }

  /**
   * The first block whose trades the index has judged knowing all that they depend on: the token's
   * pools and those that price the native coin.
   */
  async #findJudged(rows: readonly PoolRecord[], anchors: readonly PoolRecord[]): Promise<number> {
    const compared = rows.length > 1 ? rows.filter((row) => kindOf(row).hasDepthByLog) : [];
    const older = [...compared, ...anchors].filter(({ createdAtMs }) => createdAtMs === 0);
    const { store, source } = this.#options;
    const blocks = older.map(async ({ pool, createdBlock }) => {
      const adoption = await store.readAdoption(source.adapter.chain, pool);
      return (adoption?.block ?? createdBlock) + 1;
    });
    return Math.max(0, ...(await Promise.all(blocks)));
  }

  async #continue(job: BackfillRecord, checkpoint: Checkpoint): Promise<BackfillStep | 'wait'> {
    const { source, store, followed } = this.#options;
    const { token, nextBlock, fromBlock, memory } = job;
    const ids = listHistoryPoolIds(memory);
    const rows = await store.readPools(source.adapter.chain, ids);
    const start = followed.findToken(token, checkpoint);
    // A rollback may have removed some for a while.
    if (start === null || rows.length < ids.length) return 'wait';
    const place = { nextBlock, pools: decodeHistoryPools(memory, rows) };
    const step = await this.#history.step(token, place);
    const madeFrom = Math.max(step.nextBlock, fromBlock ?? 0);
    const { timestampMs } = await source.readHeader(madeFrom);
    const horizonMs = findHorizon(checkpoint);
    const isDone = step.nextBlock <= (fromBlock ?? 0) || timestampMs < horizonMs;
    const isIndexed = nextBlock > start.fromBlock;
    const trades = isIndexed
      ? await pickChanged(store, source.adapter, {
          ...{ token, trades: step.trades },
          followed: await followed.findPools(start, rows),
        })
      : step.trades;
    const before = job.nextMs ?? job.toMs;
    const archived =
      step.archive === null || before === null
        ? {}
        : {
            archived: {
              ...{ source: step.archive, fromBlock: madeFrom, toBlock: nextBlock - 1 },
              // Before the index itself, whose blocks they are not.
              ...{ fromMs: timestampMs, toMs: Math.max(timestampMs, before - 1) },
            },
          };
    return buildStep(
      {
        ...job,
        status: isDone ? 'done' : 'running',
        nextBlock: madeFrom,
        nextMs: Math.max(timestampMs, horizonMs),
        memory: encodeHistoryPools(step.pools),
      },
      {
        trades: trades.filter((one) => one.block >= madeFrom && one.timestampMs >= horizonMs),
        ...archived,
      },
    );
  }
}
