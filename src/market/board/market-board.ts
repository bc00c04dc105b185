// The boards of all followed chains: loaded from the store, then moved by each commit.

import { setImmediate } from 'node:timers/promises';
import type { FeedBatch } from '../../live/feed.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';
import type { ChainStates, StateChange } from '../state/chain-states.ts';
import { BoardBehindError, BoardPassedError, CommitWaiters } from './board-passed.ts';
import type { ChainBoard } from './chain-board.ts';
import { addBackfilled, type LoadedBoard, loadBoard, readPricesBefore } from './load-board.ts';

interface MarketBoardOptions {
  readonly store: Pick<MarketStore, 'snapshot' | 'readCandlesBefore'>;
  readonly states: ChainStates;
  readonly listChains: () => readonly ChainSlug[];
  /** A board was loaded, as opposed to moved. */
  readonly onLoaded: (chain: ChainSlug) => void;
  readonly onError: (error: unknown) => void;
}

/** Commits that wait while a board is loaded; with more, it is loaded once more instead. */
const QUEUE_MAX = 1000;
/** A batch of many blocks is applied in slices of about this many trades, so that others get on. */
const SLICE_TRADES = 100;

interface BoardState {
  loaded: LoadedBoard | null;
  mustLoad: boolean;
  /** Whether the board is between two commits. */
  isHalfway: boolean;
  queue: FeedBatch[];
  working: Promise<void> | null;
  /** Whether there may be more to do than was known when the work began. */
  isWoken: boolean;
  readonly waiters: CommitWaiters<ChainBoard>;
}

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

export class MarketBoard {
  readonly #options: MarketBoardOptions;
  readonly #chains = new Map<ChainSlug, BoardState>();
  #unsubscribe: (() => void) | null = null;
  #stopped = false;

  constructor(options: MarketBoardOptions) {
    this.#options = options;
  }

  start(): void {
    const { states, listChains } = this.#options;
    this.#unsubscribe = states.subscribe((change) => this.#hear(change));
    for (const chain of listChains()) if (states.current(chain) !== null) this.#load(chain);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe?.();
    for (const { waiters } of this.#chains.values()) waiters.rejectAll(new Error('It was stopped'));
    await Promise.all([...this.#chains.values()].map(({ working }) => working));
  }

  /** Resolves when the board is loaded, cannot be, or is not followed. */
  async untilLoaded(chain: ChainSlug): Promise<void> {
    const followed = this.#chains.get(chain);
    if (followed?.loaded === null) await followed.working;
  }

  /** The board as of the last commit, or between it and the next; null until it is loaded. */
  find(chain: ChainSlug): LoadedBoard | null {
    return this.#chains.get(chain)?.loaded ?? null;
  }

  /**
   * Reads the board exactly as of a commit: waits for it, or throws `BoardPassedError`. With
   * `isHeld` it does not wait, and throws `BoardBehindError`.
   */
  read<T>(
    chain: ChainSlug,
    at: { readonly version: number; readonly isHeld: boolean },
    read: (board: ChainBoard) => T,
  ): Promise<T> {
    const followed = this.#follow(chain);
    const { version } = at;
    if (this.#stopped) return Promise.reject(new Error('It was stopped'));
    if (at.isHeld && (followed.loaded?.checkpoint.version ?? 0) < version) {
      const arrived = this.read(chain, { version, isHeld: false }, () => undefined);
      return Promise.reject(new BoardBehindError(arrived));
    }
    // Nobody waits with a snapshot, which the rest of the commit may need.
    if (at.isHeld && followed.isHalfway) {
      return Promise.reject(new BoardPassedError('The next commit is being applied'));
    }
    const reading = followed.waiters.wait(version, read);
    this.#serveWaiters(followed);
    // A store that could not be read before is tried again.
    if (!followed.waiters.isEmpty) this.#work(chain, followed);
    return reading;
  }

  #serveWaiters({ loaded, waiters, isHalfway }: BoardState): void {
    if (loaded !== null && !isHalfway) waiters.serve(loaded.checkpoint.version, loaded.board);
  }

  #follow(chain: ChainSlug): BoardState {
    const known = this.#chains.get(chain);
    if (known !== undefined) return known;
    const followed: BoardState = {
      ...{ loaded: null, mustLoad: true, isHalfway: false, queue: [], isWoken: false },
      ...{ working: null, waiters: new CommitWaiters<ChainBoard>() },
    };
    this.#chains.set(chain, followed);
    return followed;
  }

  #load(chain: ChainSlug): void {
    const followed = this.#follow(chain);
    followed.mustLoad = true;
    followed.queue = [];
    this.#work(chain, followed);
  }

  #hear({ chain, batch }: StateChange): void {
    const followed = this.#chains.get(chain);
    if (batch === null || followed === undefined || followed.queue.length >= QUEUE_MAX) {
      this.#load(chain);
      return;
    }
    followed.queue.push(batch);
    this.#work(chain, followed);
  }

  #work(chain: ChainSlug, followed: BoardState): void {
    // Work that is about to end may not see what this call is for.
    followed.isWoken = followed.working !== null;
    if (this.#stopped || followed.working !== null) return;
    followed.working = this.#catchUp(chain, followed)
      .catch((error: unknown) => {
        // What was half applied is loaded again, by the next commit or caller.
        followed.loaded = null;
        followed.mustLoad = true;
        followed.waiters.rejectAll(error);
        if (!this.#stopped) this.#options.onError(error);
      })
      .finally(() => {
        followed.working = null;
        followed.isHalfway = false;
        if (followed.isWoken) this.#work(chain, followed);
      });
  }

  async #catchUp(chain: ChainSlug, followed: BoardState): Promise<void> {
    while (!this.#stopped && (followed.mustLoad || followed.queue.length > 0)) {
      if (followed.mustLoad) {
        followed.mustLoad = false;
        followed.loaded = await this.#options.store.snapshot((reader) => loadBoard(reader, chain));
        this.#options.onLoaded(chain);
      } else {
        const batch = followed.queue.shift();
        if (batch !== undefined) await this.#apply(followed, batch);
      }
      this.#serveWaiters(followed);
    }
  }

  async #apply(followed: BoardState, batch: FeedBatch): Promise<void> {
    const { loaded } = followed;
    const { checkpoint, chain, backfilled } = batch;
    if (loaded !== null && checkpoint.version <= loaded.checkpoint.version) return;
    if (loaded === null || checkpoint.version !== loaded.checkpoint.version + 1) {
      followed.mustLoad = true;
      return;
    }
    const { board } = loaded;
    const { store } = this.#options;
    while (batch.decodeSome()) await setImmediate();
    const trades = batch.readTrades();
    const series = board.listNewSeries(trades);
    const bases =
      series.length === 0
        ? new Map<string, string>()
        : await readPricesBefore(store, chain, {
            series,
            timeMs: Math.min(...trades.map(({ timestampMs }) => timestampMs)),
            candlesFromMs: checkpoint.candlesFromMs ?? 0,
          });
    if (backfilled !== undefined) {
      const of = { chain, token: backfilled, checkpoint };
      followed.isHalfway = true;
      await store.snapshot((reader) => addBackfilled(reader, board, of));
    }
    board.remove(batch.readReverted());
    for (const slice of listSlices(trades)) {
      if (followed.isHalfway) await setImmediate();
      followed.isHalfway = true;
      board.add(slice, bases);
    }
    followed.isHalfway = false;
    if (board.advance(checkpoint.timestampMs)) {
      followed.loaded = { board, checkpoint };
      return;
    }
    followed.loaded = null;
    followed.mustLoad = true;
  }
}
