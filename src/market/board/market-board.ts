// The boards of all followed chains: loaded from the store, then moved by each commit.

import { setImmediate } from 'node:timers/promises';
import type { FeedBatch } from '../../live/feed.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';
import type { StateChange } from '../state/chain-states.ts';
import type { ChainBoard } from './chain-board.ts';
import {
  CommitFollower,
  type CommitFollowerOptions,
  type FollowedChain,
} from './commit-follower.ts';
import { addBackfilled, loadBoard, readPricesBefore } from './load-board.ts';

interface MarketBoardOptions extends CommitFollowerOptions {
  readonly store: Pick<MarketStore, 'snapshot' | 'readCandlesBefore'>;
}

/** Commits that wait while a board is loaded; with more, it is loaded once more instead. */
const QUEUE_MAX = 1000;
/** A batch of many blocks is applied in slices of about this many trades, so that others get on. */
const SLICE_TRADES = 100;

type BoardState = FollowedChain<ChainBoard, FeedBatch[]>;

/** Whole blocks: a block's trades are added together. */
function* listSlices(trades: readonly TradeRecord[]): Generator<readonly TradeRecord[]> {
  let from = 0;
  for (let at = 1; at <= trades.length; at += 1) {
    const isBlockEnd = trades[at]?.block !== trades[at - 1]?.block;
    if (!isBlockEnd || (at - from < SLICE_TRADES && at < trades.length)) continue;
    yield trades.slice(from, at);
    from = at;
  }
}

export class MarketBoard extends CommitFollower<ChainBoard, FeedBatch[]> {
  readonly #store: MarketBoardOptions['store'];

  constructor(options: MarketBoardOptions) {
    super(options);
    this.#store = options.store;
  }

  protected override createPending(): FeedBatch[] {
    return [];
  }

  protected override hear({ batch }: StateChange, state: BoardState): void {
    if (batch !== null && state.pending.length < QUEUE_MAX) {
      state.pending.push(batch);
      return;
    }
    state.mustLoad = true;
    state.pending = [];
  }

  protected override async step(chain: ChainSlug, state: BoardState): Promise<boolean> {
    if (state.mustLoad) {
      state.mustLoad = false;
      state.loaded = await this.#store.snapshot((reader) => loadBoard(reader, chain));
      return true;
    }
    const batch = state.pending.shift();
    if (batch === undefined) return false;
    await this.#apply(state, batch);
    return true;
  }

  async #apply(state: BoardState, batch: FeedBatch): Promise<void> {
    const { loaded } = state;
    const { checkpoint, chain, backfilled } = batch;
    if (loaded !== null && checkpoint.version <= loaded.checkpoint.version) return;
    if (loaded === null || checkpoint.version !== loaded.checkpoint.version + 1) {
      state.mustLoad = true;
      return;
    }
    const board = loaded.value;
    while (batch.decodeSome()) await setImmediate();
    const trades = batch.readTrades();
    const series = board.listNewSeries(trades);
    const bases =
      series.length === 0
        ? new Map<string, string>()
        : await readPricesBefore(this.#store, chain, {
            series,
            timeMs: Math.min(...trades.map(({ timestampMs }) => timestampMs)),
            candlesFromMs: checkpoint.candlesFromMs ?? 0,
          });
    if (backfilled !== undefined) {
      const of = { chain, token: backfilled, checkpoint };
      state.isHalfway = true;
      await this.#store.snapshot((reader) => addBackfilled(reader, board, of));
    }
    board.remove(batch.readReverted());
    for (const slice of listSlices(trades)) {
      if (state.isHalfway) await setImmediate();
      state.isHalfway = true;
      board.add(slice, bases);
    }
    state.isHalfway = false;
    if (board.advance(checkpoint.timestampMs)) {
      state.loaded = { value: board, checkpoint };
      return;
    }
    state.loaded = null;
    state.mustLoad = true;
  }
}
