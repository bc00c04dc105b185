// The boards of all followed chains: loaded from the store, then moved by each commit.

import type { FeedBatch } from '../../live/feed.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { MarketStore } from '../../store/store.ts';
import type { ChainStates, StateChange } from '../state/chain-states.ts';
import { BoardPassedError, withDeadline } from './board-passed.ts';
import type { ChainBoard } from './chain-board.ts';
import { type LoadedBoard, loadBoard, readPricesBefore } from './load-board.ts';

interface MarketBoardOptions {
  readonly store: Pick<MarketStore, 'snapshot' | 'readCandlesBefore'>;
  readonly states: ChainStates;
  readonly listChains: () => readonly ChainSlug[];
  readonly onError: (error: unknown) => void;
}

/** Commits that wait while a board is loaded; with more, it is loaded once more instead. */
const QUEUE_MAX = 1000;

interface Waiter {
  readonly version: number;
  /** Called while the board is exactly at that version. */
  readonly read: (board: ChainBoard) => void;
  readonly reject: (error: unknown) => void;
}

interface BoardState {
  loaded: LoadedBoard | null;
  mustLoad: boolean;
  queue: FeedBatch[];
  working: Promise<void> | null;
  waiters: Waiter[];
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
    await Promise.all([...this.#chains.values()].map(({ working }) => working));
  }

  /** The board as of the last commit it has; null until it is loaded. */
  find(chain: ChainSlug): LoadedBoard | null {
    return this.#chains.get(chain)?.loaded ?? null;
  }

  /** Reads the board exactly as of a commit: waits for it, or throws `BoardPassedError`. */
  read<T>(chain: ChainSlug, version: number, read: (board: ChainBoard) => T): Promise<T> {
    const followed = this.#follow(chain);
    return withDeadline(
      new Promise<T>((resolve, reject) => {
        const run = (board: ChainBoard) => {
          try {
            resolve(read(board));
          } catch (error) {
            reject(error);
          }
        };
        followed.waiters.push({ version, read: run, reject });
        this.#serveWaiters(followed);
        // A store that could not be read before is tried again.
        if (followed.waiters.length > 0) this.#work(chain, followed);
      }),
    );
  }

  #serveWaiters(followed: BoardState): void {
    const { loaded, waiters } = followed;
    if (loaded === null || waiters.length === 0) return;
    const { version } = loaded.checkpoint;
    followed.waiters = waiters.filter((waiter) => waiter.version > version);
    for (const waiter of waiters) {
      if (waiter.version < version) waiter.reject(new BoardPassedError('The board is past it'));
      else if (waiter.version === version) waiter.read(loaded.board);
    }
  }

  #follow(chain: ChainSlug): BoardState {
    const known = this.#chains.get(chain);
    if (known !== undefined) return known;
    const followed: BoardState = {
      ...{ loaded: null, mustLoad: true, queue: [] },
      ...{ working: null, waiters: [] },
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
    if (this.#stopped || followed.working !== null) return;
    followed.working = this.#catchUp(chain, followed)
      .catch((error: unknown) => {
        // What was half applied is loaded again, by the next commit or caller.
        followed.loaded = null;
        followed.mustLoad = true;
        for (const { reject } of followed.waiters.splice(0)) reject(error);
        if (!this.#stopped) this.#options.onError(error);
      })
      .finally(() => {
        followed.working = null;
      });
  }

  async #catchUp(chain: ChainSlug, followed: BoardState): Promise<void> {
    while (!this.#stopped && (followed.mustLoad || followed.queue.length > 0)) {
      if (followed.mustLoad) {
        followed.mustLoad = false;
        followed.loaded = await this.#options.store.snapshot((reader) => loadBoard(reader, chain));
      } else {
        const batch = followed.queue.shift();
        if (batch !== undefined) await this.#apply(followed, batch);
      }
      this.#serveWaiters(followed);
    }
  }

  async #apply(followed: BoardState, batch: FeedBatch): Promise<void> {
    const { loaded } = followed;
    const { checkpoint } = batch;
    if (loaded !== null && checkpoint.version <= loaded.checkpoint.version) return;
    if (loaded === null || checkpoint.version !== loaded.checkpoint.version + 1) {
      followed.mustLoad = true;
      return;
    }
    const { board } = loaded;
    const trades = batch.readTrades();
    const series = board.listNewSeries(trades);
    const bases =
      series.length === 0
        ? new Map<string, string>()
        : await readPricesBefore(this.#options.store, batch.chain, {
            series,
            timeMs: Math.min(...trades.map(({ timestampMs }) => timestampMs)),
            candlesFromMs: checkpoint.candlesFromMs ?? 0,
          });
    board.remove(batch.readReverted());
    board.add(trades, bases);
    if (board.advance(checkpoint.timestampMs)) {
      followed.loaded = { board, checkpoint };
      return;
    }
    followed.loaded = null;
    followed.mustLoad = true;
  }
}
