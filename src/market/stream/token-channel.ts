// The live state of one token: turns commits into events once for all its readers.
//
// A commit that follows the last one is handled in memory, at once. Anything else (a reorganisation
// that affects the token, missed commits) is read from the store, from the point that readers have
// reached.

import { computeNextOpenTime } from '../../candles/interval.ts';
import { AnswerMismatchError } from '../../contract/create-serializer.ts';
import { StreamFrame } from '../../contract/stream-answer.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Outbox } from '../../live/outbox.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint, KlineInterval, TradeRecord } from '../../model/market-record.ts';
import {
  type EncodedItem,
  type EncodingState,
  encodeBeat,
  encodeItem,
  encodeLiveKline,
  encodeMissed,
} from './encode-events.ts';
import { KlineSeries } from './kline-series.ts';
import type { KnownToken, Missed, MissedItem, MissedRequest, NoWay } from './read-missed.ts';
import { listIntervals, type StreamFilter, toFilterKey } from './stream-filter.ts';
import { buildStateMessage, type SharedState, StreamGroup } from './stream-group.ts';
import { type StreamName, type StreamPoint, toTip, turnTimeBack } from './stream-point.ts';

/** One commit of the chain, for this token. */
interface ChannelStep {
  readonly checkpoint: Checkpoint;
  /** `other` if the change must be read from the store. */
  readonly kind: 'append' | 'rollback' | 'other';
  /** The token's trades that were added or, by a rollback, removed. */
  readonly trades: readonly TradeRecord[];
}

interface ChannelOptions {
  readonly name: StreamName;
  readonly checkpoint: Checkpoint;
  readonly clock: Clock;
  readonly pageEvents: number;
  readonly read: (request: MissedRequest) => Promise<Missed | NoWay>;
  /** The last commit of the chain that this process knows. */
  readonly currentVersion: () => number;
  /** There is something to flush: now, or after this time. */
  readonly onNews: (channel: TokenChannel, afterMs: number) => void;
  /** The channel cannot continue, for any reader. */
  readonly onLost: (channel: TokenChannel) => void;
  readonly onError: (error: unknown) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

interface ChannelState {
  readonly key: string;
  readonly text: string;
}

/** A reader that has everything up to `point`. */
export interface Joiner {
  readonly outbox: Outbox;
  readonly filter: StreamFilter;
  readonly point: StreamPoint;
  /** The klines and names of its last page, as of the point; null if it read none. */
  readonly page: Pick<Missed, 'series' | 'tokens'> | null;
}

const RETRY_MS = 500;
/** A live kline is sent at most ten times a second. */
const LIVE_KLINE_MS = 100;

/** A heartbeat without an id, for readers with their own replay. */
export const PLAIN_BEAT = new StreamFrame(':\n\n');

export class TokenChannel {
  readonly name: StreamName;
  /** How many use it, including readers that are not live yet. */
  users = 0;
  readonly #options: ChannelOptions;
  readonly #groups = new Map<string, StreamGroup>();
  readonly #series = new Map<KlineInterval, KlineSeries>();
  readonly #liveDue = new Set<KlineInterval>();
  readonly #tokens = new Map<Address, KnownToken>();
  readonly #states = new Map<SharedState, ChannelState>();
  #checkpoint: Checkpoint;
  #liveSentMs = Number.NEGATIVE_INFINITY;
  /** Whether a flush is scheduled for live klines that changed too soon. */
  #isLiveAwaited = false;
  #isBusy = false;
  /** The position of the store read in progress. */
  #point: StreamPoint | null = null;
  #isClosed = false;
  #moved = Promise.withResolvers<void>();
  #beat: { readonly version: number; readonly frame: StreamFrame } | null = null;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.name = options.name;
    this.#checkpoint = options.checkpoint;
  }

  get groups(): Iterable<StreamGroup> {
    return this.#groups.values();
  }

  wants(kind: SharedState): boolean {
    for (const { filter } of this.#groups.values()) if (filter.kinds.has(kind)) return true;
    return false;
  }

  /** Resolves when the channel has advanced. */
  untilMoved(): Promise<void> {
    return this.#moved.promise;
  }

  /** `live` if the reader has joined; `wait` if it must wait, `behind` if it must read on first. */
  join(joiner: Joiner): 'live' | 'wait' | 'behind' {
    const { version } = joiner.point;
    if (this.#isBusy || version > this.#checkpoint.version) return 'wait';
    if (version < this.#checkpoint.version) return 'behind';
    if (!this.#adopt(joiner)) return 'behind';
    const { filter, outbox } = joiner;
    // What is pending for the group was already sent to this reader.
    this.flush();
    if (this.#isClosed) return 'wait';
    const key = toFilterKey(filter);
    const group = this.#groups.get(key) ?? new StreamGroup(filter);
    this.#groups.set(key, group);
    group.outboxes.add(outbox);
    return 'live';
  }

  leave({ outbox, filter }: Pick<Joiner, 'outbox' | 'filter'>): void {
    const key = toFilterKey(filter);
    const group = this.#groups.get(key);
    group?.outboxes.delete(outbox);
    if (group?.outboxes.size !== 0) return;
    this.#groups.delete(key);
    const followed = new Set(
      [...this.#groups.values()].flatMap((one) => listIntervals(one.filter)),
    );
    for (const interval of this.#series.keys()) {
      if (!followed.has(interval)) this.#series.delete(interval);
    }
    // Nobody updates them from now on.
    for (const kind of this.#states.keys()) if (!this.wants(kind)) this.#states.delete(kind);
  }

  /** Whether more klines are open than a snapshot has, such as after the chain's time went back. */
  hasSeveralOpen(filter: StreamFilter): boolean {
    return listIntervals(filter).some((one) => (this.#series.get(one)?.openCount ?? 0) > 1);
  }

  /** The states for a reader that was away; states have no ids to resume from. */
  sendStates({ outbox, filter }: Pick<Joiner, 'outbox' | 'filter'>): void {
    const states = new Map<string, string>();
    for (const interval of listIntervals(filter)) {
      const text = this.#encodeLive(interval);
      if (text !== '') states.set('kline', text);
    }
    for (const [kind, { text }] of this.#states) {
      if (filter.kinds.has(kind)) states.set(kind, text);
    }
    if (states.size > 0) outbox.push(buildStateMessage(states));
  }

  hear(step: ChannelStep): void {
    this.#loseOnError(() => this.#hearStep(step));
  }

  #hearStep(step: ChannelStep): void {
    if (this.#isBusy) return;
    const { checkpoint, kind } = step;
    const ahead = checkpoint.version - this.#checkpoint.version;
    // The store may already have included it.
    if (ahead <= 0 && kind !== 'other') return;
    if (this.#groups.size === 0) this.#checkpoint = checkpoint;
    else if (ahead !== 1 || kind === 'other' || this.#isReopened(step)) void this.#catchUp();
    else if (step.trades.length === 0) this.#append(step);
    else if (kind === 'append' && this.#isKnown(step.trades)) this.#append(step);
    else void this.#catchUp();
    this.#notifyMoved();
  }

  hasState(kind: SharedState): boolean {
    return this.#states.has(kind);
  }

  /** A state that is sent when it has changed; `key` identifies its content. */
  setState(kind: SharedState, state: ChannelState): void {
    if (!this.wants(kind) || this.#states.get(kind)?.key === state.key) return;
    this.#states.set(kind, state);
    const { text } = state;
    for (const group of this.#groups.values()) group.setState(kind, text);
    this.#options.onNews(this, 0);
  }

  /** Sends what was collected. */
  flush(): void {
    if (this.#liveDue.size > 0) this.#loseOnError(() => this.#collectLive());
    for (const group of this.#groups.values()) group.flush();
  }

  /** The scheduled time has passed. */
  flushAwaited(): void {
    this.#isLiveAwaited = false;
    this.flush();
  }

  /** A heartbeat with the readers' position, if that is certain. */
  buildBeat(): StreamFrame {
    if (this.#isBusy) return PLAIN_BEAT;
    this.flush();
    const { version } = this.#checkpoint;
    if (this.#beat?.version !== version) {
      const text = encodeBeat(this.name, toTip(this.#checkpoint));
      this.#beat = { version, frame: new StreamFrame(text) };
    }
    return this.#beat.frame;
  }

  close(): void {
    this.#isClosed = true;
    this.#notifyMoved();
  }

  /** If an event cannot be encoded, readers are disconnected, so that none misses it. */
  #loseOnError(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(error: unknown): void {
    this.#options.onError(error);
    this.#options.onLost(this);
  }

  #notifyMoved(): void {
    this.#moved.resolve();
    this.#moved = Promise.withResolvers<void>();
  }

  #readState(): EncodingState {
    return { name: this.name, checkpoint: this.#checkpoint, tokens: this.#tokens };
  }

  /** Takes over the series of the reader's page that no other reader needed before. */
  #adopt({ filter, page }: Joiner): boolean {
    for (const interval of listIntervals(filter)) {
      if (this.#series.has(interval)) continue;
      const state = page?.series?.get(interval);
      if (state === undefined) return false;
      this.#series.set(interval, new KlineSeries({ token: this.name.token, interval }, state));
    }
    for (const [token, known] of page?.tokens ?? []) this.#tokens.set(token, known);
    return true;
  }

  /** Whether the names of the trades' tokens are already known. */
  #isKnown(trades: readonly TradeRecord[]): boolean {
    const isKnown = (token: Address) => (this.#tokens.get(token)?.decimals ?? null) !== null;
    return trades.every(({ token, quoteToken }) => isKnown(token) && isKnown(quoteToken));
  }

  /** Whether a kline that was sent as closed is open again or has another trade. */
  #isReopened({ checkpoint, trades }: ChannelStep): boolean {
    const { timeMs } = turnTimeBack(toTip(checkpoint).position, trades);
    if (timeMs >= this.#checkpoint.timestampMs) return false;
    return [...this.#series.values()].some((one) => one.isReopenedAt(timeMs));
  }

  /** A step that reverted no trade. Its time may be later than before, even after a rollback. */
  #append({ checkpoint, trades }: ChannelStep): void {
    // Trades come first, so a reader that has only them has no kline that ended since.
    const { timeMs } = turnTimeBack(toTip(this.#checkpoint).position, trades);
    const items = trades.map((trade): MissedItem => {
      const { block, logIndex } = trade;
      return { kind: 'trade', position: { block, logIndex, timeMs }, trade };
    });
    const { position } = toTip(checkpoint);
    for (const series of this.#series.values()) {
      for (const trade of trades) series.add(trade);
      const ended = series.passTime(checkpoint.timestampMs);
      for (const candle of ended) {
        const endMs = computeNextOpenTime(series.interval, candle.openTimeMs);
        items.push({ kind: 'kline', position: { ...position, timeMs: endMs }, candle });
      }
      // When a kline ends, slow readers lose the queued text of open ones: it is sent again.
      if (trades.length > 0 || ended.length > 0) this.#liveDue.add(series.interval);
    }
    this.#checkpoint = checkpoint;
    if (items.length === 0) return;
    const state = this.#readState();
    this.#keep(items.map((item) => encodeItem(item, state)));
  }

  #keep(items: readonly EncodedItem[]): void {
    for (const group of this.#groups.values()) group.keep(items);
    this.#options.onNews(this, 0);
  }

  #encodeLive(interval: KlineInterval): string {
    const state = this.#readState();
    const open = this.#series.get(interval)?.open ?? [];
    return open.map((candle) => encodeLiveKline(candle, state)).join('');
  }

  #collectLive(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const waitMs = this.#liveSentMs + LIVE_KLINE_MS - nowMs;
    if (waitMs > 0) {
      if (!this.#isLiveAwaited) this.#options.onNews(this, waitMs);
      this.#isLiveAwaited = true;
      return;
    }
    this.#liveSentMs = nowMs;
    for (const interval of this.#liveDue) {
      const text = this.#encodeLive(interval);
      if (text === '') continue;
      for (const group of this.#groups.values()) {
        if (listIntervals(group.filter).includes(interval)) group.setKline(text);
      }
    }
    this.#liveDue.clear();
  }

  /** Reads from the store what happened since; no reader joins meanwhile. */
  async #catchUp(): Promise<void> {
    this.#isBusy = true;
    // The store read includes what they would send.
    this.#liveDue.clear();
    while (!this.#isClosed) {
      try {
        const isAtTip = await this.#readOn();
        // Checked only now: a step that arrived since the page was read is not in it.
        if (isAtTip && this.#checkpoint.version >= this.#options.currentVersion()) break;
      } catch (error) {
        // Reading it again would give the same result.
        if (error instanceof AnswerMismatchError) {
          this.#lose(error);
          break;
        }
        this.#options.onError(error);
        await this.#options.sleep(RETRY_MS);
      }
    }
    this.#isBusy = false;
    this.#notifyMoved();
  }

  /** One page; true when it was the last one. */
  async #readOn(): Promise<boolean> {
    const { name } = this;
    const missed = await this.#options.read({
      ...name,
      point: this.#point ?? toTip(this.#checkpoint),
      withTrades: true,
      intervals: [...this.#series.keys()],
      limit: this.#options.pageEvents,
    });
    if (typeof missed === 'string') {
      this.#options.onLost(this);
      return true;
    }
    for (const [token, known] of missed.tokens) this.#tokens.set(token, known);
    this.#keep(encodeMissed(missed, name));
    this.#point = missed.point;
    if (missed.series === null) return false;
    this.#point = null;
    this.#checkpoint = missed.checkpoint;
    for (const [interval, state] of missed.series) {
      if (!this.#series.has(interval)) continue;
      this.#series.set(interval, new KlineSeries({ token: name.token, interval }, state));
      this.#liveDue.add(interval);
    }
    this.#options.onNews(this, 0);
    return true;
  }
}
