// Everything live about one token, from one stream. After a loss, a reorganisation or a restart of
// the server it equals a fresh load: the stream resumes exactly, or says `reset` and all is read
// again.

import { type Signal, signal } from '@preact/signals';
import { api } from '../../api/api-client.ts';
import type { ChartKline, KlinesReply, StreamEvents, TradeRow } from '../../api/contract-types.ts';
import { openEventStream } from '../../api/event-stream.ts';
import { type ShownProblem, toProblem } from '../../api/shown-problem.ts';
import { CandleBook, type CandleChange } from '../../chart/candle-book.ts';
import { buildKlineInput, type TokenChoices } from './token-choices.ts';

/** Rows of the chart at first, and of each piece of history. */
const CANDLES_READ = 500;
/** Without a stream by then, the page is filled without one. */
const STREAM_WAIT_MS = 1500;
/** Streams have no candles in the quote token: the newest are read again, at most so often. */
const RENEW_MS = 1000;

/** The figures that a snapshot and a `price` event share. */
type LiveFigures = Omit<StreamEvents['price'], 'chain' | 'mint'>;

interface TokenFeedListener {
  /** Everything that was read before is to be read again. */
  restart?(): void;
  trade?(trade: TradeRow): void;
  revert?(tradeIds: ReadonlySet<string>): void;
  candles?(change: CandleChange): void;
}

export class TokenFeed {
  readonly book = new CandleBook();
  readonly price: Signal<LiveFigures | null> = signal(null);
  readonly holders: Signal<StreamEvents['holders'] | null> = signal(null);
  readonly coverage: Signal<StreamEvents['coverage'] | null> = signal(null);
  readonly isPaused = signal(false);
  /** How many trades the last reorganisation took back. */
  readonly revertedTrades = signal(0);
  readonly candleProblem: Signal<ShownProblem | null> = signal(null);
  /** Null until the first candles are here. */
  readonly hasCandles: Signal<boolean | null> = signal(null);
  readonly isLoadingOlder = signal(false);
  readonly #choices: TokenChoices;
  readonly #streamWaitMs: number;
  readonly #listeners = new Set<TokenFeedListener>();
  readonly #abort = new AbortController();
  #close: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #renewal: ReturnType<typeof setTimeout> | undefined;
  /** Candles that arrived while candles were read; null while none are. */
  #arrived: ChartKline[] | null = null;
  #readRound = 0;
  #isComplete = false;
  #isStarted = false;

  constructor(choices: TokenChoices, streamWaitMs = STREAM_WAIT_MS) {
    this.#choices = choices;
    this.#streamWaitMs = streamWaitMs;
  }

  isOf({ chain, mint }: Pick<TokenChoices, 'chain' | 'mint'>): boolean {
    return this.#choices.chain === chain && this.#choices.mint === mint;
  }

  open(): void {
    const { currency: shown, ...input } = buildKlineInput(this.#choices);
    const currency = shown === 'quote' ? 'usd' : shown;
    this.#close = openEventStream({
      input: { ...input, currency, mint: [input.mint] },
      handlers: {
        snapshot: (data) => {
          if ('token' in data) this.price.value = { ...data.token, block: data.asOf.block };
          this.#restart();
        },
        trade: (trade) => this.#tell((listener) => listener.trade?.(trade)),
        kline: ({ kline }) => {
          if (shown === 'quote') this.#renewLater();
          else this.#putCandle(kline);
        },
        price: (price) => {
          this.price.value = price;
        },
        holders: (holders) => {
          this.holders.value = holders;
        },
        coverage: (coverage) => {
          this.coverage.value = coverage;
        },
        revert: (revert) => this.#revert(revert),
        paused: () => {
          this.isPaused.value = true;
        },
      },
    });
    this.#timer = setTimeout(() => {
      if (!this.#isStarted) this.#restart();
    }, this.#streamWaitMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#renewal);
    this.#abort.abort();
    this.#close?.();
  }

  listen(listener: TokenFeedListener): () => void {
    this.#listeners.add(listener);
    if (this.#isStarted) listener.restart?.();
    return () => this.#listeners.delete(listener);
  }

  #tell(call: (listener: TokenFeedListener) => void): void {
    for (const listener of this.#listeners) call(listener);
  }

  #restart(): void {
    this.#isStarted = true;
    void this.#readCandles();
    this.#tell((listener) => listener.restart?.());
  }

  /** The stream is open already: what it brings meanwhile is applied over what is read. */
  async #readCandles(): Promise<void> {
    this.#readRound += 1;
    const round = this.#readRound;
    this.#arrived = [];
    try {
      const { klines } = await this.#askCandles({});
      if (round !== this.#readRound) return;
      this.book.replace(klines);
      for (const kline of this.#arrived) this.book.put(kline);
      this.#arrived = null;
      this.#isComplete = klines.length < CANDLES_READ;
      this.candleProblem.value = null;
      this.hasCandles.value = this.book.rows.length > 0;
      this.#tell((listener) => listener.candles?.('all'));
    } catch (error) {
      if (round === this.#readRound) this.#failCandles(error);
    }
  }

  #failCandles(error: unknown): void {
    if (this.#abort.signal.aborted) return;
    const problem = toProblem(error);
    this.candleProblem.value = problem;
    const { retryAtMs } = problem;
    if (retryAtMs === null) {
      // Nothing more is read: what arrives is shown at once again.
      const arrived = this.#arrived ?? [];
      this.#arrived = null;
      for (const kline of arrived) this.#putCandle(kline);
      return;
    }
    clearTimeout(this.#timer);
    const waitMs = Math.max(1000, retryAtMs - Date.now());
    this.#timer = setTimeout(() => void this.#readCandles(), waitMs);
  }

  #renewLater(): void {
    this.#renewal ??= setTimeout(() => {
      this.#renewal = undefined;
      const startTime = this.book.rows.at(-1)?.openTime;
      const round = this.#readRound;
      this.#askCandles(startTime === undefined ? {} : { startTime }).then(
        ({ klines }) => {
          if (round !== this.#readRound) return;
          for (const kline of klines) this.#putCandle(kline);
        },
        // The candles that are shown stay true; the next trade asks again.
        () => undefined,
      );
    }, RENEW_MS);
  }

  #askCandles(range: {
    readonly startTime?: number;
    readonly endTime?: number;
  }): Promise<KlinesReply> {
    const input = { ...buildKlineInput(this.#choices), limit: CANDLES_READ, ...range };
    return api.getKlines(input, { signal: this.#abort.signal });
  }

  /** Reads the candles before the oldest. */
  async loadOlder(): Promise<void> {
    const [oldest] = this.book.rows;
    const isBusy = this.isLoadingOlder.value || this.#arrived !== null;
    if (this.#isComplete || oldest === undefined || isBusy) return;
    this.isLoadingOlder.value = true;
    const round = this.#readRound;
    try {
      const { klines } = await this.#askCandles({ endTime: oldest.openTime - 1 });
      // What was read again meanwhile has a start of its own.
      if (round !== this.#readRound) return;
      this.#isComplete = klines.length < CANDLES_READ;
      this.book.prepend(klines);
      this.#tell((listener) => listener.candles?.('all'));
    } catch {
      // The candles that are shown stay true; scrolling on asks again.
    } finally {
      this.isLoadingOlder.value = false;
    }
  }

  #putCandle(kline: ChartKline): void {
    if (this.#arrived !== null) {
      this.#arrived.push(kline);
      return;
    }
    const change = this.book.put(kline);
    this.hasCandles.value = true;
    this.#tell((listener) => listener.candles?.(change));
  }

  #revert({ tradeIds, klines }: StreamEvents['revert']): void {
    this.revertedTrades.value = tradeIds.length;
    this.#tell((listener) => listener.revert?.(new Set(tradeIds)));
    // What is being read may still have what was taken back: read it again.
    if (this.#arrived !== null) void this.#readCandles();
    this.book.remove(new Set(klines.map(({ openTime }) => openTime)));
    this.#tell((listener) => listener.candles?.('all'));
  }
}
