// The live state of one token: turns commits into events once for all its readers.
//
// A commit that follows the last one is handled in memory, at once. Anything else (a reorganisation
// that affects the token, missed commits) is read from the store, from the point that readers have
// reached.

import { computeNextOpenTime, computeOpenTime } from '../../candles/interval.ts';
import { AnswerMismatchError } from '../../contract/create-serializer.ts';
import { StreamFrame } from '../../contract/stream-answer.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Outbox } from '../../live/outbox.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint, TradeRecord } from '../../model/market-record.ts';
import {
  createLiveKlines,
  type EncodedItem,
  type EncodingState,
  encodeBeat,
  encodeItem,
  encodeMissed,
  type TokenEvent,
} from './encode-events.ts';
import {
  areNamed,
  KlineSeries,
  type KnownToken,
  type Missed,
  type MissedItem,
  type MissedRequest,
  type NoWay,
} from './read-missed.ts';
import { type ChannelGroup, type SharedState, StreamGroup } from './stream-group.ts';
import {
  encodeEventId,
  type StreamName,
  type StreamPoint,
  toTip,
  turnTimeBack,
} from './stream-point.ts';
import {
  listSeries,
  type StreamFilter,
  type StreamSeries,
  toFilterKey,
  toSeriesKey,
  toViewKey,
} from './stream-set.ts';

// What a token's channel is made with, and what it is told.

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
  readonly onNews: (afterMs: number) => void;
  /** The channel cannot continue, for any reader. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

interface ChannelState {
  readonly key: string;
  readonly event: TokenEvent;
}

/** A reader that has everything up to `point`. */
export interface Joiner {
  readonly filter: StreamFilter;
  readonly point: StreamPoint;
  /** The klines and names of its last page, as of the point; null if it read none. */
  readonly page: Pick<Missed, 'series' | 'tokens'> | null;
}

// Whether a reader that stands at an older commit has everything up to the channel's.

/** Whether nothing but the chain's time advances for the token. */
function isQuietStep({ checkpoint, kind, trades }: ChannelStep, before: Checkpoint): boolean {
  const isNext = checkpoint.version === before.version + 1 && kind === 'append';
  return isNext && trades.length === 0 && checkpoint.timestampMs >= before.timestampMs;
}

/**
 * Whether the klines are known, and none has ended since the reader's point. Requires that there
 * were only quiet steps since.
 */
function isSeriesCurrent(
  series: StreamSeries,
  { point, page }: Joiner,
  channel: { readonly checkpoint: Checkpoint; readonly series: ReadonlyMap<string, unknown> },
): boolean {
  const { interval } = series;
  const { version, timestampMs } = channel.checkpoint;
  const key = toSeriesKey(series);
  const state = page?.series?.get(key);
  if (state === undefined && !channel.series.has(key)) return false;
  if (point.version === version) return true;
  if (state === undefined) {
    const { timeMs } = point.position;
    return computeOpenTime(interval, timeMs) === computeOpenTime(interval, timestampMs);
  }
  return state.open.every((candle) => {
    return computeNextOpenTime(interval, candle.openTimeMs) > timestampMs;
  });
}

const RETRY_MS = 500;
/** A live kline is sent at most ten times a second. */
const LIVE_KLINE_MS = 100;

export class TokenChannel {
  readonly name: StreamName;
  /** How many use it, including readers that are not live yet. */
  users = 0;
  readonly #options: ChannelOptions;
  /** Readers of this token alone, by their filter. */
  readonly #own = new Map<string, StreamGroup>();
  /** All groups, those of several tokens included. */
  readonly #groups = new Set<ChannelGroup>();
  readonly #series = new Map<string, KlineSeries>();
  readonly #liveDue = new Set<string>();
  readonly #tokens = new Map<Address, KnownToken>();
  readonly #states = new Map<SharedState, ChannelState>();
  #checkpoint: Checkpoint;
  /** The last commit since which nothing but the chain's time has advanced for this token. */
  #changedVersion: number;
  #tip: StreamPoint;
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
    this.#changedVersion = options.checkpoint.version;
    this.#tip = toTip(options.checkpoint);
  }

  /** Up to where its readers have everything. */
  get point(): StreamPoint {
    return this.#point ?? this.#tip;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether readers are at the last commit. */
  get isSettled(): boolean {
    return !this.#isBusy;
  }

  wants(kind: SharedState): boolean {
    for (const { filter } of this.#groups) if (filter.kinds.has(kind)) return true;
    return false;
  }

  /** Resolves when the channel has advanced. */
  untilMoved(): Promise<void> {
    return this.#moved.promise;
  }

  /** `live` if the reader can join; `wait` if it must wait, `behind` if it must read on first. */
  check(joiner: Joiner): 'live' | 'wait' | 'behind' {
    const { version } = joiner.point;
    if (this.#isBusy || version > this.#checkpoint.version) return 'wait';
    if (version < this.#changedVersion) return 'behind';
    const at = { checkpoint: this.#checkpoint, series: this.#series };
    const isCurrent = listSeries(joiner.filter).every((one) => isSeriesCurrent(one, joiner, at));
    return isCurrent ? 'live' : 'behind';
  }

  /** Adds a reader of this token alone, if it can join. */
  join(joiner: Joiner & { readonly outbox: Outbox }): 'live' | 'wait' | 'behind' {
    const checked = this.check(joiner);
    if (checked !== 'live') return checked;
    const { filter, outbox } = joiner;
    const key = toFilterKey(filter);
    const group = this.#own.get(key) ?? new StreamGroup(filter);
    this.prepare(joiner);
    if (this.#isClosed) return 'wait';
    this.#own.set(key, group);
    this.attach(group);
    group.outboxes.add(outbox);
    return 'live';
  }

  /**
   * Before a reader joins: takes over what its page knows, and sends what is pending, which this
   * reader already has.
   */
  prepare({ filter, page }: Joiner): void {
    const { token } = this.name;
    for (const one of listSeries(filter)) {
      const key = toSeriesKey(one);
      const state = page?.series?.get(key);
      if (this.#series.has(key) || state === undefined) continue;
      this.#series.set(key, new KlineSeries({ token, ...one }, state));
    }
    for (const [known, names] of page?.tokens ?? []) this.#tokens.set(known, names);
    this.flush();
  }

  attach(group: ChannelGroup): void {
    this.#groups.add(group);
  }

  leave({ outbox, filter }: { readonly outbox: Outbox; readonly filter: StreamFilter }): void {
    const key = toFilterKey(filter);
    const group = this.#own.get(key);
    group?.outboxes.delete(outbox);
    if (group?.outboxes.size !== 0) return;
    this.#own.delete(key);
    this.detach(group);
  }

  detach(group: ChannelGroup): void {
    this.#groups.delete(group);
    const followed = new Set(
      [...this.#groups].flatMap((one) => listSeries(one.filter).map(toSeriesKey)),
    );
    for (const key of this.#series.keys()) if (!followed.has(key)) this.#series.delete(key);
    // Nobody updates them from now on.
    for (const kind of this.#states.keys()) if (!this.wants(kind)) this.#states.delete(kind);
  }

  /** Whether more klines are open than a snapshot has, such as after the chain's time went back. */
  hasSeveralOpen(filter: StreamFilter): boolean {
    return listSeries(filter).some((one) => {
      return (this.#series.get(toSeriesKey(one))?.openCount ?? 0) > 1;
    });
  }

  /** The states for a reader that was away; states have no ids to resume from. */
  listStates(filter: StreamFilter): Map<string, TokenEvent> {
    const states = new Map<string, TokenEvent>();
    for (const one of listSeries(filter)) {
      const event = this.#createLive(toSeriesKey(one), filter);
      if (event !== null) states.set('kline', event);
    }
    for (const [kind, { event }] of this.#states) {
      if (filter.kinds.has(kind)) states.set(kind, event);
    }
    return states;
  }

  onStep(step: ChannelStep): void {
    this.#loseOnError(() => this.#applyStep(step));
  }

  #applyStep(step: ChannelStep): void {
    if (this.#isBusy) return;
    const { checkpoint, kind } = step;
    const ahead = checkpoint.version - this.#checkpoint.version;
    // The store may already have included it.
    if (ahead <= 0 && kind !== 'other') return;
    if (!isQuietStep(step, this.#checkpoint)) {
      this.#changedVersion = Math.max(checkpoint.version, this.#checkpoint.version);
    }
    // Without readers, nobody updates the klines.
    if (this.#groups.size === 0) this.#series.clear();
    if (this.#groups.size === 0) this.#advance(checkpoint);
    else if (ahead !== 1 || kind === 'other' || this.#isReopened(step)) void this.#catchUp();
    else if (step.trades.length === 0) this.#append(step);
    else if (kind === 'append' && areNamed(step.trades, this.#tokens)) this.#append(step);
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
    for (const group of this.#groups) group.setState(kind, state.event);
    this.#options.onNews(0);
  }

  /** Sends what was collected. */
  flush(): void {
    if (this.#liveDue.size > 0) this.#loseOnError(() => this.#collectLive());
    for (const group of this.#groups) group.flush();
  }

  /** The scheduled time has passed. */
  flushAwaited(): void {
    this.#isLiveAwaited = false;
    this.flush();
  }

  /** A heartbeat with the readers' position; null if that is not certain. */
  buildBeat(): StreamFrame | null {
    if (this.#isBusy) return null;
    this.flush();
    const { version } = this.#checkpoint;
    if (this.#beat?.version !== version) {
      const text = encodeBeat(encodeEventId(this.name, this.#tip));
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
    this.#options.onLost();
  }

  #notifyMoved(): void {
    this.#moved.resolve();
    this.#moved = Promise.withResolvers<void>();
  }

  #readState(): EncodingState {
    return { name: this.name, checkpoint: this.#checkpoint, tokens: this.#tokens };
  }

  #advance(checkpoint: Checkpoint): void {
    this.#checkpoint = checkpoint;
    this.#tip = toTip(checkpoint);
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
    const { timeMs } = turnTimeBack(this.#tip.position, trades);
    const items = trades.map((trade): MissedItem => {
      const { block, logIndex } = trade;
      return { kind: 'trade', position: { block, logIndex, timeMs }, trade };
    });
    const { position } = toTip(checkpoint);
    for (const [key, series] of this.#series) {
      for (const trade of trades) series.add(trade);
      const ended = series.passTime(checkpoint.timestampMs);
      for (const candle of ended) {
        const endMs = computeNextOpenTime(series.interval, candle.openTimeMs);
        items.push({ kind: 'kline', position: { ...position, timeMs: endMs }, candle });
      }
      // When a kline ends, slow readers lose the queued text of open ones: it is sent again.
      if (trades.length > 0 || ended.length > 0) this.#liveDue.add(key);
    }
    this.#advance(checkpoint);
    if (items.length === 0) return;
    const state = this.#readState();
    this.#keep(items.map((item) => encodeItem(item, state)));
  }

  #keep(items: readonly EncodedItem[]): void {
    for (const group of this.#groups) group.keep(items);
    this.#options.onNews(0);
  }

  /** Null if no kline is open. */
  #createLive(key: string, view: StreamFilter): TokenEvent | null {
    const open = this.#series.get(key)?.open ?? [];
    return open.length === 0 ? null : createLiveKlines(open, this.#readState(), view);
  }

  #collectLive(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const waitMs = this.#liveSentMs + LIVE_KLINE_MS - nowMs;
    if (waitMs > 0) {
      if (!this.#isLiveAwaited) this.#options.onNews(waitMs);
      this.#isLiveAwaited = true;
      return;
    }
    this.#liveSentMs = nowMs;
    const events = new Map<string, TokenEvent | null>();
    for (const group of this.#groups) {
      const { filter } = group;
      const key = toSeriesKey(filter);
      if (!filter.kinds.has('kline') || !this.#liveDue.has(key)) continue;
      const view = toViewKey(filter);
      if (!events.has(view)) events.set(view, this.#createLive(key, filter));
      const event = events.get(view);
      if (event) group.setKline(event);
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
      point: this.point,
      withTrades: true,
      series: [...this.#series.values()].map(({ series }) => series),
      limit: this.#options.pageEvents,
    });
    if (typeof missed === 'string') {
      this.#options.onLost();
      return true;
    }
    for (const [token, known] of missed.tokens) this.#tokens.set(token, known);
    this.#keep(encodeMissed(missed, name));
    this.#point = missed.point;
    if (missed.series === null) return false;
    this.#point = null;
    this.#advance(missed.checkpoint);
    this.#changedVersion = missed.checkpoint.version;
    for (const [key, state] of missed.series) {
      const series = this.#series.get(key)?.series;
      if (series === undefined) continue;
      this.#series.set(key, new KlineSeries({ token: name.token, ...series }, state));
      this.#liveDue.add(key);
    }
    this.#options.onNews(0);
    return true;
  }
}
