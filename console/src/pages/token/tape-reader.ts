// Fills a tape: reads trades once the stream is open, then follows it.

import { api } from '../../api/api-client.ts';
import type { TradeRow, TradesReply } from '../../api/contract-types.ts';
import { type ShownProblem, toProblem } from '../../api/shown-problem.ts';
import type { TokenChoices } from './token-choices.ts';
import type { TokenFeed } from './token-feed.ts';
import { matchesTapeFilter, TAPE_ROWS_MAX, type TapeFilter, TradeTape } from './trade-tape.ts';

export interface TapeState {
  /** Null until the first trades are here. */
  readonly rows: readonly TradeRow[] | null;
  readonly hasMore: boolean;
  readonly problem: ShownProblem | null;
}

interface TapeReaderOptions {
  readonly feed: TokenFeed;
  /** Which token, and which pool of it. */
  readonly subject: Pick<TokenChoices, 'chain' | 'mint' | 'pool'>;
  readonly filter: TapeFilter;
  readonly onChange: (state: TapeState) => void;
}

const ROWS_READ = 50;

export class TapeReader {
  readonly #options: TapeReaderOptions;
  readonly #tape = new TradeTape();
  readonly #abort = new AbortController();
  readonly #stop: () => void;
  /** Trades that arrived while trades were read; null while none are. */
  #arrived: TradeRow[] | null = null;
  #cursor: string | null = null;
  #isRead = false;
  #problem: ShownProblem | null = null;
  #round = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: TapeReaderOptions) {
    this.#options = options;
    this.#stop = options.feed.listen({
      restart: () => void this.#read(),
      trade: (trade) => this.#take(trade),
      revert: (ids) => this.#revert(ids),
    });
  }

  close(): void {
    this.#abort.abort();
    clearTimeout(this.#timer);
    this.#stop();
  }

  async loadOlder(): Promise<void> {
    if (this.#cursor === null) return;
    const round = this.#round;
    try {
      const { trades, nextCursor } = await this.#ask({ cursor: this.#cursor });
      // It is older than rows that are no longer there, or has what was taken back.
      if (round !== this.#round) return;
      this.#tape.append(trades);
      this.#cursor = nextCursor;
      this.#show(null);
    } catch (error) {
      const isOver = this.#abort.signal.aborted || round !== this.#round;
      if (!isOver) this.#show(toProblem(error));
    }
  }

  #show(problem: ShownProblem | null): void {
    this.#problem = problem;
    const { rows } = this.#tape;
    // A full tape drops its oldest trades: what is older would not join what is left.
    if (rows.length >= TAPE_ROWS_MAX) this.#cursor = null;
    const hasMore = this.#cursor !== null;
    this.#options.onChange({ rows: this.#isRead ? rows : null, hasMore, problem });
  }

  #ask(page: { readonly cursor?: string }): Promise<TradesReply> {
    const { chain, mint, pool } = this.#options.subject;
    const { side, minUsd, wallet } = this.#options.filter;
    const input = {
      ...{ chain, mint, limit: ROWS_READ, ...page },
      ...{ pool: pool ?? undefined, side: side ?? undefined },
      ...{ minUsd: minUsd ?? undefined, wallet: wallet ?? undefined },
    };
    return api.getTrades(input, { signal: this.#abort.signal });
  }

  async #read(): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    this.#arrived = [];
    try {
      const { trades, nextCursor } = await this.#ask({});
      if (round !== this.#round) return;
      this.#tape.replace(trades, this.#arrived);
      this.#arrived = null;
      this.#cursor = nextCursor;
      this.#isRead = true;
      this.#show(null);
    } catch (error) {
      if (round === this.#round && !this.#abort.signal.aborted) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const problem = toProblem(error);
    const { retryAtMs } = problem;
    if (retryAtMs === null) {
      // Nothing more is read: what arrives is shown at once again.
      this.#tape.replace(this.#tape.rows, this.#arrived ?? []);
      this.#arrived = null;
      this.#isRead = true;
    } else {
      const waitMs = Math.max(1000, retryAtMs - Date.now());
      this.#timer = setTimeout(() => void this.#read(), waitMs);
    }
    this.#show(problem);
  }

  #take(trade: TradeRow): void {
    if (!matchesTapeFilter(trade, this.#options.filter)) return;
    if (this.#arrived !== null) {
      this.#arrived.push(trade);
      return;
    }
    this.#tape.add(trade);
    this.#show(this.#problem);
  }

  #revert(ids: ReadonlySet<string>): void {
    this.#round += 1;
    this.#tape.remove(ids);
    // What is being read may still have what was taken back.
    if (this.#arrived !== null) void this.#read();
    this.#show(this.#problem);
  }
}
